package cloudinit

import (
	"errors"
	"regexp"
	"strings"
)

// merger is one of cloud-init's mergers (dict, list, str) with its options.
type merger struct {
	name    string
	options func(word string) bool
}

var mergerName = regexp.MustCompile(`^([a-zA-Z_][A-Za-z0-9_]*)\((.*?)\)$`)

// defaultMergers is what cloud-init takes for parts of user data: a later part replaces the keys of earlier ones.
func defaultMergers() []merger {
	return []merger{{"dict", words("replace")}, {"list", words()}, {"str", words()}}
}

func words(list ...string) func(string) bool {
	return func(w string) bool {
		for _, l := range list {
			if l == w {
				return true
			}
		}
		return false
	}
}

// parseMergers reads the text form: dict(replace)+list(append)+str().
func parseMergers(how string) ([]merger, error) {
	var out []merger
	for _, item := range strings.Split(how, "+") {
		item = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(item)), "-", "_")
		if item == "" {
			continue
		}
		m := mergerName.FindStringSubmatch(item)
		if m == nil {
			return nil, errors.New("a merge type that is not in the right format")
		}
		var opts []string
		for _, o := range strings.Split(m[2], ",") {
			opts = append(opts, strings.TrimSpace(o))
		}
		out = append(out, merger{m[1], words(opts...)})
	}
	return out, nil
}

// extractMergers takes the merge type out of a document, as cloud-init does.
func extractMergers(doc *mapping) ([]merger, error) {
	raw, _ := doc.get("merge_how")
	doc.remove("merge_how")
	if raw == nil {
		raw, _ = doc.get("merge_type")
		doc.remove("merge_type")
	}
	switch raw := raw.(type) {
	case nil:
		return nil, nil
	case string:
		return parseMergers(raw)
	case []any:
		var out []merger
		for _, item := range raw {
			m, err := listedMerger(item)
			if err != nil {
				return nil, err
			}
			out = append(out, m)
		}
		return out, nil
	}
	return nil, errors.New("a merge type that is neither text nor a list")
}

func listedMerger(item any) (merger, error) {
	switch item := item.(type) {
	case *mapping:
		name, _ := item.get("name")
		settings, there := item.get("settings")
		n, ok := name.(string)
		if !ok || !there {
			return merger{}, errors.New("a merge type without name or settings")
		}
		n = strings.TrimSpace(strings.ReplaceAll(n, "-", "_"))
		switch settings := settings.(type) {
		case string: // Python's "in" looks for a part of the text
			return merger{n, func(w string) bool { return strings.Contains(settings, w) }}, nil
		case []any:
			return merger{n, words(texts(settings)...)}, nil
		}
	case []any:
		if len(item) > 0 {
			if n, ok := item[0].(string); ok {
				return merger{n, words(texts(item[1:])...)}, nil
			}
		}
	}
	return merger{}, errors.New("a merge type that is not followed")
}

func texts(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// mergeAll holds the mergers in force for one part: the first that knows a type handles it.
type mergeAll []merger

func newMergeAll(list []merger) (mergeAll, error) {
	out := make(mergeAll, 0, len(list))
	for _, m := range list {
		m.name = strings.TrimPrefix(m.name, "m_")
		if m.name != "dict" && m.name != "list" && m.name != "str" {
			return nil, errors.New("a merge type that cloud-init does not know")
		}
		out = append(out, m)
	}
	return out, nil
}

func (all mergeAll) find(name string) (merger, bool) {
	for _, m := range all {
		if m.name == name {
			return m, true
		}
	}
	return merger{}, false
}

// merge merges with into value. A type that no merger knows keeps the old value.
func (all mergeAll) merge(value, with any) (any, error) {
	switch old := value.(type) {
	case *mapping:
		if m, ok := all.find("dict"); ok {
			return all.dicts(m, old, with)
		}
	case []any:
		if m, ok := all.find("list"); ok {
			return all.lists(m, old, with)
		}
	case string:
		if m, ok := all.find("str"); ok {
			if !m.options("append") {
				return with, nil
			}
			add, ok := with.(string)
			if !ok {
				return nil, errors.New("text merged with something else")
			}
			return old + add, nil
		}
	}
	return value, nil
}

func (all mergeAll) dicts(m merger, old *mapping, with any) (any, error) {
	src, ok := with.(*mapping)
	if !ok {
		return old, nil
	}
	out := old.clone()
	replace := m.options("replace")
	for _, k := range src.keys {
		v := src.values[k]
		before, there := out.values[k]
		switch {
		case !there:
			out.set(k, v)
		case v == nil && m.options("allow_delete"):
			out.remove(k)
		case replace:
			out.set(k, v)
		default:
			merged, err := all.same(m, before, v, before, true)
			if err != nil {
				return nil, err
			}
			out.set(k, merged)
		}
	}
	return out, nil
}

// same merges two values at one place if the options ask for their type, else it gives the fallback.
func (all mergeAll) same(m merger, before, v, fallback any, recurseDict bool) (any, error) {
	recurse := false
	switch v.(type) {
	case []any:
		recurse = m.options("recurse_array") || m.options("recurse_list")
	case string:
		recurse = m.options("recurse_str")
	case *mapping:
		recurse = recurseDict
	}
	if recurse {
		return all.merge(before, v)
	}
	return fallback, nil
}

func (all mergeAll) lists(m merger, old []any, with any) (any, error) {
	add, ok := with.([]any)
	method := "replace"
	for _, name := range []string{"append", "prepend", "replace", "no_replace"} {
		if m.options(name) {
			method = name
			break
		}
	}
	if !ok {
		if method == "replace" {
			return with, nil
		}
		return nil, errors.New("a list merged with something else")
	}
	switch method {
	case "prepend":
		return append(append([]any{}, add...), old...), nil
	case "append":
		return append(append([]any{}, old...), add...), nil
	}
	out := append([]any{}, old...)
	for i := 0; i < len(out) && i < len(add); i++ {
		if method == "no_replace" {
			continue
		}
		merged, err := all.same(m, out[i], add[i], add[i], m.options("recurse_dict"))
		if err != nil {
			return nil, err
		}
		out[i] = merged
	}
	return out, nil
}
