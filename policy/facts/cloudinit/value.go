package cloudinit

import (
	"strconv"
	"strings"
)

// A YAML value is one of nil, bool, int64, string, []byte (!!binary), scalar, []any, *mapping.

// scalar is a number or a time that is carried on as it is written.
type scalar struct{ text string }

// mapping keeps the order of its keys, as a Python dict does.
type mapping struct {
	keys   []string
	values map[string]any
}

func newMapping() *mapping { return &mapping{values: map[string]any{}} }

func (m *mapping) get(key string) (any, bool) {
	if m == nil {
		return nil, false
	}
	v, ok := m.values[key]
	return v, ok
}

// set keeps the place of a key that is already there, as a Python dict does.
func (m *mapping) set(key string, v any) {
	if _, ok := m.values[key]; !ok {
		m.keys = append(m.keys, key)
	}
	m.values[key] = v
}

func (m *mapping) remove(key string) {
	if _, ok := m.values[key]; !ok {
		return
	}
	delete(m.values, key)
	kept := m.keys[:0]
	for _, k := range m.keys {
		if k != key {
			kept = append(kept, k)
		}
	}
	m.keys = kept
}

// clone copies the mapping, not what is in it.
func (m *mapping) clone() *mapping {
	c := &mapping{keys: append([]string(nil), m.keys...), values: make(map[string]any, len(m.values))}
	for k, v := range m.values {
		c.values[k] = v
	}
	return c
}

// pyStr is Python's str() for scalars; for containers it is a text that equals no word that matters.
func pyStr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		return v
	case scalar:
		return v.text
	case []byte:
		return "b'...'"
	case []any:
		return "[...]"
	default:
		return "{...}"
	}
}

// pyTruth is Python's bool().
func pyTruth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case string:
		return v != ""
	case []byte:
		return len(v) > 0
	case []any:
		return len(v) > 0
	case *mapping:
		return len(v.keys) > 0
	case scalar:
		f, err := strconv.ParseFloat(strings.ReplaceAll(v.text, "_", ""), 64)
		return err != nil || f != 0
	}
	return true
}

// isTrue and isFalse are cloud-init's reading of a flag (util.is_true, util.is_false).
func isTrue(v any) bool {
	if b, ok := v.(bool); ok {
		return b
	}
	switch strings.ToLower(strings.TrimSpace(pyStr(v))) {
	case "true", "1", "on", "yes":
		return true
	}
	return false
}

func isFalse(v any) bool {
	if b, ok := v.(bool); ok {
		return !b
	}
	switch strings.ToLower(strings.TrimSpace(pyStr(v))) {
	case "off", "0", "no", "false":
		return true
	}
	return false
}

// option is util.get_cfg_option_bool for a key that is there: whatever is not true is false.
func option(v any) bool { return pyTruth(v) && isTrue(v) }

// text gives a string or bytes as text.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}
