package cloudinit

import (
	"path"
	"regexp"
	"strings"
)

// ownDropIn is the file in which newer versions of cloud-init write PasswordAuthentication.
const ownDropIn = "50-cloud-init.conf"

var sshdFile = regexp.MustCompile(`^(/usr)?/etc/ssh/(sshd_config|sshd_config\.d/[^/]+\.conf)$`)

func isSSHDConfig(name string) bool { return sshdFile.MatchString(name) }

// sshdAliases are keywords that mean another.
var sshdAliases = map[string]string{
	"challengeresponseauthentication": "kbdinteractiveauthentication",
	"skeyauthentication":              "kbdinteractiveauthentication",
	"dsaauthentication":               "pubkeyauthentication",
	"authorizedkeysfile2":             "authorizedkeysfile",
}

// sshd reads a file for sshd: one fact for each setting that bears on passwords or on root.
func (d *decoder) sshd(at, name, content string) {
	order := "main"
	if base := path.Base(name); base != "sshd_config" {
		if order = "after"; base < ownDropIn {
			order = "before"
		}
	}
	inMatch := false
	for _, line := range lines(content) {
		keyword, value, ok := sshdLine(line)
		if !ok {
			continue
		}
		if keyword == "match" {
			inMatch = value != "all"
			continue
		}
		if alias, ok := sshdAliases[keyword]; ok {
			keyword = alias
		}
		effect, relevant := sshdEffect(keyword, value)
		if !relevant {
			continue
		}
		if len(d.guest.SSHD) >= maxItems {
			d.unread(at, tooMany)
			return
		}
		d.guest.SSHD = append(d.guest.SSHD, SSHDSetting{
			Path: at, File: name, Keyword: keyword, Value: value, InMatch: inMatch, Effect: effect, Order: order,
		})
	}
}

// sshdLine splits a line into keyword and value, both in lower case. Sshd allows "=" and quotes.
func sshdLine(line string) (keyword, value string, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", false
	}
	i := strings.IndexAny(line, " \t=\"")
	if i < 0 {
		return "", "", false
	}
	value = strings.TrimLeft(line[i:], " \t")
	value = strings.TrimLeft(strings.TrimPrefix(value, "="), " \t")
	if before, _, found := strings.Cut(value, " #"); found {
		value = before
	}
	value = strings.Join(strings.Fields(strings.ReplaceAll(value, `"`, "")), " ")
	return strings.ToLower(line[:i]), strings.ToLower(value), true
}

// Effects of a setting.
const (
	effectWeakens = "weakens"
	effectHardens = "hardens"
	effectOther   = "other"
)

func sshdEffect(keyword, value string) (effect string, relevant bool) {
	switch keyword {
	case "passwordauthentication", "kbdinteractiveauthentication", "permitemptypasswords":
		if value == "no" {
			return effectHardens, true
		}
		return effectWeakens, true
	case "permitrootlogin":
		switch value {
		case "no":
			return effectHardens, true
		case "prohibit-password", "without-password", "forced-commands-only":
			return effectOther, true
		}
		return effectWeakens, true
	case "authenticationmethods":
		if strings.Contains(value, "password") || strings.Contains(value, "keyboard-interactive") {
			// A list that begins with publickey asks for the key as well.
			for _, method := range strings.Fields(value) {
				if !strings.HasPrefix(method, "publickey") {
					return effectWeakens, true
				}
			}
		}
		if value == "any" {
			return effectOther, true
		}
		return effectHardens, true
	case "authorizedkeysfile":
		if value == ".ssh/authorized_keys" || value == ".ssh/authorized_keys .ssh/authorized_keys2" || value == "%h/.ssh/authorized_keys" {
			return effectOther, true
		}
		return effectWeakens, true
	case "authorizedkeyscommand", "trustedusercakeys", "authorizedprincipalsfile", "authorizedprincipalscommand":
		if value == "none" {
			return effectOther, true
		}
		return effectWeakens, true
	case "include":
		if value == "/etc/ssh/sshd_config.d/*.conf" {
			return effectOther, true
		}
		return effectWeakens, true
	case "hostbasedauthentication":
		if value == "no" {
			return effectOther, true
		}
		return effectWeakens, true
	case "usepam", "pubkeyauthentication":
		return effectOther, true
	}
	return "", false
}
