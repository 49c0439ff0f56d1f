package cloudinit

import (
	pathpkg "path"
	"strconv"
	"strings"
)

// account is an entry of users while entries of one name are merged.
type account struct {
	name, path string
	cfg        *mapping
}

type accounts []account

func (a *accounts) add(name, path string, cfg *mapping) {
	for i := range *a {
		if (*a)[i].name == name {
			(*a)[i].cfg = firstWins((*a)[i].cfg, cfg)
			return
		}
	}
	if len(*a) <= maxItems { // one more shows that there were too many
		*a = append(*a, account{name, path, cfg})
	}
}

// firstWins merges as cloud-init merges entries of one user: the first word on a key stands.
func firstWins(a, b *mapping) *mapping {
	all := mergeAll{{"list", words()}, {"dict", words()}, {"str", words()}}
	if v, err := all.merge(a, b); err == nil {
		if m, ok := v.(*mapping); ok {
			return m
		}
	}
	return a
}

const (
	defaultName = "default"
	tooMany     = "more entries than are read (1000)"
)

// users lists the accounts and tells what becomes of the image's default user.
func (d *decoder) users(cfg *mapping, where at) string {
	var list accounts
	v, there := cfg.get("users")
	path := where("users")
	switch v := v.(type) {
	case *mapping:
		for _, k := range v.keys {
			switch entry := v.values[k].(type) {
			case *mapping:
				list.add(k, path+"."+k, entry)
			case []any, nil:
				d.unread(path+"."+strconv.Quote(k), "a user that is neither a mapping nor a flag, on which cloud-init fails")
			default:
				if isTrue(entry) {
					list.add(k, path+"."+k, newMapping())
				}
			}
		}
	case string:
		addNames(&list, v, path)
	case []any:
		for i, entry := range v[:min(len(v), maxItems+1)] {
			d.listed(&list, entry, index(path, i))
		}
	}

	if entries, ok := v.([]any); ok && len(entries) > maxItems || len(list) > maxItems {
		d.unread(path, tooMany)
		list = list[:min(len(list), maxItems)]
	}
	own, ownPath := d.defaultUser(cfg, where)
	if own != nil && (there || ownPath != where("system_info")+".default_user") {
		if _, user := cfg.get("user"); user {
			list.add(defaultName, ownPath, newMapping())
		}
	}
	kept := !there
	for _, a := range list {
		kept = kept || a.name == defaultName
	}
	if !there && own != nil && len(list) == 0 {
		list.add(defaultName, ownPath, newMapping())
	}
	d.accounts(list, own)
	switch {
	case !there && len(list) == 0:
		return Unset
	case kept:
		return "kept"
	}
	return "dropped"
}

func addNames(list *accounts, names, path string) {
	for _, n := range strings.SplitN(strings.TrimSpace(names), ",", 2*maxItems) {
		if n = strings.TrimSpace(n); n != "" {
			list.add(n, path, newMapping())
		}
	}
}

func (d *decoder) listed(list *accounts, entry any, path string) {
	switch entry := entry.(type) {
	case string:
		addNames(list, entry, path)
	case []any:
		for _, n := range entry {
			addNames(list, pyStr(n), path)
		}
	case *mapping:
		name := defaultName
		if n, ok := entry.get("name"); ok {
			name = pyStr(n)
		}
		list.add(name, path, entry)
	default:
		d.unread(path, "a user that is neither text nor a mapping, on which cloud-init fails")
	}
}

// defaultUser gives what the user data itself says of the image's default user: user, then system_info.
func (d *decoder) defaultUser(cfg *mapping, where at) (*mapping, string) {
	var own *mapping
	path := ""
	if v, ok := cfg.get("user"); ok && pyTruth(v) {
		switch v := v.(type) {
		case string:
			own, path = newMapping(), where("user")
			own.set("name", v)
		case *mapping:
			own, path = v, where("user")
		}
	}
	if info, ok := cfg.values["system_info"].(*mapping); ok {
		if def, ok := info.values["default_user"].(*mapping); ok {
			if own == nil {
				return def, where("system_info") + ".default_user"
			}
			own = firstWins(own, def)
		}
	}
	return own, path
}

