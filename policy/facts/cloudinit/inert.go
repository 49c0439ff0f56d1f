package cloudinit

import (
	"path"
	"regexp"
	"strings"
)

// readers are commands that change nothing but by a redirection.
var readers = map[string]bool{
	"grep": true, "egrep": true, "fgrep": true, "zgrep": true, "cat": true, "head": true, "tail": true, "wc": true, "sort": true,
	"uniq": true, "cut": true, "tr": true, "test": true, "[": true, "[[": true, "stat": true, "ls": true, "echo": true, "printf": true,
	"true": true, "false": true, "logger": true, "diff": true, "cmp": true, "md5sum": true, "sha256sum": true, "getent": true,
	"id": true, "which": true, "type": true, "file": true, "readlink": true, "wall": true,
}

// attributes are commands that change neither the settings in a file nor whether it is read.
var attributes = map[string]bool{"chmod": true, "chown": true, "chgrp": true, "mkdir": true, "restorecon": true, "touch": true}

// inert lists the commands whose words do not matter: they read, write a notice, or change attributes only.
func (v *view) inert() map[int]bool {
	out := map[int]bool{}
	if !v.whole {
		return out
	}
	byPipeline := map[int]bool{}
	for _, c := range v.commands {
		if _, seen := byPipeline[c.pipeline]; !seen {
			byPipeline[c.pipeline] = true
		}
		byPipeline[c.pipeline] = byPipeline[c.pipeline] && v.quiet(v.vars.flat(c))
	}
	for i, c := range v.commands {
		if c.end > 0 && byPipeline[c.pipeline] {
			out[i] = true
		}
	}
	return out
}

// quiet tells one command that reads, or writes to where nothing is run or read from.
func (v *view) quiet(c simple) bool {
	for _, w := range c.words {
		if w.made && strings.ContainsAny(w.text, "(`") {
			return false
		}
	}
	for _, r := range c.redirects {
		if r.target.made && strings.ContainsAny(r.target.text, "(`") {
			return false
		}
		switch {
		case strings.HasPrefix(r.op, "<<"):
			if r.op != "<<<" && strings.ContainsAny(r.doc, "$`") {
				return false
			}
		case strings.HasPrefix(r.op, "<"), r.target.text == "/dev/null", r.op == ">&", r.target.text == "&1", r.target.text == "&2", r.target.text == "/dev/console":
		case !v.notice(r.target):
			return false
		}
	}
	words := called(c.words)
	if len(words) == 0 {
		return len(c.words) == 0 || assigns(c.words)
	}
	name := base(words)
	switch {
	case words[0].made:
		return false
	case readers[name], attributes[name]:
		return true
	case name == "sshd":
		return len(words) > 1 && regexp.MustCompile(`^-[tT]$`).MatchString(words[1].text) && len(words) == 2
	case name == "cp" && len(words) >= 3:
		from, to := words[len(words)-2].text, words[len(words)-1].text
		return copyOf.MatchString(strings.TrimPrefix(to, from)) && strings.HasPrefix(to, from)
	}
	return false
}

// copyOf is what a copy beside the file is called; one that ends in .conf would be read by sshd.
var copyOf = regexp.MustCompile(`^\.(?:bak|orig|old|save|dist|backup)[0-9.-]*$`)

// assigns tells words that give literal values only: these are filled in wherever they are used.
func assigns(words []word) bool {
	for _, w := range words {
		if !assignment.MatchString(w.text) || w.made {
			return false
		}
	}
	return true
}

var noticeFile = regexp.MustCompile(`^/(?:etc/(?:motd|issue|issue\.net)|var/log/[\w./-]+|[\w./-]+\.(?:txt|md|log|html))$`)

// notice tells a file for people that the script names once.
func (v *view) notice(w word) bool {
	if w.made || w.glob || !noticeFile.MatchString(w.text) || strings.Contains(w.text, "..") || len(v.commands) > maxItems {
		return false
	}
	named := 0
	for _, c := range v.commands {
		named += strings.Count(v.vars.show(c), path.Base(w.text))
	}
	return named == 1
}

// written gives the text that echo, printf or a here document writes, where it is literal.
func written(c simple) (string, bool) {
	words := called(c.words)
	name := base(words)
	switch name {
	case "cat", "tee":
		for _, r := range c.redirects {
			if strings.HasPrefix(r.op, "<<") {
				text := r.doc
				if r.op == "<<<" {
					text = r.target.text
				}
				return text, !strings.ContainsAny(text, "`") && !strings.Contains(text, "$(")
			}
		}
		return "", false
	case "echo", "printf":
	default:
		return "", false
	}
	var parts []string
	for i, w := range words[1:] {
		if w.made && strings.ContainsAny(w.text, "(`$") {
			return strings.Join(append(parts, w.text), " "), false
		}
		if name == "echo" && i == len(parts) && len(parts) == 0 && regexp.MustCompile(`^-[neE]+$`).MatchString(w.text) {
			continue
		}
		parts = append(parts, w.text)
	}
	if name == "printf" && len(parts) > 0 && strings.Contains(parts[0], "%") {
		if !regexp.MustCompile(`^(?:%s(?:\\n)?)+$`).MatchString(parts[0]) {
			return strings.Join(parts, " "), false
		}
		return unescaped(strings.Join(parts[1:], "\n")), true
	}
	return unescaped(strings.Join(parts, " ")), true
}

// unescaped undoes the escapes of printf and echo.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '\\' && i+1 < len(s) {
			text, n := escape(s[i:])
			b.WriteString(text)
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}
