package cloudinit

import (
	"encoding/base64"
	"fmt"
	"io"
	"mime/quotedprintable"
	"regexp"
	"strconv"
	"strings"
)

// header is one field of a message, its name as written.
type header struct{ name, value string }

// part is one leaf of a message, or the whole user data where it is not a message.
type part struct {
	path    string
	ctype   string // lower case, without parameters
	headers []header
	payload string
	problem string // why the payload is not known, else ""
	archive bool   // from a #cloud-config-archive, which is not looked into again
}

// field gives the first header of exactly this name (cloud-init looks it up with its case).
func (p part) field(name string) string {
	for _, h := range p.headers {
		if h.name == name {
			return h.value
		}
	}
	return ""
}

var headerLine = regexp.MustCompile(`^(?:From |[\x21-\x39\x3b-\x7e]*:|[\t ])`)

// messageParts splits a MIME message as Python's email parser does, which forgives much more than net/mail:
// the first line that is no header begins the body. Containers without any part come back in empty.
func messageParts(path, raw string) (parts []part, empty []string, tooMany bool) {
	w := walker{}
	w.walk(path, lines(raw), 0)
	return w.parts, w.empty, w.tooMany
}

type walker struct {
	parts   []part
	empty   []string
	tooMany bool
}

func (w *walker) walk(path string, body []string, depth int) {
	headers, body := splitHeaders(body)
	ctype := contentType(value(headers, "content-type"))
	if !plainHeader(value(headers, "content-type")) {
		w.parts = append(w.parts, part{path: path, ctype: ctype, problem: "a content type that is too long, or not printable ASCII"})
		return
	}
	if !strings.HasPrefix(ctype, "multipart/") {
		if len(w.parts) >= maxParts {
			w.tooMany = true
			return
		}
		p := part{path: path, ctype: ctype, headers: headers}
		p.payload, p.problem = decodeTransfer(strings.Join(body, ""), value(headers, "content-transfer-encoding"))
		if strings.HasPrefix(ctype, "message/") {
			p.problem = "a message within the message"
		}
		w.parts = append(w.parts, p)
		return
	}
	boundary := parameter(value(headers, "content-type"), "boundary")
	chunks := splitParts(body, boundary)
	if len(chunks) == 0 {
		w.empty = append(w.empty, path)
		return
	}
	if depth >= maxNested {
		w.parts = append(w.parts, part{path: path, ctype: ctype, problem: "messages nested too deeply"})
		return
	}
	for i, chunk := range chunks {
		if w.tooMany {
			return
		}
		w.walk(path+"[part "+strconv.Itoa(i+1)+"]", chunk, depth+1)
	}
}

// lines splits at every newline that Python knows here and keeps them.
func lines(s string) []string {
	var out []string
	for s != "" {
		i := strings.IndexAny(s, "\r\n")
		switch {
		case i < 0:
			return append(out, s)
		case s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n':
			i++
		}
		out, s = append(out, s[:i+1]), s[i+1:]
	}
	return out
}

// maxHeader bounds a header that is folded over lines; a content type as long is refused.
const maxHeader = 8 << 10

func splitHeaders(in []string) ([]header, []string) {
	var out []header
	for i, line := range in {
		bare := strings.TrimRight(line, "\r\n")
		if !headerLine.MatchString(line) {
			if bare == "" {
				i++
			}
			return out, in[i:]
		}
		switch line[0] {
		case ' ', '\t':
			if len(out) > 0 && len(out[len(out)-1].value) < maxHeader {
				out[len(out)-1].value += " " + strings.TrimSpace(bare)
			}
		default:
			name, v, ok := strings.Cut(bare, ":")
			if ok && name != "" {
				out = append(out, header{name, strings.TrimSpace(v)})
			}
		}
	}
	return out, nil
}

// value gives the first header of a name in any case.
func value(headers []header, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h.name, name) {
			return h.value
		}
	}
	return ""
}

func contentType(v string) string {
	t, _, _ := strings.Cut(v, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	if strings.Count(t, "/") != 1 {
		return "text/plain"
	}
	return t
}

// parameter gives a parameter of a header: parts are split at semicolons outside of quotes, and quotes count
// only around the whole value.
func parameter(v, name string) string {
	for _, item := range splitUnquoted(v)[1:] {
		key, p, _ := strings.Cut(item, "=")
		if !strings.EqualFold(strings.TrimSpace(key), name) {
			continue
		}
		p = strings.TrimSpace(p)
		if len(p) >= 2 && p[0] == '"' && p[len(p)-1] == '"' {
			p = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(p[1 : len(p)-1])
		}
		return strings.TrimRight(p, " \t\r\n")
	}
	return ""
}

func splitUnquoted(v string) []string {
	var out []string
	quoted, start := false, 0
	for i := 0; i < len(v); i++ {
		switch {
		case v[i] == '"' && (i == 0 || v[i-1] != '\\'):
			quoted = !quoted
		case v[i] == ';' && !quoted:
			out, start = append(out, v[start:i]), i+1
		}
	}
	return append(out, v[start:])
}

// plainHeader tells that a header holds printable ASCII only, and not too much: others are read in more than
// one way.
func plainHeader(v string) bool {
	if len(v) >= maxHeader {
		return false
	}
	for _, r := range v {
		if r > 0x7e || r < 0x20 && r != '\t' {
			return false
		}
	}
	return true
}

// splitParts gives the lines of each part. Text before the first and after the closing boundary is dropped, a
// missing closing boundary is forgiven, and the newline before a boundary belongs to the boundary.
func splitParts(body []string, boundary string) [][]string {
	if boundary == "" {
		return nil
	}
	var out [][]string
	var current []string
	inside := false
	flush := func() {
		if !inside {
			return
		}
		if n := len(current); n > 0 {
			current[n-1] = strings.TrimRight(current[n-1], "\r\n")
		}
		out = append(out, current)
		current = nil
	}
	for _, line := range body {
		rest, ok := strings.CutPrefix(line, "--"+boundary)
		if ok {
			rest = strings.TrimRight(rest, "\r\n")
			tail, closing := strings.CutPrefix(rest, "--")
			if strings.Trim(tail, " \t") == "" {
				flush()
				if closing {
					if inside {
						return out
					}
					continue
				}
				inside = true
				continue
			}
		}
		if inside {
			current = append(current, line)
		}
	}
	flush()
	return out
}

// decodeTransfer undoes the content transfer encoding.
func decodeTransfer(body, encoding string) (string, string) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return lenientBase64(body), ""
	case "quoted-printable":
		b, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(body)))
		if err != nil {
			return "", "quoted-printable text that is malformed"
		}
		return string(b), ""
	case "x-uuencode", "uuencode", "uue", "x-uue":
		return "", "uuencoded, which is not followed"
	}
	return garbled(body)
}

// garbled does to an unencoded part what Python does to one with characters beyond ASCII: those beyond Latin-1
// become the text of an escape, and Latin-1 becomes bytes that are no UTF-8, on which the rest depends.
func garbled(body string) (string, string) {
	var b strings.Builder
	for _, r := range body {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r <= 0xff:
			return "", "characters beyond ASCII without a transfer encoding, which cloud-init garbles"
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String(), ""
}

// lenientBase64 leaves out what is not base64, as Python does, and decodes the rest.
func lenientBase64(s string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '+', r == '/':
			return r
		}
		return -1
	}, s)
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	b, err := base64.RawStdEncoding.DecodeString(clean)
	if err != nil {
		return ""
	}
	return string(b)
}
