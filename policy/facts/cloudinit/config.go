package cloudinit

import (
	"regexp"
	"strconv"
	"strings"
)

// at gives the place of a top-level key of a configuration.
type at func(key string) string

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// finish turns the merged cloud-config into facts.
func (d *decoder) finish() {
	where := func(key string) string {
		if p, ok := d.origin[key]; ok {
			return p + "." + key
		}
		return root + "." + key
	}
	s := d.evaluate(d.config, where, 0)
	d.guest.SSHPasswordAuth, d.guest.DisableRoot, d.guest.DisableRootOpts = s.SSHPasswordAuth, s.DisableRoot, s.DisableRootOpts
	if _, ok := d.config.get("ssh_pwauth"); ok {
		d.guest.SSHPasswordAuthPath = where("ssh_pwauth")
	}
	if _, ok := d.config.get("disable_root"); ok {
		d.guest.DisableRootPath = where("disable_root")
	}
	d.guest.DefaultUser = s.defaultUser
}

type settings struct {
	Nested
	defaultUser string
}

// evaluate gives the facts of one configuration: the user data, or a file below /etc/cloud (depth > 0).
func (d *decoder) evaluate(cfg *mapping, where at, depth int) settings {
	s := settings{Nested: Nested{SSHPasswordAuth: AuthUnset, DisableRoot: Unset, DisableRootOpts: Unset}}
	s.defaultUser = d.users(cfg, where)
	runs := d.passwords(cfg, where, s.defaultUser)
	if v, ok := cfg.get("ssh_pwauth"); ok {
		s.SSHPasswordAuth = passwordAuth(v)
	}
	if !runs && s.SSHPasswordAuth != AuthUnset {
		s.SSHPasswordAuth = AuthInvalid
	}
	if v, ok := cfg.get("disable_root"); ok {
		s.DisableRoot = strconv.FormatBool(option(v))
	}
	if v, ok := cfg.get("disable_root_opts"); ok {
		if s.DisableRootOpts = rootOptions(pyStr(v)); s.DisableRootOpts == OptsPermit {
			d.rootKey(where("disable_root_opts"), "disable-root-opts")
		}
	}
	for _, key := range []string{"cloud_init_modules", "cloud_config_modules", "cloud_final_modules"} {
		if _, ok := cfg.get(key); ok {
			d.unread(where(key), "replaces cloud-init's list of modules, so those that turn password logins off may not run")
		}
	}
	d.files(cfg, where, depth)
	d.commands(cfg, where)
	d.modules(cfg, where)
	if _, ok := cfg.get("datasource"); ok && depth > 0 {
		d.unread(where("datasource"), "names a source of user data for the next start, which is not followed")
	}
	return s
}

func (d *decoder) rootKey(path, kind string) {
	d.guest.RootKeys = append(d.guest.RootKeys, Place{path, kind})
}

// passwordAuth reads ssh_pwauth as the module set_passwords does.
func passwordAuth(v any) string {
	s, isText := v.(string)
	switch {
	case isTrue(v):
		return AuthEnabled
	case isFalse(v):
		return AuthDisabled
	case v == nil:
		return AuthUnset
	case isText && strings.EqualFold(s, "unchanged"):
		return AuthUnchanged
	}
	return AuthInvalid
}

var forcedCommand = regexp.MustCompile(`(?:^|,)\s*command="((?:[^"\\]|\\.)*)"`)

// rootOptions tells whether the options put before root's keys end the session. Only a command made of words
// that cannot give a shell is known to.
func rootOptions(opts string) string {
	m := forcedCommand.FindStringSubmatch(opts)
	if m == nil || strings.ContainsAny(m[1], "&|`<>") || strings.Contains(strings.ReplaceAll(strings.ReplaceAll(m[1], "$USER", ""), "$DISABLE_USER", ""), "$") {
		return OptsPermit
	}
	for _, piece := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ';' || r == '\n' }) {
		word, _, _ := strings.Cut(strings.TrimSpace(piece), " ")
		switch word[strings.LastIndexByte(word, '/')+1:] {
		case "", "echo", "printf", "sleep", "exit", "false", "true", "nologin":
		default:
			return OptsPermit
		}
	}
	return OptsBlock
}

