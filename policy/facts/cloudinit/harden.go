package cloudinit

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/crypto/ssh"
)

// HardenOptions is what the machine's own specification adds to the user data.
type HardenOptions struct {
	// User is the account that gets the keys and sudo without a password: a POSIX name, "default" for the
	// image's default user, or empty, then the keys go to the default user. Root is refused.
	User string
	// SSHAuthorizedKeys are OpenSSH public keys, one line each.
	SSHAuthorizedKeys []string
	// Packages are names of packages to install.
	Packages []string
	// FIPS asks for FIPS mode: fips-mode-setup on the RHEL family, "pro enable fips-updates" on Ubuntu (which
	// needs an attached Pro subscription), then one restart. On others nothing is done but a line on the
	// console. Whether it took effect shows in the guest only (/proc/sys/crypto/fips_enabled).
	FIPS bool
}

// Refusal tells why user data cannot be hardened. It never carries any of the data.
type Refusal struct {
	Part   string // where: "userdata[part 2]", or the option's name
	Reason string
	Remedy string
}

// Error names part, reason and remedy.
func (r *Refusal) Error() string {
	return fmt.Sprintf("user data cannot be hardened: %s: %s; %s", r.Part, r.Reason, r.Remedy)
}

const remedyReadable = "give it as plain #cloud-config, as a shell script, or as a MIME message of these"

// Harden merges user data (none, cloud-config, a script, a message or archive of these) into the hardened
// cloud-config, so that hardening wins: password logins off, root's logins off, no password, every account
// locked (uds-api.md, "Hardened cloud-init"). Passwords and root's keys are left out without a word. What
// cannot be read is refused with a *Refusal. The result is one cloud-config, or a MIME message with the scripts
// first and the cloud-config last; equal input gives equal bytes. Scripts and written files are passed on
// unchanged: Decode of the result gives the facts by which they are judged.
func Harden(userData []byte, opts HardenOptions) ([]byte, error) {
	keys, err := validKeys(opts)
	if err != nil {
		return nil, err
	}
	d := newDecoder()
	d.userData(userData)
	if err := readable(d); err != nil {
		return nil, err
	}
	cfg, err := harden(d.config, opts, keys)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("#cloud-config\n")
	emit(&b, cfg, 0)
	out := []byte(b.String())
	if len(d.code) > 0 {
		out = message(d.code, out)
	}
	return out, proven(Decode(out))
}

// readable refuses what was not followed, and what cloud-init itself would leave out.
func readable(d *decoder) error {
	for _, n := range d.guest.Unread {
		return &Refusal{n.Part, n.Reason, remedyReadable}
	}
	for _, n := range d.guest.Ignored {
		if n.Reason != emptyDocument {
			return &Refusal{n.Part, n.Reason, "begin it with #cloud-config or #! as its very first characters, and give a part its content type"}
		}
	}
	for _, p := range d.code {
		if p.ctype == "text/cloud-boothook" {
			return &Refusal{p.path, "a boothook (#cloud-boothook), which runs before the hardening and on each boot", "use bootcmd or runcmd"}
		}
	}
	return nil
}

