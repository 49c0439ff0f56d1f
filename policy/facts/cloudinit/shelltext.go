package cloudinit

import (
	"regexp"
	"strings"
)

var (
	unitSection = regexp.MustCompile(`(?m)^\[[A-Za-z]+\]\s*$`)
	unitExec    = regexp.MustCompile(`(?m)^\s*Exec[A-Za-z]*\s*=\s*[-@:+!]*(.*)$`)
	cronLine    = regexp.MustCompile(`(?m)^[ \t]*(?:(?:[0-9*,/-]+[ \t]+){5}|@[a-z]+[ \t]+)(?:[a-z_][a-z0-9_-]*[ \t]+)?`)
	udevLine    = regexp.MustCompile(`(?m)^\s*[A-Z]+(?:\{[^}]*\})?\s*(?:==|!=|\+=)\s*"`)
)

// shellText gives what of a text a shell runs: commands of a unit or of cron's table, else the whole.
func shellText(content string) string {
	if !shebang.MatchString(content) && language(content, shell) == shell {
		switch {
		case strings.Contains(content, "[") && unitSection.MatchString(content):
			var b strings.Builder
			for _, m := range unitExec.FindAllStringSubmatch(content, -1) {
				b.WriteString(m[1] + "\n")
			}
			return b.String()
		case strings.Contains(content, "=") && udevLine.MatchString(content):
			return ""
		}
	}
	if language(content, shell) != shell {
		return ""
	}
	if !mayBeTable(content) {
		return content
	}
	return cronLine.ReplaceAllString(content, "")
}

// mayBeTable spares most texts the regular expression of a line of cron's table, which begins with a time.
func mayBeTable(content string) bool {
	for line := range strings.Lines(content) {
		if at := strings.TrimLeft(line, " \t"); at != "" && strings.IndexByte("0123456789*,/-@", at[0]) >= 0 {
			return true
		}
	}
	return false
}

// remaining is the text without commands that bear on nothing, and behind it every other command as the shell
// would run it: without quotes, and with literal variables filled in. Run is what of the text a shell runs.
func (v *view) remaining(content, run string, skip map[int]bool) string {
	var b strings.Builder
	if run == content {
		at := 0
		for i, c := range v.commands {
			if skip[i] && c.start >= at {
				b.WriteString(content[at:c.start] + " ")
				at = c.end
			}
		}
		b.WriteString(content[at:])
	} else {
		b.WriteString(content)
	}
	for i, c := range v.commands {
		if !skip[i] && b.Len() > 4*maxScript {
			v.opaque[OpaqueTooLarge] = true
			break
		}
		if !skip[i] {
			b.WriteString("\n" + v.vars.show(c))
		}
	}
	return b.String()
}

var (
	accountCall = regexp.MustCompile(`(?m)(?:^|[\s;&|(/'"])(?:useradd|adduser|usermod|luseradd|chsh)(\s[^\n;&|]*)`)
	rootOption  = regexp.MustCompile(`\s(?:-[a-z]*o\b|--non-unique|-[a-z]*u[\s=]*["']?(?:0+\b|[^\s0-9a-z_])|--uid[\s=]+["']?(?:0+\b|[^\s0-9])|-[a-z]*l\s+["']?root\b|--login|-[a-z]*[dm]\s+["']?/root|--home[a-z-]*[\s=]+["']?/root|.*\broot["']?\s*$)`)
	onlyLocks   = regexp.MustCompile(`^\s+(?:-l|--lock)\s+[a-z0-9_-]+\s*$`)
	otherTools  = regexp.MustCompile(`/etc/+passwd\b|\bhomectl\s|\bnewusers\b|\bvipw\b`)
)

// rootAccount tells a command that may make an account root's equal: its number, its home, or root itself.
func rootAccount(lower string) bool {
	if !containsAny(lower, "passwd", "homectl", "user", "vipw", "chsh") {
		return false
	}
	if otherTools.MatchString(lower) {
		return true
	}
	for _, m := range accountCall.FindAllStringSubmatch(lower, -1) {
		if rootOption.MatchString(m[1]) && !onlyLocks.MatchString(m[1]) {
			return true
		}
	}
	return false
}

// rootFolder tells keys that reach root's folder without its name beside theirs: by a folder entered before, or by
// one that is filled in.
func (v *view) rootFolder() bool {
	entered := ""
	for _, c := range v.commands {
		words := called(v.vars.flat(c).words)
		switch name := base(words); name {
		case "":
			continue
		case "cd", "pushd":
			entered = "~"
			if len(words) > 1 {
				entered = words[len(words)-1].text
			}
			continue
		case "cp", "mv", "rsync", "ln", "install":
			last := words[len(words)-1]
			if last.made && strings.Contains(showWords(words), ".ssh") && !strings.HasPrefix(last.text, "/home/") {
				return true
			}
		}
		if entered == "" || strings.HasPrefix(entered, "/home/") || strings.HasPrefix(entered, "~") && len(entered) > 2 && !strings.HasPrefix(entered, "~root") {
			continue
		}
		for _, w := range words[1:] {
			if strings.HasPrefix(strings.TrimPrefix(w.text, "./"), ".ssh") {
				return true
			}
		}
	}
	return false
}
