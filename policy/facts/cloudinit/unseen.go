package cloudinit

import (
	"path"
	"regexp"
	"strings"
)

// view is a script as its commands, with those of texts that it gives to a shell behind.
type view struct {
	commands []simple
	vars     variables
	whole    bool // all of it was followed
	opaque   map[string]bool
	inner    int // texts given to a shell
}

// look reads a script's commands.
func look(text string, depth int) view {
	list, ok := lex(text, 0)
	v := view{commands: list, vars: literals(list), whole: ok, opaque: map[string]bool{}}
	for i := range list {
		v.command(v.vars.flat(list[i]), i, depth)
	}
	v.mounted()
	return v
}

// nested reads a text that a shell is given.
func (v *view) nested(text string, depth int) {
	if depth > 4 {
		v.opaque[OpaqueObfuscated] = true
		return
	}
	if v.inner++; v.inner > maxItems/10 {
		v.opaque[OpaqueObfuscated] = true
		return
	}
	for name, values := range v.vars {
		if len(values) == 1 && len(v.vars) < 100 {
			text = name + "='" + strings.ReplaceAll(values[0], "'", "") + "'\n" + text
		}
	}
	inner := look(text, depth+1)
	for what := range inner.opaque {
		v.opaque[what] = true
	}
	v.whole = v.whole && inner.whole
	for _, c := range inner.commands {
		c.start, c.end = 0, 0
		v.commands = append(v.commands, c)
	}
}

func (v *view) command(c simple, i, depth int) {
	words := called(c.words)
	if len(words) == 0 {
		return
	}
	name := base(words)
	if hidden(words[0]) {
		for _, w := range v.vars.fill(words[0]) {
			if hidden(w) {
				v.opaque[OpaqueObfuscated] = true
			}
		}
	}
	for j, w := range words {
		if w.text == "-exec" || w.text == "-execdir" || w.text == "-ok" {
			v.command(simple{words: words[j+1:]}, i, depth)
		}
	}
	if name == "alias" {
		for _, w := range words[1:] {
			if _, text, ok := strings.Cut(w.text, "="); ok {
				v.nested(text, depth)
			}
		}
	}
	if script, ok := scriptWord(words); ok {
		v.nested(script.text, depth)
		return
	}
	v.input(c, words, i, depth)
	if unpacks(words) || installs(words) {
		v.opaque[OpaqueElsewhere] = true
	}
}

// hidden tells a command's name that does not show: its last component is filled in or matched.
func hidden(w word) bool {
	if w.text == "$@" || w.text == "[" || w.text == "[[" {
		return false
	}
	if w.text == "{}" || strings.ContainsAny(w.text, " `") && w.made || strings.Contains(w.text, "$(") {
		return true
	}
	last := w.text[strings.LastIndexByte(w.text, '/')+1:]
	return w.made && strings.Contains(last, "$") || w.glob && strings.ContainsAny(last, "*?[{}")
}

var stdinShell = regexp.MustCompile(`^(?:sh|bash|dash|ash|ksh|zsh|at|batch|source|\.|debconf-set-selections|patch)$`)

var otherShell = regexp.MustCompile(`^(?:python[0-9.]*|perl|ruby|node|php)$`)

// input judges what an interpreter is given to read.
func (v *view) input(c simple, words []word, i, depth int) {
	name := base(words)
	if !stdinShell.MatchString(name) && !otherShell.MatchString(name) {
		return
	}
	file := ""
	for _, w := range words[1:] {
		if !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "+") && file == "" {
			file = w.text
		}
	}
	if strings.HasPrefix(file, "<(") {
		v.opaque[OpaqueElsewhere] = true
	}
	if name != "at" && name != "patch" && file != "" && !strings.HasPrefix(file, "/dev/") && !strings.HasPrefix(file, "/proc/") {
		return
	}
	if otherShell.MatchString(name) && (c.piped || len(c.redirects) > 0) {
		v.opaque[OpaqueInterpreter] = true
		return
	}
	for _, r := range c.redirects {
		switch {
		case r.op == "<<<":
			v.nested(r.target.text, depth)
			return
		case strings.HasPrefix(r.op, "<<"):
			v.nested(r.doc, depth)
			return
		case strings.HasPrefix(r.op, "<") && r.target.text != "/dev/null":
			v.opaque[OpaqueElsewhere] = true
		}
	}
	if c.piped {
		v.fromPipe(c, i, depth)
	}
}

