package cloudinit

import (
	"path"
	"regexp"
	"strings"
)

// variables are those whose every value in a script is literal text.
type variables map[string][]string

// maxValue bounds what is filled in, since a script may name it often.
const maxValue = 256

var assignment = regexp.MustCompile(`(?s)^([A-Za-z_][A-Za-z0-9_]*)(\+?)=(.*)$`)

// literals gathers assignments and the lists of for. A variable with a value that is not literal is left out.
func literals(list []simple) variables {
	vars, made := variables{}, map[string]bool{}
	for _, c := range list {
		if len(c.words) > 2 && c.words[0].text == "for" && c.words[2].text == "in" {
			for _, w := range c.words[3:] {
				vars.add(made, c.words[1].text, w, "")
			}
			continue
		}
		for i, w := range c.words {
			m := assignment.FindStringSubmatch(w.text)
			if m == nil {
				if i == 0 && declares[w.text] {
					continue
				}
				if i == 0 || !declares[c.words[0].text] {
					break
				}
				continue
			}
			vars.add(made, m[1], word{text: m[3], made: w.made, glob: w.glob}, m[2])
		}
		for i, w := range c.words {
			if i > 0 && c.words[0].text == "read" || i == 2 && c.words[0].text == "printf" && c.words[1].text == "-v" {
				made[w.text] = true
			}
		}
	}
	for name := range made {
		delete(vars, name)
	}
	return vars
}

var declares = map[string]bool{"export": true, "local": true, "readonly": true, "declare": true, "typeset": true, "env": true}

func (v variables) add(made map[string]bool, name string, w word, plus string) {
	if w.made || w.glob || plus != "" || len(v[name]) > 8 || len(w.text) > maxValue || strings.ContainsAny(w.text, "$`") {
		made[name] = true
	}
	v[name] = append(v[name], w.text)
}

var filledIn = regexp.MustCompile(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})`)

// fill puts the values of variables into a word: one word for each value. Where that makes more than 8, or values
// name variables, the word stays as it is.
func (v variables) fill(w word) []word {
	if !w.made {
		return []word{w}
	}
	out := []word{w}
	for _, name := range filledIn.FindAllString(w.text, -1) {
		values := v[strings.Trim(name, "${}")]
		if len(values) == 0 {
			continue
		}
		if len(out)*len(values) > 8 {
			return []word{w}
		}
		var next []word
		for _, have := range out {
			for _, value := range values {
				filled := have
				filled.text = strings.Replace(have.text, name, value, 1)
				filled.made = strings.ContainsAny(filled.text, "$`")
				next = append(next, filled)
			}
		}
		out = next
	}
	return out
}

// flat fills what has one value only.
func (v variables) flat(c simple) simple {
	words := make([]word, 0, len(c.words))
	for _, w := range c.words {
		if w.made && strings.Trim(w.text, "${}") != w.text && !strings.ContainsAny(w.text, " =/") && len(v[strings.Trim(w.text, "${}")]) == 1 {
			for _, part := range strings.Fields(v.fill(w)[0].text) { // the shell splits it
				words = append(words, word{text: part})
			}
			continue
		}
		words = append(words, v.fill(w)[0])
	}
	c.words = words
	redirects := append([]redirect{}, c.redirects...)
	for i := range redirects {
		redirects[i].target = v.fill(redirects[i].target)[0]
	}
	c.redirects = redirects
	return c
}

// show writes a command without its quotes, with variables filled in.
func (v variables) show(c simple) string {
	var b strings.Builder
	for _, w := range c.words {
		for _, filled := range v.fill(w) {
			b.WriteString(filled.text + " ")
		}
	}
	for _, r := range c.redirects {
		b.WriteString(r.op + " " + v.fill(r.target)[0].text + " ")
	}
	return b.String()
}

// carriers run the command that follows their own options.
var carriers = map[string]string{ // the options that take a word
	"sudo": "ugpCDhRTr", "doas": "uC", "env": "uCS", "command": "", "builtin": "", "exec": "a", "nohup": "", "nice": "n", "ionice": "cnp",
	"timeout": "sk", "setsid": "", "stdbuf": "ioe", "xargs": "IinLPsdEa", "busybox": "", "time": "fo", "systemd-run": "pu", "chroot": "", "flock": "wE",
	"unshare": "", "nsenter": "tSG", "runuser": "ug", "cloud-init-per": "", "chrt": "", "taskset": "",
}

// operands that a carrier takes before the command.
var operands = map[string]int{"timeout": 1, "chroot": 1, "flock": 1, "cloud-init-per": 2, "chrt": 1, "taskset": 1}

// called gives the words from the command's own name on, behind assignments and what only carries it.
func called(words []word) []word {
	for len(words) > 0 {
		name := words[0].text
		if assignment.MatchString(name) {
			words = words[1:]
			continue
		}
		takes, carries := carriers[path.Base(name)]
		if !carries {
			return words
		}
		rest := words[1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
			option := rest[0].text
			rest = rest[1:]
			if len(option) == 2 && strings.Contains(takes, option[1:]) && len(rest) > 0 {
				rest = rest[1:]
			}
		}
		for range operands[path.Base(name)] {
			if len(rest) > 0 {
				rest = rest[1:]
			}
		}
		words = rest
	}
	return words
}

// base is the name of a command without its folder.
func base(words []word) string {
	if len(words) == 0 {
		return ""
	}
	return path.Base(words[0].text)
}

var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "ash": true, "ksh": true, "zsh": true, "su": true, "trap": true}

// scriptWord gives the text that a shell is told to run by -c.
func scriptWord(words []word) (word, bool) {
	if !shells[base(words)] {
		return word{}, false
	}
	if base(words) == "trap" && len(words) > 1 {
		return words[1], true
	}
	for i, w := range words[:len(words)-1] {
		if strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.HasSuffix(w.text, "c") || w.text == "--command" {
			return words[i+1], true
		}
	}
	return word{}, false
}