var userName = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`)

func validKeys(opts HardenOptions) ([]any, error) {
	if opts.User != "" && !userName.MatchString(opts.User) {
		return nil, &Refusal{"guest.user", "not a name of a POSIX account", "use at most 32 of a-z, 0-9, _ and -, beginning with a letter or _"}
	}
	if opts.User == rootName {
		return nil, &Refusal{"guest.user", "root does not log in", "name another account: it gets sudo"}
	}
	var out []any
	for i, key := range opts.SSHAuthorizedKeys {
		key = strings.TrimSpace(key)
		_, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(key))
		if err != nil || len(rest) > 0 || strings.ContainsAny(key, "\r\n\x00") {
			return nil, &Refusal{index("guest.sshAuthorizedKeys", i), "not one OpenSSH public key", "give the line of a .pub file"}
		}
		out = append(out, key)
	}
	return out, nil
}

const rootName = "root"

// Keys of a user, in cloud-init's spelling, that hardening decides.
var decidedForUsers = map[string]bool{
	"passwd": true, "hashed_passwd": true, "plain_text_passwd": true, "lock_passwd": true,
}

func harden(given *mapping, opts HardenOptions, keys []any) (*mapping, error) {
	out := newMapping()
	out.set("ssh_pwauth", false)
	out.set("disable_root", true)
	users, err := hardenUsers(given, opts, keys)
	if err != nil {
		return nil, err
	}
	if users != nil {
		out.set("users", users)
	}
	for _, k := range given.keys {
		v := given.values[k]
		switch k {
		case "password", "chpasswd", "ssh_pwauth", "disable_root", "disable_root_opts", "users", "merge_how", "merge_type":
		case "user":
			if v, err = hardenUser(v, "userdata.user"); err != nil {
				return nil, err
			}
			if v != nil {
				out.set(k, v)
			}
		case "system_info":
			if out.set(k, v); pyTruth(v) {
				if err := hardenSystem(out, v); err != nil {
					return nil, err
				}
			}
		default:
			if len(k) > 512 {
				return nil, &Refusal{root, "a key longer than YAML allows", "shorten it"}
			}
			out.set(k, v)
		}
	}
	if opts.User == "" && len(keys) > 0 {
		appendTo(out, "ssh_authorized_keys", keys)
	}
	if len(opts.Packages) > 0 {
		var list []any
		for _, p := range opts.Packages {
			list = append(list, p)
		}
		appendTo(out, "packages", list)
	}
	if opts.FIPS {
		return out, enableFIPS(out)
	}
	return out, nil
}

// appendTo adds what a list does not hold yet. One text counts as a list of one.
func appendTo(cfg *mapping, key string, add []any) {
	list, _ := cfg.values[key].([]any)
	if one, ok := cfg.values[key].(string); ok {
		list = []any{one}
	}
	out := append([]any{}, list...)
	for _, v := range add {
		there := false
		for _, have := range out {
			there = there || have == v
		}
		if !there {
			out = append(out, v)
		}
	}
	cfg.set(key, out)
}

func hardenSystem(out *mapping, v any) error {
	info, ok := v.(*mapping)
	if !ok {
		return &Refusal{"userdata.system_info", "not a mapping", "remove it"}
	}
	def, ok := info.get("default_user")
	if !ok || def == nil {
		return nil
	}
	user, err := hardenUser(def, "userdata.system_info.default_user")
	if err != nil {
		return err
	}
	info = info.clone()
	info.set("default_user", user)
	out.set("system_info", info)
	return nil
}

const fipsRestart = "/run/cato-fips-restart"

// fipsCommand enables FIPS mode by the distribution's own tool.
const fipsCommand = `if grep -qE '^ID(_LIKE)?=.*(rhel|fedora|centos)' /etc/os-release; then fips-mode-setup --enable
elif grep -qE '^ID=ubuntu' /etc/os-release; then pro enable fips-updates --assume-yes
else false; fi && touch ` + fipsRestart + ` || echo 'cato: FIPS mode was not enabled: this image has no tool for it that is known'
`

// enableFIPS puts the command before the user's own and restarts once. A power_state of the user's stands: then
// FIPS mode begins with the next start.
func enableFIPS(cfg *mapping) error {
	v, _ := cfg.get("runcmd")
	list, ok := v.([]any)
	if v != nil && !ok {
		return &Refusal{"userdata.runcmd", "not a list", "give a list of commands"}
	}
	if len(list) == 0 || list[0] != any(fipsCommand) {
		list = append([]any{fipsCommand}, list...)
	}
	cfg.set("runcmd", list)
	if _, ok := cfg.get("power_state"); !ok {
		p := newMapping()
		p.set("mode", "reboot")
		p.set("condition", "test -e "+fipsRestart)
		cfg.set("power_state", p)
	}
	return nil
}

var errNotHardened = errors.New("the hardened user data does not read back as hardened: this is a defect, please report it")

// proven reads the result as the guest will. Nothing leaves that does not read as hardened.
func proven(g Guest) error {
	for _, n := range g.Unread {
		return &Refusal{n.Part, n.Reason, "remove it, or write it so that it can be read"}
	}
	if g.SSHPasswordAuth != AuthDisabled || g.DisableRoot != True || g.DisableRootOpts != Unset || len(g.Ignored) > 0 {
		return errNotHardened
	}
	for _, u := range g.Users {
		if !u.Locked && !strings.Contains(u.Path, "write_files") {
			return errNotHardened
		}
	}
	for _, p := range g.Passwords {
		if !strings.Contains(p.Path, "write_files") {
			return errNotHardened
		}
	}
	return nil
}
