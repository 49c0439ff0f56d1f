package cloudinit

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// hardenUsers gives the list of users: those of the user data without passwords and locked, then the machine's own.
// Nil means that the image's default stands.
func hardenUsers(given *mapping, opts HardenOptions, keys []any) ([]any, error) {
	var out []any
	add := func(v any, path string) error {
		if s, ok := v.(string); ok && strings.Contains(s, ",") {
			return &Refusal{path, "several names in one text", "give users as a list"}
		}
		user, err := hardenUser(v, path)
		if err == nil && user != nil {
			out = append(out, user)
		}
		return err
	}
	v, there := given.get("users")
	switch v := v.(type) {
	case nil:
	case []any:
		for i, entry := range v {
			if err := add(entry, index("userdata.users", i)); err != nil {
				return nil, err
			}
		}
	case string:
		for _, name := range strings.Split(v, ",") {
			if err := add(strings.TrimSpace(name), "userdata.users"); err != nil {
				return nil, err
			}
		}
	case *mapping:
		for _, name := range v.keys {
			entry, isMapping := v.values[name].(*mapping)
			if !isMapping {
				if !isTrue(v.values[name]) {
					continue
				}
				entry = newMapping()
			}
			entry = entry.clone()
			entry.set("name", name)
			if err := add(entry, "userdata.users"); err != nil {
				return nil, err
			}
		}
	default:
		return nil, &Refusal{"userdata.users", "neither a list nor a mapping nor text", "give users as a list"}
	}
	if opts.User == "" {
		if !there {
			return nil, nil
		}
		return append([]any{}, out...), nil
	}
	for _, u := range out {
		if m, ok := u.(*mapping); ok && m.values["name"] == any(opts.User) {
			if len(keys) > 0 {
				appendTo(m, "ssh_authorized_keys", keys)
			}
			return out, nil
		}
	}
	return append(out, ownUser(opts, keys)), nil
}

// ownUser is the account that the machine's specification names.
func ownUser(opts HardenOptions, keys []any) *mapping {
	u := newMapping()
	u.set("name", opts.User)
	u.set("lock_passwd", true)
	if opts.User != defaultName {
		u.set("shell", "/bin/bash")
		u.set("sudo", "ALL=(ALL) NOPASSWD:ALL")
	}
	if len(keys) > 0 {
		u.set("ssh_authorized_keys", keys)
	}
	return u
}

// hardenUser gives an entry of users without what sets a password, and locked. Root keeps no keys.
func hardenUser(v any, path string) (any, error) {
	entry, ok := v.(*mapping)
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if v == "" {
			return nil, nil
		}
		entry, ok = newMapping(), true
		entry.set("name", v)
	}
	if !ok {
		return nil, &Refusal{path, "neither a name nor a mapping", "give the user's name, or a mapping with name"}
	}
	name := defaultName
	if n, named := entry.get("name"); named {
		name = pyStr(n)
	}
	single := !strings.HasPrefix(path, "userdata.users")
	if single && name == rootName {
		return nil, &Refusal{path, "root as the default user", "name another account"}
	}
	out := newMapping()
	if _, named := entry.get("name"); named || !single {
		out.set("name", name)
	}
	out.set("lock_passwd", true)
	for _, k := range entry.keys {
		norm := strings.TrimSpace(strings.ReplaceAll(k, "-", "_"))
		rootsKeys := name == rootName && (norm == "ssh_authorized_keys" || norm == "ssh_import_id")
		switch {
		case k == "name", decidedForUsers[norm], rootsKeys, norm == "merge_how", norm == "merge_type":
		case norm == "snapuser":
			return nil, &Refusal{path, "a snap user, whose account is made elsewhere", "give the user's name and keys"}
		default:
			out.set(k, entry.values[k])
		}
	}
	return out, nil
}

// message puts scripts first and the cloud-config last, since of cloud-config the last part wins.
func message(code []part, config []byte) []byte {
	sum := sha256.New()
	for _, p := range code {
		_, _ = sum.Write([]byte(p.payload)) // a hash never fails
	}
	_, _ = sum.Write(config)
	boundary := "cato-" + hex.EncodeToString(sum.Sum(nil))[:32]
	var b strings.Builder
	b.WriteString("Content-Type: multipart/mixed; boundary=\"" + boundary + "\"\nMIME-Version: 1.0\n")
	for i, p := range code {
		fmt.Fprintf(&b, "\n--%s\nContent-Type: %s; charset=\"utf-8\"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=\"script-%03d\"\n\n", boundary, p.ctype, i+1)
		encoded := base64.StdEncoding.EncodeToString([]byte(p.payload))
		for len(encoded) > 76 {
			b.WriteString(encoded[:76] + "\n")
			encoded = encoded[76:]
		}
		b.WriteString(encoded + "\n")
	}
	fmt.Fprintf(&b, "\n--%s\nContent-Type: text/cloud-config; charset=\"utf-8\"\nContent-Transfer-Encoding: 7bit\nContent-Disposition: attachment; filename=\"hardened.cfg\"\n\n%s\n--%s--\n", boundary, config, boundary)
	return []byte(b.String())
}
