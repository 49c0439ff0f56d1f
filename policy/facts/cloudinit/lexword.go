package cloudinit

import "strings"

// word reads one word up to white space or an operator outside of quotes.
func (l *lexer) word() word {
	var b strings.Builder
	var w word
	for l.pos < len(l.text) && !l.failed {
		c := l.text[l.pos]
		switch {
		case (c == '<' || c == '>') && b.Len() == 0 && strings.HasPrefix(l.text[l.pos+1:], "("):
			w.made = true
			b.WriteByte(c)
			l.pos++
			l.substitution(&b)
		case strings.IndexByte(" \t\r\n;&|<>", c) >= 0, c == ')':
			w.text = b.String()
			return w
		case c == '(':
			if s := b.String(); !strings.HasSuffix(s, "=") {
				w.text = s
				return w
			}
			w.made = true // a list as a variable's value
			l.substitution(&b)
		case c == '\'':
			l.quoted(&b, false)
		case c == '"':
			l.double(&b, &w)
		case c == '\\':
			if l.pos++; l.pos < len(l.text) {
				b.WriteByte(l.text[l.pos])
				l.pos++
			}
		case c == '$' && strings.HasPrefix(l.text[l.pos+1:], "'"):
			l.pos++
			l.quoted(&b, true)
		case c == '$' || c == '`':
			l.expansion(&b, &w)
		default:
			if strings.IndexByte("*?[", c) >= 0 || c == '{' && braces(l.text[l.pos:]) {
				w.glob = true
			}
			b.WriteByte(c)
			l.pos++
		}
	}
	w.text = b.String()
	return w
}

// braces tells a list in braces, which the shell makes several words of.
func braces(s string) bool {
	end := strings.IndexAny(s, "} \t\n;")
	return end > 0 && s[end] == '}' && (strings.Contains(s[:end], ",") || strings.Contains(s[:end], ".."))
}

func (l *lexer) quoted(b *strings.Builder, escapes bool) {
	l.pos++
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == '\'':
			l.pos++
			return
		case c == '\\' && escapes && l.pos+1 < len(l.text):
			text, n := escape(l.text[l.pos:])
			b.WriteString(text)
			l.pos += n
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
	l.failed = true
}

func (l *lexer) double(b *strings.Builder, w *word) {
	l.pos++
	for l.pos < len(l.text) && !l.failed {
		switch c := l.text[l.pos]; {
		case c == '"':
			l.pos++
			return
		case c == '\\' && l.pos+1 < len(l.text):
			next := l.text[l.pos+1]
			if strings.IndexByte("$`\"\\", next) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(next)
			l.pos += 2
		case c == '$' || c == '`':
			l.expansion(b, w)
		default:
			b.WriteByte(c)
			l.pos++
		}
	}
	l.failed = true
}

// expansion reads $name, ${...}, $(...) or `...` and keeps it as written.
func (l *lexer) expansion(b *strings.Builder, w *word) {
	rest := l.text[l.pos:]
	switch {
	case rest[0] == '`':
		end := strings.IndexByte(rest[1:], '`')
		if end < 0 {
			l.failed = true
			return
		}
		l.inner = append(l.inner, rest[1:end+1])
		b.WriteString(rest[:end+2])
		l.pos += end + 2
	case strings.HasPrefix(rest, "$("):
		b.WriteByte('$')
		l.pos++
		l.substitution(b)
	case strings.HasPrefix(rest, "${"):
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			l.failed = true
			return
		}
		b.WriteString(rest[:end+1])
		l.pos += end + 1
	default:
		n := 1
		for n < len(rest) && isName(rest[n]) {
			n++
		}
		if n == 1 && len(rest) > 1 && strings.IndexByte("@*#?!$-", rest[1]) >= 0 {
			n = 2
		}
		b.WriteString(rest[:n])
		l.pos += n
		if n == 1 {
			return // a dollar of its own
		}
	}
	w.made = true
}

func isName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// substitution reads a text in parentheses, which is a script of its own unless it is arithmetic.
func (l *lexer) substitution(b *strings.Builder) {
	depth, start := 0, l.pos
	for ; l.pos < len(l.text); l.pos++ {
		switch l.text[l.pos] {
		case '\\':
			l.pos++
		case '\'':
			if end := strings.IndexByte(l.text[l.pos+1:], '\''); end >= 0 {
				l.pos += end + 1
			}
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.pos++
				all := l.text[start:l.pos]
				b.WriteString(all)
				if !strings.HasPrefix(all, "((") {
					l.inner = append(l.inner, all[1:len(all)-1])
				}
				return
			}
		}
	}
	l.pos, l.failed = len(l.text), true
}

// escape reads one escape of $'...', printf or echo -e.
func escape(s string) (text string, length int) {
	switch s[1] {
	case 'n':
		return "\n", 2
	case 't':
		return "\t", 2
	case 'r':
		return "\r", 2
	case 'x', 'u', 'U', '0', '1', '2', '3', '4', '5', '6', '7':
		return coded(s)
	}
	return s[1:2], 2
}

// coded reads a character by its number.
func coded(s string) (text string, length int) {
	base, i := rune(8), 1
	if s[1] == 'x' || s[1] == 'u' || s[1] == 'U' {
		base, i = 16, 2
	}
	value, n := rune(0), 0
	for ; i < len(s) && n < 4; i, n = i+1, n+1 {
		digit := rune(strings.IndexByte("0123456789abcdef", s[i]|0x20))
		if s[i] <= '9' {
			digit = rune(s[i]) - '0'
		}
		if digit < 0 || digit >= base || base == 16 && s[1] == 'x' && n == 2 || base == 8 && n == 3 && s[1] != '0' {
			break
		}
		value = value*base + digit
	}
	return string(value), i
}