// commands reads every module that runs commands of the user data.
func (d *decoder) commands(cfg *mapping, where at) {
	for _, key := range []string{"bootcmd", "runcmd"} {
		if v, ok := cfg.get(key); ok && v != nil {
			d.shellList(key, where(key), v)
		}
	}
	if snap, ok := cfg.values["snap"].(*mapping); ok {
		if v, ok := snap.get("commands"); ok && v != nil {
			d.shellList("snap", where("snap")+".commands", v)
		}
	}
	if wg, ok := cfg.values["wireguard"].(*mapping); ok {
		if v, ok := wg.get("readinessprobe"); ok && v != nil {
			d.shellList("wireguard", where("wireguard")+".readinessprobe", v)
		}
	}
	if seed, ok := cfg.values["random_seed"].(*mapping); ok {
		if list, ok := seed.values["command"].([]any); ok {
			d.shellList("random_seed", where("random_seed")+".command", []any{list})
		}
	}
	if power, ok := cfg.values["power_state"].(*mapping); ok {
		switch c := power.values["condition"].(type) {
		case string, []any:
			d.shellList("power_state", where("power_state")+".condition", []any{c})
		}
	}
	for _, key := range []string{"ansible", "chef", "puppet", "salt_minion", "mcollective", "landscape"} {
		if v, ok := cfg.get(key); ok && v != nil {
			d.guest.Scripts = append(d.guest.Scripts, Script{Path: where(key), Origin: key, Touches: []string{}, Opaque: []string{OpaqueFetched}})
		}
	}
	if v, ok := cfg.values["autoinstall"].(*mapping); ok {
		d.unread(where("autoinstall"), "an autoinstall configuration, which is not followed")
		if id, ok := v.values["identity"].(*mapping); ok {
			if _, ok := id.get("password"); ok {
				d.password(Password{Path: where("autoinstall") + ".identity.password", Mechanism: "autoinstall", Kind: KindHash, Usable: true})
			}
		}
	}
}

// shellList reads a list of commands, each text for the shell or a list of words. What only shows when the
// commands are read together is reported for the list.
func (d *decoder) shellList(origin, path string, v any) {
	var items []any
	switch v := v.(type) {
	case []any:
		items = v
	case *mapping: // snap takes a mapping; its values run in the order of its keys
		for _, k := range v.keys {
			items = append(items, v.values[k])
		}
	case string:
		items = []any{v}
	default:
		d.unread(path, "neither a list of commands nor text")
		return
	}
	var all strings.Builder
	seen := map[string]bool{}
	for i, item := range d.limited(items, path) {
		line := ""
		switch item := item.(type) {
		case nil:
			continue
		case string:
			line = item
		case []any:
			line = joinWords(item)
		default:
			d.unread(index(path, i), "neither text nor a list of words")
			continue
		}
		all.WriteString(line + "\n")
		touches, opaque := d.analyse(line)
		d.guest.Scripts = append(d.guest.Scripts, Script{Path: index(path, i), Origin: origin, Touches: touches, Opaque: opaque})
		for _, f := range append(append([]string{}, touches...), opaque...) {
			seen[f] = true
		}
	}
	touches, opaque := d.analyse(all.String())
	for _, f := range append(append([]string{}, touches...), opaque...) {
		if !seen[f] {
			d.guest.Scripts = append(d.guest.Scripts, Script{Path: path, Origin: origin, Touches: touches, Opaque: opaque})
			return
		}
	}
}

// joinWords gives a list of words as shell text, with quotes where a word has more in it than a word.
func joinWords(list []any) string {
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch s := pyStr(v); {
		case !strings.ContainsAny(s, " \t\n;&|<>(){}$`*?[\"'\\#"):
			b.WriteString(s)
		case strings.Contains(s, "'") && !strings.ContainsAny(s, "\"$`\\"):
			b.WriteString("\"" + s + "\"")
		default:
			b.WriteString("'" + strings.ReplaceAll(s, "'", `'\''`) + "'")
		}
	}
	return b.String()
}
