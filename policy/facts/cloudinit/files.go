package cloudinit

import (
	"encoding/base64"
	"errors"
	"path"
	"regexp"
	"strings"
)

// files reads write_files: where a file goes decides what it means.
func (d *decoder) files(cfg *mapping, where at, depth int) {
	v, ok := cfg.get("write_files")
	if !ok || v == nil {
		return
	}
	list, ok := v.([]any)
	if !ok {
		d.unread(where("write_files"), "not a list")
		return
	}
	commands := commandText(cfg)
	for i, item := range d.limited(list, where("write_files")) {
		at := index(where("write_files"), i)
		entry, ok := item.(*mapping)
		if !ok {
			d.unread(at, "not a mapping, on which cloud-init fails")
			continue
		}
		name, _ := text(entry.values["path"])
		if name == "" {
			continue // cloud-init leaves it out
		}
		if !path.IsAbs(name) {
			name = "/" + name // cloud-init runs in /
		}
		d.file(at, real(path.Clean(name)), entry, commands, depth)
	}
}

var processRoot = regexp.MustCompile(`^(?:/proc/[^/]+/(?:task/[^/]+/)?(?:root|cwd))+`)

// real undoes a detour by the root of a process.
func real(name string) string {
	if rest := processRoot.ReplaceAllString(name, ""); rest != name {
		return path.Clean("/" + rest)
	}
	return name
}

// commandText is all that bootcmd and runcmd say, to see which files they run.
func commandText(cfg *mapping) string {
	var b strings.Builder
	for _, key := range []string{"bootcmd", "runcmd"} {
		list, _ := cfg.values[key].([]any)
		for _, item := range list {
			if words, ok := item.([]any); ok {
				b.WriteString(joinWords(words) + "\n")
			} else {
				b.WriteString(pyStr(item) + "\n")
			}
		}
	}
	return b.String()[:min(b.Len(), maxScript)]
}

func (d *decoder) file(at, name string, entry *mapping, commands string, depth int) {
	if src, ok := entry.get("source"); ok && pyTruth(src) {
		d.guest.Scripts = append(d.guest.Scripts, Script{
			Path: at, Origin: "write_files", File: name, Touches: touchedByPath(name), Opaque: []string{OpaqueFetched},
		})
		return
	}
	content, err := d.fileContent(entry)
	switch {
	case err != nil:
		d.unread(at+".content", err.Error())
		return
	case isSSHDConfig(name):
		d.sshd(at, name, content)
		return
	case isCloudConfig(name):
		d.nested(at, name, content, depth)
		return
	}
	touches, opaque := touchedByPath(name), []string{}
	if runs(name, entry, content, commands) {
		t, o := d.analyse(content)
		touches, opaque = union(touches, t), o
	} else if len(touches) == 0 {
		return
	}
	for _, t := range touches {
		if t == TouchRootKeys && strings.HasPrefix(name, "/root/") {
			d.rootKey(at, "file")
		}
	}
	d.guest.Scripts = append(d.guest.Scripts, Script{Path: at, Origin: "write_files", File: name, Touches: touches, Opaque: opaque})
}

// fileContent undoes the encoding of an entry. Its errors never quote it.
func (d *decoder) fileContent(entry *mapping) (string, error) {
	v, there := entry.get("content")
	content, ok := text(v)
	if !ok && there && v != nil {
		content = pyStr(v)
	}
	encoding := ""
	if e, ok := entry.get("encoding"); ok && pyTruth(e) {
		encoding = strings.ToLower(strings.TrimSpace(pyStr(e)))
	}
	packed := encoding == "gz" || encoding == "gzip"
	switch encoding {
	case "b64", "base64", "gz+b64", "gz+base64", "gzip+b64", "gzip+base64":
		packed = strings.HasPrefix(encoding, "gz")
		plain, err := base64.StdEncoding.DecodeString(padded(content))
		if err != nil {
			return "", errors.New("the content is not base64, as its encoding says")
		}
		content = string(plain)
	}
	if packed {
		plain, err := d.unpack(content)
		if err != nil {
			return "", errors.New("the content does not unpack as gzip, as its encoding says, or unpacks to too much")
		}
		content = string(plain)
	}
	return content, nil
}

// padded leaves out what is not base64, as Python does.
func padded(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '+', r == '/', r == '=':
			return r
		}
		return -1
	}, s)
}

// nested reads configuration that cloud-init finds below /etc/cloud from the next start of a stage on.
func (d *decoder) nested(at, name, content string, depth int) {
	if depth >= maxNested {
		d.unread(at, "configuration nested too deeply")
		return
	}
	if strings.HasPrefix(content, "## template:") && strings.Contains(content, "{") {
		d.unread(at, "a jinja template, which is filled in at boot")
		return
	}
	v, err := d.yaml.load(content)
	if errors.Is(err, errEmpty) {
		return
	}
	cfg, ok := v.(*mapping)
	if err != nil || !ok {
		d.unread(at, "configuration for cloud-init that is malformed")
		return
	}
	s := d.evaluate(cfg, func(key string) string { return at + "." + key }, depth+1).Nested
	s.Path, s.File = at, name
	d.guest.Nested = append(d.guest.Nested, s)
}

