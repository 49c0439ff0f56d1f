package cloudinit

import (
	"path"
	"regexp"
	"strings"
)

var guards = regexp.MustCompile(`(?i)passwordauthentication|kbdinteractiveauthentication|challengeresponseauthentication|permitrootlogin|permitemptypasswords`)

// onlyHardens tells whether each command that bears on sshd turns a login off and takes nothing away. Only forms
// that show it count: text written to sshd's files, and sed that puts such text there.
func (v *view) onlyHardens(skip map[int]bool) bool {
	if !v.whole {
		return false
	}
	proven := false
	for i, c := range v.commands {
		shown := strings.ToLower(v.vars.show(c))
		for _, r := range c.redirects {
			shown += strings.ToLower(r.doc)
		}
		if skip[i] && shown == strings.ToLower(v.vars.show(c)) || !bearsOnSSHD(shown) {
			continue
		}
		if !v.hardens(i) {
			return false
		}
		proven = true
	}
	return proven
}

func bearsOnSSHD(lower string) bool {
	for _, p := range touchPatterns {
		if p.what == TouchSSHD && p.match(lower) {
			return true
		}
	}
	return false
}

func (v *view) hardens(i int) bool {
	c := v.vars.flat(v.commands[i])
	words := called(c.words)
	switch base(words) {
	case "sed":
		return sedHardens(words[1:]) && len(c.redirects) == 0
	case "echo", "printf", "cat":
		text, ok := written(c)
		file, whole := target(c, nil)
		if file == "" && i+1 < len(v.commands) && v.commands[i+1].piped {
			next := v.vars.flat(v.commands[i+1])
			file, whole = target(next, called(next.words))
		}
		return ok && settingsHarden(text, file, whole)
	case "tee":
		text, ok := written(c)
		if c.piped && i > 0 {
			text, ok = written(v.vars.flat(v.commands[i-1]))
		}
		file, whole := target(c, words)
		return ok && settingsHarden(text, file, whole)
	}
	return false
}

// target gives the file that a command writes, and whether what was in it is gone.
func target(c simple, tee []word) (file string, whole bool) {
	for _, r := range c.redirects {
		if strings.HasPrefix(r.op, ">") && r.target.text != "/dev/null" {
			return r.target.text, r.op != ">>"
		}
	}
	if base(tee) != "tee" {
		return "", false
	}
	whole = true
	for _, w := range tee[1:] {
		switch {
		case w.text == "-a" || w.text == "--append":
			whole = false
		case file != "":
			return "", false
		default:
			file = w.text
		}
	}
	return file, whole
}

// settingsHarden tells text for sshd of which every line turns a login off, or bears on none. A file that may hold the
// hardening itself must not lose it.
func settingsHarden(text, file string, whole bool) bool {
	if !isSSHDConfig(file) {
		return false
	}
	found := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		keyword, value, ok := sshdLine(line)
		if !ok {
			continue
		}
		if alias, has := sshdAliases[keyword]; has {
			keyword = alias
		}
		effect, relevant := sshdEffect(keyword, value)
		if keyword == "match" || relevant && effect == effectWeakens || strings.Contains(keyword, "$") {
			return false
		}
		if effect == effectHardens || keyword == "permitrootlogin" {
			found[keyword] = true
		}
	}
	if name := path.Base(file); whole && (name == ownDropIn || name == "sshd_config") {
		return found["passwordauthentication"]
	}
	return len(found) > 0
}

var (
	sedAddress = regexp.MustCompile(`^(?:[0-9$]+(?:,[0-9$]+)?|/(?:[^/\\]|\\.)*/I?)?\s*`)
	sedText    = regexp.MustCompile(`^[aic]\\?\s*\n?\s*`)
	noLogin    = regexp.MustCompile(`(?i)^\s*(?:passwordauthentication|kbdinteractiveauthentication|challengeresponseauthentication|permitemptypasswords|permitrootlogin)[\s=]+(?:no|prohibit-password|without-password)\s*$`)
)

// sedHardens tells whether each command of sed puts text in place that turns a login off. Only the replacing half
// of s counts, and what deletes, comments out or moves lines does not harden.
func sedHardens(args []word) bool {
	scripts, plain := []string{}, ""
	for i := 0; i < len(args); i++ {
		switch a := args[i].text; {
		case args[i].made:
			return false
		case a == "-e" || a == "--expression":
			if i++; i < len(args) {
				scripts = append(scripts, args[i].text)
			}
		case strings.HasPrefix(a, "--expression="):
			scripts = append(scripts, strings.TrimPrefix(a, "--expression="))
		case strings.HasPrefix(a, "-i"), a == "-E", a == "-r", a == "-s", a == "-Ei", a == "-ri", strings.HasPrefix(a, "--in-place"):
		case strings.HasPrefix(a, "-"):
			return false
		case plain == "":
			plain = a
			if len(scripts) == 0 {
				scripts = append(scripts, a)
			}
		}
	}
	for _, s := range scripts {
		if !sedScript(s) {
			return false
		}
	}
	return len(scripts) > 0
}

func sedScript(s string) bool {
	s = strings.TrimSpace(s)
	for s != "" {
		s = s[len(sedAddress.FindString(s)):]
		if sedText.MatchString(s) {
			return noLogin.MatchString(s[len(sedText.FindString(s)):])
		}
		if len(s) < 4 || s[0] != 's' {
			return false
		}
		pattern, replacement, flags, ok := substitution(s)
		if !ok {
			return false
		}
		keyword := guards.FindAllString(pattern, -1)
		if len(keyword) == 1 {
			replacement = strings.NewReplacer(`\1`, keyword[0]).Replace(replacement)
		}
		if !noLogin.MatchString(replacement) {
			return false
		}
		flags, rest, more := strings.Cut(flags, ";")
		if !regexp.MustCompile(`^[gIi0-9]*\s*$`).MatchString(flags) {
			return false
		}
		if s = ""; more {
			s = strings.TrimSpace(rest)
		}
	}
	return true
}

// substitution takes s/pattern/replacement/flags apart, whatever stands for the slash.
func substitution(s string) (pattern, replacement, flags string, ok bool) {
	var halves []string
	start := 2
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[1]:
			halves = append(halves, s[start:i])
			if start = i + 1; len(halves) == 2 {
				return halves[0], halves[1], s[start:], true
			}
		}
	}
	return "", "", "", false
}
