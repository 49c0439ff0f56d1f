package cloudinit

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// plainText is text that every YAML reads as text without quotes, unless it is one of the words of YAML 1.1.
var plainText = regexp.MustCompile(`^[A-Za-z/](?:[A-Za-z0-9 _./@+=()-]|:[A-Za-z0-9/])*$`)

// emit writes values as YAML 1.1 that PyYAML reads back as the same values. It is ASCII only, since cloud-init
// garbles other characters in messages, and the same values always give the same bytes.
func emit(b *strings.Builder, v any, indent int) {
	pad := strings.Repeat(" ", indent)
	switch v := v.(type) {
	case *mapping:
		for _, k := range v.keys {
			b.WriteString(pad + inline(k) + ":")
			emitBelow(b, v.values[k], indent)
		}
	case []any:
		for _, item := range v {
			b.WriteString(pad + "-")
			emitItem(b, item, indent)
		}
	}
}

// emitBelow writes the value of a key.
func emitBelow(b *strings.Builder, v any, indent int) {
	if s, ok := v.(string); ok && isBlock(s) {
		emitBlock(b, s, indent+2)
		return
	}
	if nested(v) {
		b.WriteString("\n")
		if _, list := v.([]any); !list {
			indent += 2
		}
		emit(b, v, indent)
		return
	}
	b.WriteString(" " + inline(v) + "\n")
}

// emitItem writes an item of a list; the first key of a mapping stands on the line of its dash.
func emitItem(b *strings.Builder, v any, indent int) {
	switch {
	case nested(v):
		var item strings.Builder
		emit(&item, v, indent+2)
		b.WriteString(" " + strings.TrimLeft(item.String(), " "))
	default:
		if s, ok := v.(string); ok && isBlock(s) {
			emitBlock(b, s, indent+2)
			return
		}
		b.WriteString(" " + inline(v) + "\n")
	}
}

// nested tells a mapping or list that has something in it.
func nested(v any) bool {
	switch v := v.(type) {
	case *mapping:
		return len(v.keys) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// isBlock tells text that is best written as it is, line by line.
func isBlock(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	if !strings.Contains(body, "\n") || strings.HasSuffix(body, "\n") || body[0] == ' ' || body[0] == '\n' {
		return false
	}
	for _, r := range s {
		if r != '\n' && (r < 0x20 || r > 0x7e) {
			return false
		}
	}
	return true
}

func emitBlock(b *strings.Builder, s string, indent int) {
	body, ended := strings.CutSuffix(s, "\n")
	b.WriteString(" |")
	if !ended {
		b.WriteString("-")
	}
	b.WriteString("\n")
	for _, line := range strings.Split(body, "\n") {
		if line != "" {
			b.WriteString(strings.Repeat(" ", indent) + line)
		}
		b.WriteString("\n")
	}
}

func inline(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case scalar:
		return v.text
	case []byte:
		return `!!binary "` + base64.StdEncoding.EncodeToString(v) + `"`
	case string:
		if plainText.MatchString(v) && !strings.HasSuffix(v, " ") && !yamlBool.MatchString(v) && !strings.EqualFold(v, "null") {
			return v
		}
		return quote(v)
	case []any:
		return "[]"
	}
	return "{}"
}

// quote writes text in double quotes with the escapes of YAML.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r >= 0x20 && r <= 0x7e:
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
