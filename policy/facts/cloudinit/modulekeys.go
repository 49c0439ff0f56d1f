package cloudinit

import (
	"path"
	"regexp"
	"strings"
)

var (
	aptHook   = regexp.MustCompile(`(?i)invoke|pre-install|autodetect|scripts|dir\s*(?:::|\{)|dpkg\s*(?:::|\{)|include`)
	aptPlain  = regexp.MustCompile(`(?i)dir\s*(?:::|\{)|autodetect|pre-install|include`)
	aptQuoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// aptKeys reads apt's own configuration, whose hooks are commands, and answers for debconf.
func (d *decoder) aptKeys(cfg *mapping, where at) {
	for _, key := range []string{"debconf_selections", "grub_dpkg", "grub-dpkg"} {
		if v, ok := cfg.get(key); ok {
			d.quietText("apt", where(key), deepText(v))
		}
	}
	apt, ok := below(cfg, "apt")
	if !ok {
		return
	}
	d.quietText("apt", where("apt")+".debconf_selections", deepText(apt.values["debconf_selections"]))
	conf := str(apt, "conf")
	for _, key := range []string{"proxy", "http_proxy", "https_proxy", "ftp_proxy"} {
		if v := str(apt, key); strings.ContainsAny(v, "\"\n;") {
			conf += "\n" + v // it ends its own setting and begins another
		}
	}
	if !aptHook.MatchString(conf) {
		return
	}
	at := where("apt") + ".conf"
	if aptPlain.MatchString(conf) {
		d.add("apt", at, "", nil, []string{OpaqueElsewhere})
	}
	for _, m := range aptQuoted.FindAllStringSubmatch(conf, -1) {
		d.text("apt", at, m[1])
	}
}

var (
	logRuns   = regexp.MustCompile(`(?im)omprog|binary\s*=|mmexternal|improg|^\s*\S+\s+\^|\$include|include\(`)
	logOutput = regexp.MustCompile(`^\s*\|`)
)

// logKeys reads where cloud-init's own output goes, and the configuration of rsyslog.
func (d *decoder) logKeys(cfg *mapping, where at) {
	for i, line := range strings.Split(deepText(cfg.values["output"]), "\n") {
		switch {
		case logOutput.MatchString(line):
			d.text("output", index(where("output"), i), "cat /run/cloud-init.out "+line)
		case strings.TrimSpace(line) != "":
			d.moduleFile("output", where("output"), strings.Trim(line, "> \t&12"), "")
		}
	}
	v := cfg.values["rsyslog"]
	log, ok := v.(*mapping)
	if !ok {
		log = newMapping()
		log.set("configs", v)
		log.set("config_dir", cfg.values["rsyslog_dir"])
		log.set("config_filename", cfg.values["rsyslog_filename"])
	}
	at, dir, name := where("rsyslog"), str(log, "config_dir"), str(log, "config_filename")
	if dir == "" {
		dir = "/etc/rsyslog.d"
	}
	for i, item := range items(log.values["configs"]) {
		own := str(item, "filename")
		if own == "" {
			own = name
		}
		if !path.IsAbs(own) {
			own = path.Join(dir, own)
		}
		d.moduleFile("rsyslog", index(at+".configs", i), own, str(item, "content"))
	}
	if all := deepText(log.values["configs"]); logRuns.MatchString(all) {
		d.add("rsyslog", at+".configs", "", nil, []string{OpaqueElsewhere})
	}
	if reload := log.values["service_reload_command"]; reload != nil && pyStr(reload) != "auto" {
		if list, ok := reload.([]any); ok {
			reload = joinWords(list)
		}
		d.text("rsyslog", at+".service_reload_command", pyStr(reload))
	}
}

// diskKeys reads what is mounted, made or written over by the modules for disks.
func (d *decoder) diskKeys(cfg *mapping, where at) {
	for i, item := range anyList(cfg.values["mounts"]) {
		fields := anyList(item)
		if len(fields) < 2 {
			continue
		}
		at := index(where("mounts"), i)
		for _, f := range fields {
			if strings.ContainsAny(pyStr(f), " \t\n") {
				d.unread(at, "a field of a mount with white space in it, which makes it another mount")
			}
		}
		if touches := covered(pyStr(fields[1])); len(touches) > 0 {
			d.add("mounts", at, "", touches, nil)
		}
	}
	if swap, ok := below(cfg, "swap"); ok {
		d.moduleFile("swap", where("swap")+".filename", str(swap, "filename"), "")
	}
	for i, item := range items(cfg.values["fs_setup"]) {
		cmd := item.values["cmd"]
		if list, ok := cmd.([]any); ok {
			cmd = joinWords(list)
		}
		if cmd != nil {
			d.text("fs_setup", index(where("fs_setup"), i)+".cmd", pyStr(cmd))
		}
	}
}

var overAll = regexp.MustCompile(`^/(?:$|etc$|usr(?:/(?:s?bin|lib|lib64|etc|share|local|local/s?bin))?$|s?bin$|lib(?:64)?$|lib/systemd|usr/lib/systemd|var$|var/lib$|run$|proc|sys)`)

// covered tells what a file system that is mounted over a folder may replace.
func covered(point string) []string {
	if !strings.HasPrefix(point, "/") {
		return nil
	}
	point = real(path.Clean(point))
	touches := touchedByPath(point)
	switch {
	case point == "/etc/ssh" || point == "/usr/etc/ssh" || overAll.MatchString(point):
		touches = append(touches, TouchSSHD)
	case point == "/root":
		touches = append(touches, TouchRootKeys)
	case runPaths.MatchString(point + "/"):
		touches = append(touches, TouchLoader)
	}
	return touches
}