func isCloudConfig(name string) bool {
	return name == "/etc/cloud/cloud.cfg" || path.Dir(name) == "/etc/cloud/cloud.cfg.d" && strings.HasSuffix(name, ".cfg")
}

var touchingPaths = []struct {
	form  *regexp.Regexp
	touch string
}{
	{regexp.MustCompile(`^/etc/g?shadow-?$|^/etc/security/opasswd$`), TouchPassword},
	{regexp.MustCompile(`^/etc/(passwd|group|subuid|subgid)-?$|^/etc/sysusers\.d/|^/usr/lib/sysusers\.d/|^/run/sysusers\.d/`), TouchAccounts},
	{regexp.MustCompile(`^/etc/(passwd|group)-?$|^/(etc|usr/lib|run)/sysusers\.d/`), TouchRootAccount},
	{regexp.MustCompile(`^/etc/ld\.so\.|^/(usr/)?lib(64)?/(.*/)?[^/]+\.so[.0-9]*$`), TouchLoader},
	{regexp.MustCompile(`^/(usr/)?lib(64)?/(.*/)?security/`), TouchPAM},
	{regexp.MustCompile(`^/root/(\.ssh(/|$)|\.shosts|\.rhosts)`), TouchRootKeys},
	{regexp.MustCompile(`^/home/[^/]+/\.ssh(/|$)`), TouchUserKeys},
	{regexp.MustCompile(`^/etc/sudoers(\.d/|$)|^/etc/doas`), TouchSudoers},
	{regexp.MustCompile(`^/etc/pam\.d/|^/etc/pam\.conf$|^/etc/security/|^/etc/nsswitch\.conf$|^/etc/sssd/`), TouchPAM},
	{regexp.MustCompile(`^/etc/default/ssh$|^/etc/sysconfig/sshd$|^/etc/systemd/system/(.*/)?sshd?([@.].*|$)|^/usr/s?bin/sshd$|^/etc/crypto-policies/back-ends/openssh`), TouchSSHD},
	{regexp.MustCompile(`^/(etc|var/lib|run)/cloud(/|$)|^/usr/lib/python[^/]*/.*/cloudinit/`), TouchCloudConfig},
}

// touchedByPath tells what a file at a path touches, whatever is in it.
func touchedByPath(name string) []string {
	out := []string{}
	for _, t := range touchingPaths {
		if t.form.MatchString(name) {
			out = append(out, t.touch)
		}
	}
	if other := path.Dir(name); (other == "/etc/ssh" || strings.HasPrefix(name, "/etc/ssh/") || strings.HasPrefix(name, "/usr/etc/ssh/")) && !harmlessSSH.MatchString(name) {
		out = append(out, TouchSSHD)
	}
	return union(out, nil)
}

// harmlessSSH are the client's settings, host keys and lists of hosts.
var harmlessSSH = regexp.MustCompile(`^(/usr)?/etc/ssh/(ssh_config(\.d/.*)?|ssh_host_.*|moduli|ssh_known_hosts2?)$`)

var (
	runPaths = regexp.MustCompile(`^/etc/(cron|profile|modprobe\.d/|kernel/|apt/apt\.conf|logrotate|dhcp/|dhclient|inittab|zsh|csh|fish/|kde|xdg/autostart/|ppp/|pm/|acpi/|letsencrypt/renewal-hooks/|initramfs-tools/|dracut|grub\.d/|default/|fstab$|dnf/|yum/|rsyslog|ssh/sshrc$|rc\.|init\.d/|systemd/|udev/|network/if-|NetworkManager/dispatcher|bash|update-motd|skel/|anacrontab|environment|ld\.so\.preload|X11/|tmpfiles\.d/)|^/(usr/)?lib/(?:systemd|tmpfiles\.d)/|^/run/tmpfiles\.d/|^/usr/local/s?bin/|^/usr/s?bin/|^/s?bin/|^/root/\.(bash|profile)|^/home/[^/]+/\.(bash|profile)|^/var/spool/cron|^/var/lib/cloud/scripts|^/run/systemd/`)
	shebang  = regexp.MustCompile(`^\s*#!`)
)

// runs tells whether a written file is code: by its first line, its mode, its place, or a command that names it.
func runs(name string, entry *mapping, content, commands string) bool {
	if shebang.MatchString(content) || runPaths.MatchString(name) || strings.HasPrefix(content, "\x7fELF") {
		return true
	}
	switch mode := entry.values["permissions"].(type) {
	case string:
		if strings.ContainsAny(lastDigits(mode), "1357") {
			return true
		}
	case int64:
		if mode&0o111 != 0 {
			return true
		}
	}
	base := path.Base(name)
	return strings.Contains(commands, name) || len(base) > 3 && strings.Contains(commands, base)
}

func lastDigits(mode string) string {
	if len(mode) > 3 {
		return mode[len(mode)-3:]
	}
	return mode
}
