package oscal

import (
	"regexp"
	"strings"
	"sync"
)

// secretShapes are texts that no evidence of ours has a reason to carry, compiled once.
var secretShapes = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"a private key":            regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY`),
		"a JSON web token":         regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.`),
		"a password hash":          regexp.MustCompile(`\$(1|2[aby]|5|6|y|gy|7)\$[./A-Za-z0-9$=,]{8,}`),
		"a cloud access key":       regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`),
		"a forge's token":          regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{30,}|glpat-[A-Za-z0-9_-]{20,})`),
		"an authorization header":  regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._=-]{20,}`),
		"credentials in a URL":     regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^/\s:@]+:[^/\s@]+@`),
		"user data":                regexp.MustCompile(`(?m)^\s*#cloud-config\b|^\s*chpasswd:`),
		"a password":               regexp.MustCompile(`(?i)\b(passwd|password|secret|token|api[_-]?key)\s*[:=]\s*["']?[^\s"'<,;]{4,}`),
		"a long run of base64":     regexp.MustCompile(`[A-Za-z0-9+/]{120,}={0,2}`),
		"a kubeconfig or key data": regexp.MustCompile(`\b(client-key-data|client-certificate-data)\b`),
	}
})

// secrets: the heuristics of a last net. The problem never repeats the text.
func (c *checker) secrets() {
	shapes := secretShapes()
	for _, n := range c.nodes {
		value, isText := n.value.(string)
		if !isText || n.key == "uuid" || strings.HasSuffix(n.key, "-uuid") {
			continue
		}
		for name, shape := range shapes {
			if shape.MatchString(value) {
				c.refuse(n.pointer, "holds what looks like %s; evidence carries a digest, a reference and a field path", name)
			}
		}
	}
}
