package oscal

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// secretShape is a text that no evidence of ours has a reason to carry.
type secretShape struct {
	name string
	// hints are lower-case texts of which it holds at least one: looking for them first is what keeps the check of
	// a large document cheap.
	hints   []string
	pattern *regexp.Regexp
}

// secretShapes are compiled once.
var secretShapes = sync.OnceValue(func() []secretShape {
	shape := func(name, pattern string, hints ...string) secretShape {
		return secretShape{name, hints, regexp.MustCompile(pattern)}
	}
	return []secretShape{
		shape("a private key", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY`, "private key"),
		shape("a JSON web token", `\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.`, "eyj"),
		shape("a password hash", `\$(1|2[aby]|5|6|y|gy|7)\$[./A-Za-z0-9$=,]{8,}`, "$"),
		shape("a cloud access key", `\b(AKIA|ASIA)[A-Z0-9]{16}\b`, "akia", "asia"),
		shape("a forge's token", `\b(gh[pousr]_[A-Za-z0-9]{30,}|glpat-[A-Za-z0-9_-]{20,})`, "gh", "glpat"),
		shape("an authorization header", `(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._=-]{20,}`, "bearer", "basic"),
		shape("credentials in a URL", `[a-z][a-z0-9+.-]*://[^/\s:@]+:[^/\s@]+@`, "://"),
		shape("user data", `(?m)^\s*#cloud-config\b|^\s*chpasswd:`, "cloud-config", "chpasswd"),
		shape("a password", `(?i)\b(passwd|password|secret|token|api[_-]?key)\s*[:=]\s*["']?[^\s"'<,;]{4,}`, "passw", "secret", "token", "key"),
		shape("kubeconfig data", `\b(client-key-data|client-certificate-data)\b`, "client-"),
	}
})

// secrets: the heuristics of a last net. The problem never repeats the text.
func (c *checker) secrets() {
	const longest = 120 // no text of ours holds as many characters of base64 in one run
	for _, n := range c.nodes {
		value, isText := n.value.(string)
		if !isText || len(value) < 8 || n.key == "uuid" || n.key == "ns" || strings.HasSuffix(n.key, "-uuid") {
			continue
		}
		lower := strings.ToLower(value)
		for _, shape := range secretShapes() {
			hinted := slices.ContainsFunc(shape.hints, func(hint string) bool { return strings.Contains(lower, hint) })
			if hinted && shape.pattern.MatchString(value) {
				c.refuse(n.pointer, "holds what looks like %s; evidence carries a digest, a reference and a field path", shape.name)
			}
		}
		if len(value) >= longest && longestRun(value) >= longest {
			c.refuse(n.pointer, "holds what looks like a long run of base64; evidence carries a digest, a reference and a field path")
		}
	}
}

// longestRun is the length of the longest run of characters of base64.
func longestRun(text string) int {
	run, most := 0, 0
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' {
			run++
			most = max(most, run)
		} else {
			run = 0
		}
	}
	return most
}
