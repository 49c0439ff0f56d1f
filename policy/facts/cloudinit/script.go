package cloudinit

import (
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

// What a text is run by, where it has no first line that says so.
const shell = "sh"

// pattern is one thing that a script may show. The words gate it, so that most texts cost a search only.
type pattern struct {
	words []string
	form  *regexp.Regexp
	what  string
}

const (
	wordStart = `(?:^|[\s;&|(){}'"/!` + "`" + `])`
	wordEnd   = `(?:$|[\s;&|(){}'"<>` + "`" + `])`
)

func command(what string, names string, words ...string) pattern {
	return pattern{words, regexp.MustCompile(wordStart + `(?:` + names + `)` + wordEnd), what}
}

func form(what, expr string, words ...string) pattern {
	return pattern{words, regexp.MustCompile(expr), what}
}

// touchPatterns look at the text in lower case, with quotes and backslashes within words taken away.
var touchPatterns = []pattern{
	command(TouchPassword, `chpasswd|chgpasswd|vipw|mkpasswd|newusers|pwunconv|saslpasswd2?|set-?password|grub2?-mkpasswd[a-z0-9-]*`, "passwd", "password", "vipw", "newusers", "pwunconv"),
	form(TouchPassword, wordStart+`usermod\s(?:[^\n;&|]*\s)?(?:-[a-z]*p\b|--password|--unlock|-u\s+[^0-9\s])`, "usermod"),
	form(TouchPassword, wordStart+`(?:useradd|adduser|luseradd)\s(?:[^\n;&|]*\s)?(?:-[a-z]*p\b|--password)`, "useradd", "adduser"),
	form(TouchPassword, `/etc/g?shadow|openssl\s+passwd|/etc/security/opasswd`, "shadow", "openssl", "opasswd"),
	form(TouchPassword, `(?:^|[\s"'{,])(?:chpasswd|plain_text_passwd|hashed_passwd)["']?\s*:`, "chpasswd", "_passwd"),
	form(TouchSSHD, `sshd_config|/etc/default/ssh\b|/etc/sysconfig/sshd|sshd?\.service\.d|sshd?\.socket|dropbear|authenticationmethods|trustedusercakeys|authorizedkeys(?:file|command)|permitemptypasswords`, "sshd_config", "/ssh", "sshd", "ssh.", "dropbear", "authenticationmethods", "trustedusercakeys", "authorizedkeys", "permitemptypasswords"),
	form(TouchSSHD, `passwordauthentication|permitrootlogin|kbdinteractiveauthentication|challengeresponseauthentication`, "passwordauthentication", "permitrootlogin", "kbdinteractive", "challengeresponse"),
	form(TouchSSHD, wordStart+`sshd\s+[^\n;&|]*-[fo]`, "sshd"),
	form(TouchSSHD, `(?:password-authentication|permit-root-login)\b`, "password-authentication", "permit-root-login"),
	form(TouchSSHD, `/etc/+ssh(?:/*(?:["'\s;&|)]|$)|/[^\s"';&|]*[*?\[{]|/+sshd?[^_\s]*)`, "/ssh"),
	form(TouchSSHD, `(?m)(?:^|[\s;&|])(?:rm|cp|mv|rsync|ln|mount|find|install|unlink)\s(?:[^\n;&|]*\s)?(?:/etc/?|/etc/[*?\[s{][*?\[{\]sh}]*/?|/)(?:\s+-|[\s;&|)]*$)`, "/"),
	form(TouchPassword, `/etc/+passwd\b|/etc/+(?:g?shad|passw|p)[a-z]*[*?\[{]|passwd/(?:root|user)-password|systemd-firstboot[^\n;&|]*--root-pass`, "/etc/", "-password", "firstboot"),
	form(TouchSSHD, `ssh_pwauth`, "ssh_pwauth"),
	form(TouchRootKeys, `ssh-import-id|\.ssh\S*\s+/root\b|/root/\.ssh|~root\b|\$\{?home\}?/\.ssh|~/\.ssh|disable_root`, ".ssh", "ssh-import-id", "~root", "disable_root"),
	form(TouchAccounts, wordStart+`(?:useradd|adduser|usermod|userdel|deluser|groupadd|groupmod|gpasswd|chage|chsh|luseradd|homectl)\s`, "user", "group", "gpasswd", "chage", "chsh", "homectl"),
	form(TouchAccounts, `/etc/passwd\b|/etc/group\b`, "/etc/passwd", "/etc/group"),
	form(TouchSudoers, `/etc/sudoers|visudo|/etc/doas`, "sudoers", "visudo", "doas"),
	form(TouchPAM, `/etc/pam\.d|pam-auth-update|authselect|authconfig|/etc/security/`, "pam", "auth", "/etc/security"),
	form(TouchCloudConfig, `/etc/cloud/|/var/lib/cloud(?:[/\s"';&|)]|$)|`+wordStart+`cloud-init\s+(?:clean|single|init|modules)`, "cloud"),
}

var (
	passwdCall = regexp.MustCompile(`(?m)(?:\b(getent)\b)?(?:^|[\s;&|(){}'"!` + "`" + `]|bin/)passwd((?:[ \t]+[^\s;&|<>"']+)*)(?:$|[\s;&|<>"')])`)
	lockOnly   = regexp.MustCompile(`^(?:[ \t]+(?:-l|--lock|-q|--quiet|[a-z0-9_$.{}-]+))+$`)
	usermodL   = regexp.MustCompile(`\busermod\s+(?:-l|--lock)\b`)
	authorised = regexp.MustCompile(`[^\s"'=]*authorized_keys`)
)

// analyse tells what a script shows that it touches, and why it may do more than it shows.
func analyse(content, interpreter string) (touches, opaque []string) {
	if !utf8.ValidString(content) || strings.IndexByte(content, 0) >= 0 {
		return []string{}, []string{OpaqueBinary}
	}
	var o []string
	if len(content) > maxScript {
		content, o = content[:maxScript], []string{OpaqueTooLarge}
	}
	if lang := language(content, interpreter); lang != shell {
		o = append(o, OpaqueInterpreter)
	}
	content = strings.ReplaceAll(content, "\\\n", "")
	v := view{opaque: map[string]bool{}}
	run := shellText(content)
	if run != "" {
		if v = look(run, 0); !v.whole {
			o = append(o, OpaqueObfuscated)
		}
	}
	skip := v.inert()
	bare := withoutComments(strings.ToLower(content))
	plain := unquoted(withoutComments(strings.ToLower(v.remaining(content, run, skip))))
	plain = strings.ReplaceAll(plain, "/etc/ssh/ssh_host_", "/etc/hostkeys/") // a host's keys bear on no login
	found := map[string]bool{}
	for _, p := range touchPatterns {
		if p.match(plain) {
			found[p.what] = true
		}
	}
	lockState(plain, found)
	keysState(plain, found)
	if v.rootFolder() {
		found[TouchRootKeys] = true
	}
	if rootAccount(plain) {
		found[TouchRootAccount] = true
	}
	if found[TouchSSHD] && run == content && v.onlyHardens(skip) {
		delete(found, TouchSSHD)
		found[TouchSSHDHarden] = true
	}
	if o = append(o, opacity(bare)...); len(o) > 0 {
		delete(v.opaque, OpaqueElsewhere) // which says less than what is known already
	}
	o = append(o, keysOf(v.opaque)...)
	return keysOf(found), union(o, nil)
}

func (p pattern) match(text string) bool {
	return containsAny(text, p.words...) && p.form.MatchString(text)
}

// lockState tells a call of passwd that only locks from all others.
func lockState(text string, found map[string]bool) {
	if strings.Contains(text, "usermod") && usermodL.MatchString(text) {
		found[TouchPasswordLock] = true
	}
	if !strings.Contains(text, "passwd") {
		return
	}
	for _, m := range passwdCall.FindAllStringSubmatch(text, -1) {
		args := m[2]
		switch {
		case m[1] != "":
			// getent passwd only looks
		case lockOnly.MatchString(args) && (strings.Contains(args, " -l") || strings.Contains(args, " --lock")):
			found[TouchPasswordLock] = true
		default:
			found[TouchPassword] = true
		}
	}
}

// keysState tells whose authorized keys are meant. Scripts run as root, so a path that names nobody is root's.
func keysState(text string, found map[string]bool) {
	if !strings.Contains(text, "authorized_keys") {
		return
	}
	for _, m := range authorised.FindAllString(text, -1) {
		if strings.Contains(m, "/home/") || strings.HasPrefix(m, "~") && !strings.HasPrefix(m, "~/") && !strings.HasPrefix(m, "~root") {
			found[TouchUserKeys] = true
		} else {
			found[TouchRootKeys] = true
		}
	}
}

var firstLine = regexp.MustCompile(`^\s*#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?`)

// language is shell for every shell that reads as one, else the interpreter's name.
func language(content, otherwise string) string {
	m := firstLine.FindStringSubmatch(content)
	if m == nil {
		return otherwise
	}
	name := m[1][strings.LastIndexByte(m[1], '/')+1:]
	if name == "env" {
		name = m[2]
	}
	switch name {
	case "sh", "bash", "dash", "ash", "ksh", "zsh":
		return shell
	}
	return name
}

var comment = regexp.MustCompile(`(?m)^[ \t]*#[^!\n][^\n]*$`)

// withoutComments takes whole lines of comment away. A comment behind code stays: it may be no comment.
func withoutComments(text string) string {
	if !strings.Contains(text, "#") {
		return text
	}
	return comment.ReplaceAllString(text, "")
}

var inWord = regexp.MustCompile(`([a-z0-9_/.~-])(?:""|''|\\|"|')([a-z0-9_/.-])`)

// unquoted joins words that quotes or backslashes split, as a shell does: ch""passwd, ch\passwd.
func unquoted(text string) string {
	switch {
	case !strings.ContainsAny(text, "\"'\\"):
		return text
	case !splitsWord(text):
		return text + "\n"
	}
	joined := inWord.ReplaceAllString(text, "$1$2")
	return text + "\n" + inWord.ReplaceAllString(joined, "$1$2")
}

// splitsWord spares most texts the regular expression: quotes stand around words, and not within them.
func splitsWord(text string) bool {
	for i := 1; i+1 < len(text); i++ {
		if c := text[i]; (c == '"' || c == '\'' || c == '\\') && inside(text[i-1]) &&
			(inside(text[i+1]) || text[i+1] == c && i+2 < len(text) && inside(text[i+2])) {
			return true
		}
	}
	return false
}

// inside tells a character that stands within a word of lower case.
func inside(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("_/.~-", c) >= 0
}

func keysOf(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// union gives both lists as one, sorted, each item once, never nil.
func union(a, b []string) []string {
	m := map[string]bool{}
	for _, s := range append(append([]string{}, a...), b...) {
		m[s] = true
	}
	return keysOf(m)
}
