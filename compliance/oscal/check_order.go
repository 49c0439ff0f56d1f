package oscal

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// times: what begins ends later, nothing is newer than the document.
func (c *checker) times() {
	modified := map[string]time.Time{}
	for _, n := range c.nodes {
		if n.key == "last-modified" && strings.Count(n.path, "/") == 2 {
			model, _, _ := strings.Cut(n.path, "/")
			modified[model], _ = timeOf(n.holder, "last-modified")
		}
	}
	for _, n := range c.nodes {
		object, isObject := n.value.(map[string]any)
		if !isObject {
			continue
		}
		c.ordered(n, object, "start", "end")
		c.ordered(n, object, "collected", "expires")
		c.ordered(n, object, "published", "last-modified")
		model, _, _ := strings.Cut(n.path, "/")
		for _, key := range []string{"end", "start", "collected"} {
			at, ok := timeOf(object, key)
			if ok && at.After(modified[model]) && !strings.Contains(n.path, "/timing/") {
				c.refuse(n.pointer+"/"+key, "%s is after the document's last-modified", at.Format(time.RFC3339Nano))
			}
		}
	}
}

func (c *checker) ordered(n node, object map[string]any, first, then string) {
	before, hasBefore := timeOf(object, first)
	after, hasAfter := timeOf(object, then)
	if hasBefore && hasAfter && after.Before(before) {
		c.refuse(n.pointer+"/"+then, "%s is before %s", then, first)
	}
}

func timeOf(object map[string]any, key string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339Nano, text(object, key))
	return at, err == nil
}

// order: lists are sorted, so that equal content has equal bytes.
func (c *checker) order() {
	position := map[string]int{}
	for i, n := range c.nodes {
		if n.key == "uuid" {
			position[text(n.holder, "uuid")] = i
		}
	}
	for _, n := range c.nodes {
		elements, isList := n.value.([]any)
		if !isList {
			continue
		}
		compare := sortedBy(n.path, position)
		if compare == nil {
			continue
		}
		if !slices.IsSortedFunc(elements, func(a, b any) int {
			x, _ := a.(map[string]any)
			y, _ := b.(map[string]any)
			return compare(x, y)
		}) {
			c.refuse(n.pointer, "not sorted")
		}
	}
}

func sortedBy(path string, position map[string]int) func(a, b map[string]any) int {
	byText := func(key string) func(a, b map[string]any) int {
		return func(a, b map[string]any) int { return naturally(text(a, key), text(b, key)) }
	}
	switch path[strings.LastIndex(path, "/")+1:] {
	case "include-controls", "implemented-requirements":
		return byText("control-id")
	case "include-objectives":
		return byText("objective-id")
	case "statements":
		return byText("statement-id")
	case "activities":
		return byText("title")
	case "findings":
		return func(a, b map[string]any) int {
			x, _ := a["target"].(map[string]any)
			y, _ := b["target"].(map[string]any)
			return naturally(text(x, "target-id"), text(y, "target-id"))
		}
	case "observations":
		return func(a, b map[string]any) int {
			return cmp.Or(
				cmp.Compare(firstSubject(a, position), firstSubject(b, position)),
				naturally(text(a, "title"), text(b, "title")))
		}
	case "inventory-items":
		return func(a, b map[string]any) int { return cmp.Compare(assetOf(a), assetOf(b)) }
	}
	return nil
}

// firstSubject is where the first subject of an observation stands among the items.
func firstSubject(observation map[string]any, position map[string]int) int {
	subjects, _ := observation["subjects"].([]any)
	if len(subjects) == 0 {
		return 0
	}
	first, _ := subjects[0].(map[string]any)
	return position[text(first, "subject-uuid")]
}

// assetOf orders items by namespace, kind and name, as the posture does.
func assetOf(item map[string]any) string {
	var id, kind string
	props, _ := item["props"].([]any)
	for _, p := range props {
		prop, _ := p.(map[string]any)
		switch text(prop, "name") {
		case "asset-id":
			id = text(prop, "value")
		case "asset-type":
			kind = text(prop, "value")
		}
	}
	namespace, name, found := strings.Cut(id, "/")
	if !found {
		namespace, name = "", id
	}
	return namespace + "\x00" + kind + "\x00" + name
}

// naturally compares ids as the publication orders them: sc-7 and its parts before sc-7.5, sc-7.5 before sc-7.10,
// sc-7_obj.a-2 before sc-7_obj.a-10.
func naturally(a, b string) int {
	return cmp.Or(byNumbers(controlOf(a), controlOf(b)), byNumbers(a, b))
}

func byNumbers(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