// accounts gives the facts of each account. The default user takes what is said of it everywhere: under default,
// and under its own name where the user data gives it one.
func (d *decoder) accounts(list accounts, own *mapping) {
	ownName := ""
	if n, ok := own.get("name"); ok {
		ownName = pyStr(n)
	}
	def, named := list.find(defaultName), list.find(ownName)
	for i, a := range list {
		switch {
		case a.name == defaultName:
			cfg := a.cfg
			if own != nil {
				cfg = firstWins(own, cfg)
			}
			if named >= 0 {
				cfg = firstWins(cfg, list[named].cfg)
			}
			d.account(a.path, ownName, true, normalKeys(cfg))
		case def < 0 || i != named:
			d.account(a.path, a.name, false, normalKeys(a.cfg))
		}
	}
}

func (a accounts) find(name string) int {
	for i := range a {
		if name != "" && a[i].name == name {
			return i
		}
	}
	return -1
}

// normalKeys takes lock-passwd for lock_passwd, as cloud-init does. The later of two spellings stands.
func normalKeys(cfg *mapping) *mapping {
	out := newMapping()
	for _, k := range cfg.keys {
		out.set(strings.TrimSpace(strings.ReplaceAll(k, "-", "_")), cfg.values[k])
	}
	return out
}

func (d *decoder) account(path, name string, isDefault bool, cfg *mapping) {
	u := User{Path: path, Name: name, Default: isDefault, Root: name == "root", LockPasswd: Unset, Locked: true}
	if v, ok := cfg.get("lock_passwd"); ok {
		u.Locked = pyTruth(v)
		u.LockPasswd = strconv.FormatBool(u.Locked)
	}
	switch keys := cfg.values["ssh_authorized_keys"].(type) {
	case string:
		u.Keys = 1
	case []any:
		u.Keys = len(keys)
	case *mapping:
		u.Keys = len(keys.keys)
	}
	u.ImportsKeys = pyTruth(cfg.values["ssh_import_id"]) || pyTruth(cfg.values["snapuser"])
	u.Sudo = pyTruth(cfg.values["sudo"]) || pyTruth(cfg.values["doas"])
	d.guest.Users = append(d.guest.Users, u)
	if u.Root && u.Keys > 0 {
		d.rootKey(path+".ssh_authorized_keys", "authorized-keys")
	}
	if u.Root && u.ImportsKeys {
		d.rootKey(path, "import-id")
	}
	if home := pyStr(cfg.values["homedir"]); u.Keys > 0 && strings.HasPrefix(home, "/") && pathpkg.Clean(home) == "/root" {
		d.rootKey(path+".homedir", "authorized-keys")
	}
	if u.Root && u.Default {
		d.rootKey(path, "default-user-is-root")
	}
	for _, key := range []string{"passwd", "hashed_passwd", "plain_text_passwd"} {
		v, ok := cfg.get(key)
		if !ok {
			continue
		}
		p := Password{Path: path + "." + key, User: name, Mechanism: key, Kind: KindText}
		switch value := pyStr(v); {
		case !pyTruth(v):
			p.Kind = KindEmpty
		case key != "plain_text_passwd":
			p.Kind = hashKind(value)
			if strings.HasPrefix(value, "!") && !u.Locked {
				// Not locked means unlocked by newer versions, which takes the mark away.
				p.Kind = KindHash
			}
		}
		p.Usable, p.Why = true, ""
		switch {
		case p.Kind == KindMarker:
			p.Usable, p.Why = false, "no password matches it"
		case u.Locked:
			p.Usable, p.Why = false, "the account is locked after it is set"
		}
		d.password(p)
	}
}
