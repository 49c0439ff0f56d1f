package cloudinit

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Limits of one Decode. They are far beyond any real user data and keep the work of hostile data bounded.
const (
	maxInput  = 4 << 20 // bytes, also after decompression
	maxNodes  = 400_000 // YAML nodes after aliases are followed, over all parts
	maxDepth  = 200     // nesting of YAML
	maxParts  = 1_000   // parts of a message
	maxNested = 4       // messages in messages, configuration in configuration
	maxItems  = 1_000   // users, passwords, files or commands of one configuration
	maxScript = 256 << 10
	maxShell  = 1 << 20 // bytes of scripts, over all
)

var (
	errEmpty = errors.New("empty document")
	// PyYAML's implicit resolvers (YAML 1.1), which differ from those of the Go library.
	yamlBool  = regexp.MustCompile(`^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)
	yamlInt   = regexp.MustCompile(`^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	yamlFloat = regexp.MustCompile(`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
	yamlTime  = regexp.MustCompile(`^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$`)
)

// loader turns YAML into values as PyYAML's SafeLoader does, within a budget that all parts share.
type loader struct{ nodes int }

// load reads one document. An error tells why PyYAML refuses it, or why it is not followed here, and never
// quotes it.
func (l *loader) load(doc string) (any, error) {
	if err := refusedByPyYAML(doc); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(strings.NewReader(doc))
	var root yaml.Node
	if err := dec.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errEmpty
		}
		return nil, errors.New("malformed YAML" + place(err))
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, errors.New("more than one YAML document, which cloud-init drops")
	case !errors.Is(err, io.EOF):
		return nil, errors.New("malformed YAML" + place(err))
	}
	if len(root.Content) != 1 {
		return nil, errEmpty
	}
	if strings.ContainsRune(doc, '\t') {
		if err := strayTab(doc, &root); err != nil {
			return nil, err
		}
	}
	anchors := map[string]bool{}
	v, err := l.value(root.Content[0], 0, anchors, nil)
	if err == nil && v == nil {
		return nil, errEmpty
	}
	return v, err
}

var lineNumber = regexp.MustCompile(`line \d+`)

// place keeps the line number of the library's error and nothing else, since it may quote the document.
func place(err error) string {
	if at := lineNumber.FindString(err.Error()); at != "" {
		return " at " + at
	}
	return ""
}

// refusedByPyYAML finds characters at which PyYAML gives up and the Go library does not.
func refusedByPyYAML(doc string) error {
	if !utf8.ValidString(doc) {
		return errors.New("not UTF-8")
	}
	for _, r := range doc {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0x7e, r == 0x85, r >= 0xa0 && r <= 0xd7ff,
			r >= 0xe000 && r <= 0xfffd, r >= 0x10000:
		default:
			return fmt.Errorf("a control character (U+%04X), which YAML refuses", r)
		}
	}
	return nil
}

// strayTab finds a tab outside of quotes, block scalars and comments: PyYAML refuses the document. Tabs that
// are part of such text are counted there, so what remains is stray.
func strayTab(doc string, root *yaml.Node) error {
	escapes := strings.Count(doc, `\t`)
	inText := 0
	var count func(n *yaml.Node)
	count = func(n *yaml.Node) {
		inText += strings.Count(n.HeadComment+n.LineComment+n.FootComment, "\t")
		if n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			inText += strings.Count(n.Value, "\t")
		}
		for _, c := range n.Content {
			count(c)
		}
	}
	count(root)
	if strings.Count(doc, "\t") > inText-escapes {
		return errors.New("a tab outside of quotes, which YAML refuses")
	}
	return nil
}

func (l *loader) value(n *yaml.Node, depth int, anchors map[string]bool, open []*yaml.Node) (any, error) {
	l.nodes++
	switch {
	case l.nodes > maxNodes:
		return nil, errors.New("too many YAML nodes once its aliases are followed")
	case depth > maxDepth:
		return nil, errors.New("YAML nested too deeply")
	}
	if n.Anchor != "" && n.Kind != yaml.AliasNode && len(open) == 0 {
		// PyYAML refuses a second anchor of one name. Below an alias the anchors were counted already.
		if anchors[n.Anchor] {
			return nil, errors.New("an anchor defined twice, which YAML refuses")
		}
		anchors[n.Anchor] = true
	}
	switch n.Kind {
	case yaml.AliasNode:
		for _, o := range open {
			if o == n.Alias {
				return nil, errors.New("an alias within its own anchor")
			}
		}
		return l.value(n.Alias, depth+1, anchors, append(open, n.Alias))
	case yaml.ScalarNode:
		return resolve(n)
	case yaml.SequenceNode:
		if t := n.ShortTag(); t != "!!seq" && t != "!" {
			return nil, errors.New("a YAML tag that is not followed")
		}
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			v, err := l.value(c, depth+1, anchors, open)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		if t := n.ShortTag(); t != "!!map" && t != "!" {
			return nil, errors.New("a YAML tag that is not followed")
		}
		return l.mapping(n, depth, anchors, open)
	}
	return nil, errors.New("a YAML node that is not followed")
}

// mapping builds a dict: merged keys first, own keys over them, the last of equal keys stands.
func (l *loader) mapping(n *yaml.Node, depth int, anchors map[string]bool, open []*yaml.Node) (any, error) {
	m, own := newMapping(), newMapping()
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, c := n.Content[i], n.Content[i+1]
		v, err := l.value(c, depth+1, anchors, open)
		if err != nil {
			return nil, err
		}
		if k.Kind == yaml.ScalarNode && k.Value == "<<" && k.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.TaggedStyle) == 0 {
			if err := mergeKeys(m, v); err != nil {
				return nil, err
			}
			continue
		}
		key, err := l.value(k, depth+1, anchors, open)
		if err != nil {
			return nil, err
		}
		switch key.(type) {
		case []any, *mapping:
			return nil, errors.New("a list or mapping as a YAML key")
		}
		own.set(pyStr(key), v)
	}
	for _, k := range own.keys {
		m.set(k, own.values[k])
	}
	return m, nil
}

func mergeKeys(into *mapping, v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	// Of a list the first has the last word.
	for i := len(list) - 1; i >= 0; i-- {
		src, ok := list[i].(*mapping)
		if !ok {
			return errors.New("a YAML merge key without a mapping")
		}
		for _, k := range src.keys {
			into.set(k, src.values[k])
		}
	}
	return nil
}

// resolve gives a scalar its YAML 1.1 type.
func resolve(n *yaml.Node) (any, error) {
	s := n.Value
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	tag := ""
	if n.Style&yaml.TaggedStyle != 0 {
		if tag = n.ShortTag(); tag == "!" {
			tag = ""
		}
	}
	switch {
	case tag == "!!str", tag == "" && quoted:
		return s, nil
	case tag == "!!binary":
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
		if err != nil {
			return nil, errors.New("a !!binary value that is not base64")
		}
		return b, nil
	case tag == "!!bool" && yamlBool.MatchString(s), tag == "" && yamlBool.MatchString(s):
		switch strings.ToLower(s) {
		case "yes", "true", "on":
			return true, nil
		}
		return false, nil
	case tag == "!!null", tag == "" && (s == "" || s == "~" || s == "null" || s == "Null" || s == "NULL"):
		return nil, nil
	case tag == "!!int" && yamlInt.MatchString(s), tag == "" && yamlInt.MatchString(s):
		return integer(s), nil
	case tag == "!!float", tag == "!!timestamp", tag == "" && (yamlFloat.MatchString(s) || yamlTime.MatchString(s)):
		return scalar{s}, nil
	case tag == "" && (s == "=" || s == "<<"):
		return nil, errors.New("a YAML key where a value belongs, on which cloud-init drops the document")
	case tag == "":
		return s, nil
	}
	return nil, errors.New("a YAML tag that is not followed")
}

// integer reads the forms of YAML 1.1; what is beyond 64 bits is carried on as it is written.
func integer(s string) any {
	t := strings.ReplaceAll(s, "_", "")
	if strings.Contains(t, ":") {
		return scalar{s}
	}
	sign := ""
	if t != "" && (t[0] == '-' || t[0] == '+') {
		sign, t = strings.TrimPrefix(t[:1], "+"), t[1:]
	}
	base := 10
	switch {
	case strings.HasPrefix(t, "0b"):
		base, t = 2, t[2:]
	case strings.HasPrefix(t, "0x"):
		base, t = 16, t[2:]
	case len(t) > 1 && t[0] == '0':
		base, t = 8, t[1:]
	}
	i, err := strconv.ParseInt(sign+t, base, 64)
	if err != nil {
		return scalar{s}
	}
	return i
}
