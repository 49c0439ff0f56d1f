package cloudinit

import (
	"regexp"
	"slices"
	"strings"
)

const interpreters = `(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+)?(?:/\S*/)?(?:sh|bash|dash|ash|ksh|zsh|python[0-9.]*|perl|ruby|node|php|source)`

// opaquePatterns look at the text in lower case, without whole-line comments.
var opaquePatterns = []pattern{
	form(OpaqueFetched, `\b(?:curl|wget|fetch|aria2c|axel|lynx|nc|ncat|socat|scp|sftp|rsync)\b[^\n;]*\|[^\n]*`+interpreters+wordEnd, "curl", "wget", "fetch", "aria2c", "axel", "lynx", "nc", "socat", "scp", "sftp", "rsync"),
	form(OpaqueFetched, `(?:<\(|\$\(|`+"`"+`)\s*(?:curl|wget|fetch|nc)\b`, "curl", "wget", "fetch", "nc"),
	form(OpaqueFetched, `/dev/tcp/|/dev/udp/`, "/dev/tcp", "/dev/udp"),
	form(OpaqueFetched, wordStart+`(?:git\s+clone|git\s+pull|ansible-pull|ansible-galaxy|svn\s+(?:co|checkout)|hg\s+clone|pip[0-9.]*\s+install|npm\s+(?:i|install|exec)|npx|gem\s+install|go\s+(?:install|run)|cargo\s+install|snap\s+install|flatpak\s+install|docker\s+(?:run|pull)|podman\s+(?:run|pull)|helm\s+(?:install|upgrade)|kubectl\s+apply|terraform\s+apply|chef-client|puppet\s+agent|salt-call|salt-minion)\b`, "git", "ansible", "svn", "hg", "pip", "npm", "npx", "gem", "go ", "cargo", "snap", "flatpak", "docker", "podman", "helm", "kubectl", "terraform", "chef", "puppet", "salt"),
	form(OpaqueFetched, wordStart+`(?:dnf|yum|rpm|zypper|apt|apt-get|dpkg|apk)\s[^\n;&|]*(?:https?|ftp)://`, "http://", "https://", "ftp://"),
	form(OpaqueEncoded, `\bbase(?:64|32)\s[^\n|;]*(?:-d|-di|--decode)\b|\bbase64\s+-d|openssl\s+(?:enc|base64|aes-?\S*)\b[^\n]*\s-d|\bxxd\s[^\n|;]*-r|\buudecode\b|\bb64decode\b|frombase64|\bgpg\s[^\n]*(?:-d|--decrypt)\b`, "base64", "base32", "openssl", "xxd", "uudecode", "b64decode", "gpg"),
	form(OpaqueEncoded, `(?:gunzip|gzip\s+-\S*d|zcat|bzcat|xzcat|unxz|xz\s+-\S*d)\b[^\n]*\|[^\n]*`+interpreters+wordEnd, "gunzip", "gzip", "zcat", "bzcat", "xz"),
	form(OpaqueEncoded, `(?:\\x[0-9a-f]{2}|\\[0-7]{3}|\\u[0-9a-f]{4}){2,}`, `\x`, `\0`, `\1`, `\u`),
	form(OpaqueEncoded, wordStart+`(?:tr\s+['"]?(?:a-z|a-za-z)[^\n]{0,40}\|[^\n]*`+interpreters+wordEnd+`|rev\b[^\n]*\|)`, "tr ", "rev"),
	form(OpaqueObfuscated, wordStart+`eval\s`, "eval"),
	form(OpaqueObfuscated, `\$\{?ifs\b`, "ifs"),
	form(OpaqueObfuscated, `\bexec\s*\(|\bcompile\s*\(|__import__`, "exec", "compile", "__import__"),
	form(OpaqueInterpreter, wordStart+`(?:python[0-9.]*|perl|ruby|node|php|awk)\s+-(?:c|e|r|ne|pe)\b`, "python", "perl", "ruby", "node", "php"),
	form(OpaqueObfuscated, `(?m)(?:^|[;&|(])\s*(?:sudo\s+)?[a-z]*\$\{[a-z_][a-z0-9_]*(?::[0-9]|//?[^}]*/)`, "${"),
	form(OpaqueObfuscated, `(?m)(?:^|[;&|(]\s*)\s*(?:sudo\s+)?(?:\$\{?[a-z_][a-z0-9_]*\}?|\$[a-z_0-9]+){2,}`, "$"),
	form(OpaqueObfuscated, `[a-z]\$(?:@|\*|\{[@*]\}|\(\))[a-z]`, "$"),
}

var (
	download = regexp.MustCompile(`\b(?:curl\b[^\n]*\s(?:-[a-z]*o\b|--output|--remote-name|>)|wget\b|aria2c\b|axel\b|scp\b|sftp\b|rsync\b|tftp\b|s3\s+cp\b|gsutil\s+cp\b|azcopy\b)`)
	discards = regexp.MustCompile(`(?:-o|--output|>|-[a-z]*o)\s*/dev/null|--spider`)
	executes = regexp.MustCompile(`\bchmod\s[^\n]*(?:\+[a-z]*x|[0-7]*[1357])|(?:^|[\s;&|])(?:` + interpreters + `|\.)\s+[^\s-]|\btar\s[^\n]*x|\bunzip\b|\bdpkg\s+-i|\brpm\s+-[a-z]*[iu]|\binstall\s+-|\bsystemctl\s+(?:start|enable|restart)|\bcp\s|\bmv\s|(?:^|[\s;&|])\./`)
)

// downloads is a search that spares most texts the regular expression of each line.
func downloads(text string) bool {
	return containsAny(text, "curl", "wget", "aria2c", "axel", "scp", "sftp", "rsync", "tftp", "s3", "gsutil", "azcopy")
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// opacity tells why a script may do more than it shows.
func opacity(text string) []string {
	var out []string
	joined := unquoted(text)
	for _, p := range opaquePatterns {
		if p.match(joined) {
			out = append(out, p.what)
		}
	}
	if !downloads(text) {
		return out
	}
	for _, line := range strings.Split(text, "\n") {
		if download.MatchString(line) && !discards.MatchString(line) && executes.MatchString(text) {
			out = append(out, OpaqueFetched)
			break
		}
	}
	return out
}

// analyse reads a script of the user data within the budget for all of them.
func (d *decoder) analyse(content string) (touches, opaque []string) {
	if d.shell += len(content); d.shell > maxShell {
		return []string{}, []string{OpaqueTooLarge}
	}
	return analyse(content, shell)
}

// script reads a script that is a part of the user data.
func (d *decoder) script(path, origin, file, content string) {
	touches, opaque := d.analyse(content)
	d.guest.Scripts = append(d.guest.Scripts, Script{Path: path, Origin: origin, File: file, Touches: touches, Opaque: opaque})
}
