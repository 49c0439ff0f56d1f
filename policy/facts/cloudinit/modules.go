package cloudinit

import (
	"path"
	"regexp"
	"strings"
)

// modules reads the modules that write a file of the user's naming, or run something that is not said to be a
// command. What else cloud-init's modules take names packages, hosts, disks and the like.
func (d *decoder) modules(cfg *mapping, where at) {
	d.aptKeys(cfg, where)
	d.logKeys(cfg, where)
	d.diskKeys(cfg, where)
	if conf, ok := below(cfg, "ntp", "config"); ok {
		d.moduleFile("ntp", where("ntp")+".config", str(conf, "confpath"), str(conf, "template"))
	}
	if wg, ok := below(cfg, "wireguard"); ok {
		for i, item := range items(wg.values["interfaces"]) {
			at := index(where("wireguard")+".interfaces", i)
			d.moduleFile("wireguard", at, str(item, "config_path"), str(item, "content"))
			for _, m := range hooks.FindAllStringSubmatch(str(item, "content"), -1) {
				d.text("wireguard", at+".content", m[1])
			}
		}
	}
	if seed, ok := below(cfg, "random_seed"); ok {
		d.moduleFile("random_seed", where("random_seed"), str(seed, "file"), str(seed, "data"))
	}
	if fan, ok := below(cfg, "fan"); ok {
		d.moduleFile("fan", where("fan"), str(fan, "config_path"), str(fan, "config"))
	}
	d.moduleFile("locale", where("locale_configfile"), str(cfg, "locale_configfile"), "")
	if dir := str(cfg, "yum_repo_dir"); dir != "" {
		d.moduleFile("yum_add_repo", where("yum_repo_dir"), dir+"/added.repo", "")
	}
	if snap, ok := below(cfg, "snap"); ok && pyTruth(snap.values["assertions"]) {
		d.add("snap", where("snap")+".assertions", "", nil, []string{OpaqueElsewhere}) // one may make a user
	}
	for i, item := range anyList(cfg.values["packages"]) {
		if name := deepText(item); strings.Contains(name, "://") || localPack.MatchString(name) || strings.HasPrefix(name, "/") {
			d.add("packages", index(where("packages"), i), "", nil, []string{OpaqueElsewhere})
		}
	}
}

// hooks are the commands of a wireguard interface.
var hooks = regexp.MustCompile(`(?mi)^\s*(?:Pre|Post)(?:Up|Down)\s*=\s*(.*)$`)

// below gives the mapping at a path of keys.
func below(cfg *mapping, keys ...string) (*mapping, bool) {
	for _, k := range keys {
		next, ok := cfg.values[k].(*mapping)
		if !ok {
			return nil, false
		}
		cfg = next
	}
	return cfg, true
}

func str(cfg *mapping, key string) string {
	v, ok := cfg.get(key)
	if !ok || v == nil {
		return ""
	}
	if s, ok := text(v); ok {
		return s
	}
	return pyStr(v)
}

func anyList(v any) []any {
	list, ok := v.([]any)
	if !ok && v != nil {
		list = []any{v}
	}
	return list[:min(len(list), maxItems)]
}

func items(v any) []*mapping {
	var out []*mapping
	for _, item := range anyList(v) {
		m, ok := item.(*mapping)
		if !ok {
			m = newMapping()
		}
		out = append(out, m)
	}
	return out
}

// deepText is all text below a value, a line each.
func deepText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case *mapping:
		var b strings.Builder
		for _, k := range v.keys {
			b.WriteString(deepText(v.values[k]) + "\n")
		}
		return b.String()
	case []any:
		var b strings.Builder
		for _, item := range v {
			b.WriteString(deepText(item) + "\n")
		}
		return b.String()
	}
	if s, ok := text(v); ok {
		return s
	}
	return pyStr(v)
}

func (d *decoder) add(origin, at, file string, touches, opaque []string) {
	d.guest.Scripts = append(d.guest.Scripts, Script{
		Path: at, Origin: origin, File: file, Touches: union(touches, nil), Opaque: union(opaque, nil),
	})
}

// text adds what a module hands to a shell.
func (d *decoder) text(origin, at, content string) {
	if strings.TrimSpace(content) != "" {
		touches, opaque := d.analyse(content)
		d.add(origin, at, "", touches, opaque)
	}
}

// quietText adds text that is data to what reads it, where it bears on something.
func (d *decoder) quietText(origin, at, content string) {
	touches, _ := d.analyse("cat <<'END'\n" + content + "\nEND\n")
	if len(touches) > 0 {
		d.add(origin, at, "", touches, nil)
	}
}

// moduleFile judges a file that a module writes as one of write_files.
func (d *decoder) moduleFile(origin, at, name, content string) {
	if name == "" {
		return
	}
	name = real(path.Clean("/" + name))
	touches := touchedByPath(name)
	switch {
	case isSSHDConfig(name):
		d.sshd(at, name, content)
		touches = append(touches, TouchSSHD)
	case isCloudConfig(name):
		d.unread(at, "configuration for cloud-init that a module writes")
		return
	case runPaths.MatchString(name) || shebang.MatchString(content):
		t, o := d.analyse(content)
		d.add(origin, at, name, append(touches, t...), append(o, OpaqueElsewhere))
		return
	}
	if len(touches) > 0 {
		d.add(origin, at, name, touches, nil)
	}
}
