package cloudinit

import "strings"

// word is one word of a command with its quotes taken away. What the shell would fill in stays as it is written.
type word struct {
	text string
	made bool // holds $ or ` outside of single quotes
	glob bool // holds * ? [ or {,} outside of quotes
}

// redirect is one redirection; of a here document, doc is its text.
type redirect struct {
	op     string
	target word
	doc    string
}

// simple is one simple command of a script.
type simple struct {
	words      []word
	redirects  []redirect
	pipeline   int  // commands of one pipeline share it
	piped      bool // reads what the command before it writes
	start, end int  // where it stands in the text; both 0 for one inside of another
}

// lexer splits a script into simple commands. It follows the shell's quotes, here documents, substitutions and
// patterns of case; it knows nothing of what a command means.
type lexer struct {
	text    string
	pos     int
	out     []simple
	cur     simple
	open    bool // the current command has begun
	ahead   int  // bytes of here documents behind the next line's end
	inner   []string
	cases   int
	pattern bool // before the ) of a case
	failed  bool
}

// lex gives the commands in order, those of substitutions behind, and whether all of the text was followed.
func lex(text string, depth int) ([]simple, bool) {
	l := &lexer{text: text}
	for l.pos < len(l.text) && !l.failed {
		l.step()
	}
	l.finish(false)
	out, ok := l.out, !l.failed
	if depth > 8 {
		return out, false
	}
	for i, script := range l.inner {
		inner, fine := lex(script, depth+1)
		for _, c := range inner {
			c.start, c.end, c.pipeline = 0, 0, -1-i
			out = append(out, c)
		}
		ok = ok && fine
	}
	return out, ok
}

func (l *lexer) begin() {
	if !l.open {
		l.open, l.cur.start = true, l.pos
	}
}

// finish ends the current command; into tells that its output goes to the next.
func (l *lexer) finish(into bool) {
	pipeline := l.cur.pipeline
	if l.open {
		l.cur.end = l.pos
		l.out = append(l.out, l.cur)
	}
	l.open = false
	l.cur = simple{pipeline: pipeline, piped: into}
	if !into {
		l.cur.pipeline++
	}
}

func (l *lexer) first() string {
	if len(l.cur.words) == 0 {
		return ""
	}
	return l.cur.words[0].text
}

func (l *lexer) step() {
	switch c := l.text[l.pos]; c {
	case ' ', '\t', '\r':
		l.pos++
	case '\n':
		l.finish(false)
		l.pos++
		l.documents()
	case '#':
		for l.pos < len(l.text) && l.text[l.pos] != '\n' {
			l.pos++
		}
	case ';', '&', '|', '(', ')':
		l.operator(c)
	case '<', '>':
		if l.pos+1 < len(l.text) && l.text[l.pos+1] == '(' {
			l.addWord()
			return
		}
		l.redirect()
	default:
		l.addWord()
	}
}

func (l *lexer) operator(c byte) {
	test := l.first() == "[["
	switch {
	case c == '&' && l.pos+1 < len(l.text) && l.text[l.pos+1] == '>':
		l.pos++
		l.redirect()
	case test, l.pattern && c == '|':
		l.pos++
	case c == '|':
		two := strings.HasPrefix(l.text[l.pos:], "||")
		l.finish(!two)
		if l.pos++; two || strings.HasPrefix(l.text[l.pos:], "&") {
			l.pos++
		}
	case c == ';' && strings.HasPrefix(l.text[l.pos:], ";;"):
		l.finish(false)
		l.pos += 2
		l.pattern = l.cases > 0
	case c == '(' && strings.HasPrefix(l.text[l.pos:], "((") && len(l.cur.words) == 0:
		l.skipTo("))")
	case c == ')' && l.pattern:
		l.cur, l.open, l.pattern = simple{pipeline: l.cur.pipeline + 1}, false, false
		l.pos++
	default:
		if c == '(' && len(l.cur.words) == 1 && strings.HasPrefix(strings.TrimLeft(l.text[l.pos+1:], " "), ")") {
			l.cur, l.open = simple{pipeline: l.cur.pipeline}, false // the name of a function
		}
		l.finish(false)
		l.pos++
	}
}

func (l *lexer) skipTo(end string) {
	i := strings.Index(l.text[l.pos:], end)
	if i < 0 {
		l.failed = true
		return
	}
	l.pos += i + len(end)
}

func (l *lexer) redirect() {
	l.begin()
	i := l.pos
	for i < len(l.text) && strings.IndexByte("<>&|-", l.text[i]) >= 0 && i-l.pos < 3 {
		i++
	}
	r := redirect{op: l.text[l.pos:i]}
	if n := len(l.cur.words); n > 0 && strings.Trim(l.cur.words[n-1].text, "0123456789") == "" && l.pos > 0 && l.text[l.pos-1] >= '0' && l.text[l.pos-1] <= '9' {
		l.cur.words = l.cur.words[:n-1] // the number of a file
	}
	l.pos = i
	for l.pos < len(l.text) && (l.text[l.pos] == ' ' || l.text[l.pos] == '\t') {
		l.pos++
	}
	r.target = l.word()
	if strings.HasPrefix(r.op, "<<") && r.op != "<<<" {
		l.cur.redirects = append(l.cur.redirects, r)
		l.readDocument(&l.cur.redirects[len(l.cur.redirects)-1])
		return
	}
	l.cur.redirects = append(l.cur.redirects, r)
}

// readDocument takes the here document's text from the lines after this one.
func (l *lexer) readDocument(r *redirect) {
	r.doc = ""
	end := strings.IndexByte(l.text[l.pos:], '\n')
	if end < 0 {
		l.failed = true
		return
	}
	at := l.pos + end + 1 + l.ahead
	start := at
	for at < len(l.text) {
		line, _, _ := strings.Cut(l.text[at:], "\n")
		content := at
		at = min(at+len(line)+1, len(l.text))
		if strings.TrimLeft(line, "\t") == r.target.text {
			r.doc = l.text[start:content]
			l.ahead += at - start
			return
		}
	}
	r.doc = l.text[min(start, len(l.text)):]
	l.ahead += at - start
}

// documents skips the here documents that were read ahead.
func (l *lexer) documents() {
	l.pos, l.ahead = min(l.pos+l.ahead, len(l.text)), 0
}

func (l *lexer) addWord() {
	l.begin()
	w := l.word()
	n := len(l.cur.words)
	switch {
	case n == 0 && !w.made && reserved[w.text]:
		if w.text == "esac" {
			l.cases, l.pattern = max(l.cases-1, 0), false
		}
		l.open = len(l.cur.redirects) > 0
		return
	case w.text == "in" && l.first() == "case":
		l.cases++
		l.pattern = true
		l.cur, l.open = simple{pipeline: l.cur.pipeline + 1}, false
		return
	}
	l.cur.words = append(l.cur.words, w)
}

var reserved = map[string]bool{
	"if": true, "then": true, "else": true, "elif": true, "fi": true, "do": true, "done": true, "while": true,
	"until": true, "!": true, "{": true, "}": true, "time": true, "esac": true,
}
