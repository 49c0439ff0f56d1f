package cloudinit

import (
	"strings"

	"golang.org/x/crypto/ssh"
)

// KeyOptions is what MergeKeys adds to user data.
type KeyOptions struct {
	// User is the account that gets the keys: a POSIX name that is not root.
	User string
	// AuthorizedKeys are OpenSSH public keys, one line each; Name of each is for messages.
	AuthorizedKeys []NamedKey
}

// NamedKey is one line of authorized_keys and what it is called in messages.
type NamedKey struct{ Name, Line string }

// MergeKeys adds an account with keys to user data (none, cloud-config, a script, a message or archive of these)
// as data and never as text: an account of that name gets the keys beside its own, another list of users gets the
// account behind it, and ssh_pwauth is false unless the user data says otherwise. The result is one cloud-config,
// or a MIME message with the scripts first and the cloud-config last; equal input gives equal bytes. A *Refusal
// tells what cannot be merged; it carries none of the data and no key.
func MergeKeys(userData []byte, opts KeyOptions) ([]byte, error) {
	if !userName.MatchString(opts.User) || opts.User == rootName || opts.User == defaultName {
		return nil, &Refusal{"user", "not the name of a POSIX account that may log in", "name an account of at most 32 of a-z, 0-9, _ and -"}
	}
	keys := []any{}
	for _, key := range opts.AuthorizedKeys {
		line := strings.TrimSpace(key.Line)
		if !ValidKey(line) {
			return nil, &Refusal{key.Name, "not one OpenSSH public key", "give the line of a .pub file"}
		}
		keys = append(keys, line)
	}
	d := newDecoder()
	d.userData(userData)
	if err := readable(d); err != nil {
		return nil, err
	}
	cfg := d.config.clone()
	cfg.remove("merge_how")
	cfg.remove("merge_type")
	if _, said := cfg.get("ssh_pwauth"); !said {
		cfg.set("ssh_pwauth", false)
	}
	if err := addUser(cfg, HardenOptions{User: opts.User}, keys); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("#cloud-config\n")
	emit(&b, cfg, 0)
	out := []byte(b.String())
	if len(d.code) > 0 {
		out = message(d.code, out)
	}
	for _, n := range Decode(out).Unread {
		return nil, &Refusal{n.Part, n.Reason, "remove it, or write it so that it can be read"}
	}
	return out, nil
}

// ValidKey tells whether text is one line of authorized_keys that sshd reads.
func ValidKey(line string) bool {
	line = strings.TrimSpace(line)
	_, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(line))
	return err == nil && len(rest) == 0 && !strings.ContainsAny(line, "\r\n\x00")
}

// addUser puts the account into the list of users, or its keys to the entry that is there.
func addUser(cfg *mapping, opts HardenOptions, keys []any) error {
	given, _ := cfg.get("users")
	users, isList := given.([]any)
	if given != nil && !isList {
		return &Refusal{"userdata.users", "not a list", "give users as a list of names and mappings"}
	}
	out := append([]any{}, users...)
	for i, user := range out {
		entry, isMapping := user.(*mapping)
		if name, isText := user.(string); isText && name == opts.User {
			out[i] = ownUser(opts, keys)
			cfg.set("users", out)
			return nil
		}
		if isMapping && entry.values["name"] == any(opts.User) {
			entry = entry.clone()
			appendTo(entry, "ssh_authorized_keys", keys)
			out[i] = entry
			cfg.set("users", out)
			return nil
		}
	}
	cfg.set("users", append(out, ownUser(opts, keys)))
	return nil
}