// fromPipe follows what echo, printf or a here document writes into a shell; all else is not in sight.
func (v *view) fromPipe(c simple, i, depth int) {
	if i == 0 {
		v.opaque[OpaqueElsewhere] = true
		return
	}
	from := v.vars.flat(v.commands[i-1])
	text, ok := written(from)
	if !ok || from.piped || from.pipeline != c.pipeline {
		v.opaque[OpaqueElsewhere] = true
		return
	}
	v.nested(text, depth)
}

// unpacks tells an archive whose files may land anywhere.
func unpacks(words []word) bool {
	line := showWords(words)
	switch base(words) {
	case "tar", "bsdtar":
		if !extracts.MatchString(line) {
			return false
		}
		return !intoFolder.MatchString(line) || rootFolder.MatchString(line) || strings.Contains(line, "--absolute-names") || absolute.MatchString(line)
	case "unzip", "7z", "cpio", "unsquashfs", "rpm2cpio":
		if base(words) == "cpio" && !strings.Contains(line, "i") {
			return false
		}
		return !intoFolder.MatchString(line) || rootFolder.MatchString(line)
	}
	return false
}

var (
	extracts   = regexp.MustCompile(`^\S+\s+-?[A-Za-z]*x|\s-[A-Za-z]*x|--extract|--get`)
	absolute   = regexp.MustCompile(`\s-[A-Za-z]*P`)
	intoFolder = regexp.MustCompile(`(?:\s-[A-Za-z]*[CdDo]\s*|--directory[= ]|--one-top-level=)/`)
	rootFolder = regexp.MustCompile(`(?:\s-[A-Za-z]*[CdDo]\s*|--directory[= ])/+(?:\s|$|\.|etc|usr(?:/(?:s?bin|lib|local)?)?(?:/|\s|$)|root|home|s?bin|lib)`)
	localPack  = regexp.MustCompile(`\.(?:deb|rpm|apk)\b`)
)

// installs tells a package that is a file, whose scripts run as root.
func installs(words []word) bool {
	line := showWords(words)
	switch base(words) {
	case "dpkg", "rpm":
		return regexp.MustCompile(`\s(?:-[a-zA-Z]*[iUF]|--install|--unpack|--upgrade)`).MatchString(line) && !strings.Contains(line, " -q")
	case "apt", "apt-get", "dnf", "yum", "zypper", "apk", "microdnf":
		return localPack.MatchString(line)
	}
	return false
}

func showWords(words []word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.text + " ")
	}
	return b.String()
}

// mounted looks for what runs, or is copied, from a file system that the script mounts: its files are not in sight.
func (v *view) mounted() {
	var points []string
	for _, c := range v.commands {
		words := called(v.vars.flat(c).words)
		if base(words) == "mount" && len(words) > 2 && len(points) < 20 {
			points = append(points, words[len(words)-1].text)
			continue
		}
		for _, point := range points {
			if runsBelow(words, strings.TrimSuffix(point, "/")) {
				v.opaque[OpaqueElsewhere] = true
			}
		}
	}
}

func runsBelow(words []word, point string) bool {
	if len(words) == 0 {
		return false
	}
	below := func(w word) bool {
		return w.text == point || strings.HasPrefix(path.Clean(w.text), point+"/")
	}
	last := len(words) - 1
	switch name := base(words); {
	case below(words[0]):
		return true
	case name == "cd" || stdinShell.MatchString(name) || otherShell.MatchString(name):
	case name == "cp" || name == "mv" || name == "install" || name == "rsync" || name == "tar" || name == "ln" || name == "cat":
		if name != "tar" && name != "cat" {
			words = words[:last]
		}
	default:
		return false
	}
	for _, w := range words[1:] {
		if below(w) {
			return true
		}
	}
	return false
}
