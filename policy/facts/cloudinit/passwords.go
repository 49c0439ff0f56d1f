package cloudinit

import (
	"regexp"
	"strings"
)

func (d *decoder) password(p Password) { d.guest.Passwords = append(d.guest.Passwords, p) }

// hashKind tells a hash from a value that no password matches.
func hashKind(v string) string {
	switch strings.TrimLeft(v, "!*") {
	case "", "x", "NP", "LK":
		return KindMarker
	}
	if v[0] == '!' || v[0] == '*' {
		return KindMarker
	}
	return KindHash
}

// listedHash is how chpasswd.list tells a hash from text: all else is text, "!" and "*" too.
var listedHash = regexp.MustCompile(`^\$(?:1|2a|2y|5|6|y|gy|7)(?:\$.+){2}`)

// passwords reads what set_passwords sets, after users are made and locked. It tells whether the module gets as
// far as ssh_pwauth, which it applies last.
func (d *decoder) passwords(cfg *mapping, where at, defaultUser string) (runs bool) {
	runs = true
	used := false
	if v, ok := cfg.get("chpasswd"); ok {
		path := where("chpasswd")
		ch, isMapping := v.(*mapping)
		if list, isList := v.([]any); isList && len(list) == 0 {
			ch, isMapping = newMapping(), true
		}
		if !isMapping {
			d.unread(path, "chpasswd is no mapping: the module fails on it, and ssh_pwauth is not applied")
			return false
		}
		usersUsed, usersRun := d.chpasswdUsers(ch, path+".users")
		listUsed, listRun := d.chpasswdList(ch, path+".list")
		used, runs = usersUsed || listUsed, usersRun && listRun
		if !runs {
			d.unread(path, "an entry of chpasswd is malformed: the module fails on it, and ssh_pwauth is not applied")
		}
	}
	v, ok := cfg.get("password")
	if !ok {
		return runs
	}
	// A null is the text "None" to cloud-init.
	value := pyStr(v)
	p := Password{Path: where("password"), Mechanism: "password", Kind: listedKind(value), Usable: true}
	switch {
	case value == "":
		p.Usable, p.Why = false, "an empty value sets none"
	case used:
		p.Usable, p.Why = false, "chpasswd takes its place"
	case defaultUser == "dropped":
		p.Usable, p.Why = false, "there is no default user to set it for"
	}
	d.password(p)
	return runs
}

func listedKind(value string) string {
	switch {
	case value == "":
		return KindEmpty
	case value == "R" || value == "RANDOM":
		return KindRandom
	case listedHash.MatchString(value) && !strings.Contains(value, ":"):
		return KindHash
	}
	return KindText
}

func (d *decoder) chpasswdUsers(ch *mapping, path string) (used, runs bool) {
	v, ok := ch.get("users")
	if !ok || v == nil {
		return false, true
	}
	list, ok := v.([]any)
	if !ok {
		return true, false
	}
	runs = true
	for i, item := range d.limited(list, path) {
		used = true
		entry, ok := item.(*mapping)
		if !ok {
			runs = false
			continue
		}
		name, named := entry.get("name")
		value, given := entry.get("password")
		text := "RANDOM" // what cloud-init takes, literally, where nothing is given
		if given {
			text = pyStr(value)
		}
		p := Password{Path: index(path, i), User: pyStr(name), Mechanism: "chpasswd.users", Usable: true}
		kind, typed := entry.get("type")
		switch k := pyStr(kind); {
		case !typed || k == "hash":
			if p.Kind = hashKind(text); text == "" {
				p.Kind = KindEmpty
			}
			if p.Kind == KindMarker {
				p.Usable, p.Why = false, "no password matches it"
			}
		case k == "text":
			if p.Kind = KindText; text == "" {
				p.Kind = KindEmpty
			}
		case k == "RANDOM":
			p.Kind = KindRandom
		default:
			p.Kind, p.Usable, p.Why = KindText, false, "its type is unknown, cloud-init leaves it out"
		}
		if !named {
			runs = false
			p.User = ""
		}
		d.password(p)
	}
	return used, runs
}

func (d *decoder) chpasswdList(ch *mapping, path string) (used, runs bool) {
	v, ok := ch.get("list")
	if !ok || !pyTruth(v) {
		return false, true
	}
	list, ok := v.([]any)
	if !ok {
		for _, l := range lines(pyStr(v)) {
			list = append(list, strings.TrimRight(l, "\r\n"))
		}
	}
	runs = true
	for i, item := range d.limited(list, path) {
		line, isText := item.(string)
		name, value, cut := strings.Cut(line, ":")
		if !isText || !cut {
			runs = false
			continue
		}
		d.password(Password{Path: index(path, i), User: name, Mechanism: "chpasswd.list", Kind: listedKind(value), Usable: true})
	}
	return true, runs
}

// limited gives as many entries as are read.
func (d *decoder) limited(list []any, path string) []any {
	if len(list) > maxItems {
		d.unread(path, tooMany)
		return list[:maxItems]
	}
	return list
}
