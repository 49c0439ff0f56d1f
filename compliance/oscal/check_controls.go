package oscal

import (
	"strings"
)

// controls: every control, statement and objective exists and is not withdrawn, nothing is reviewed by include-all,
// and every finding's target lies within the reviewed controls.
func (c *checker) controls() {
	reviewed := map[string]bool{}
	for _, n := range c.nodes {
		if strings.Contains(n.path, "reviewed-controls/") || strings.Contains(n.path, "related-controls/") {
			if n.key == "include-all" {
				c.refuse(n.pointer, "include-all reviews controls that no rule evaluated; list what was evaluated")
			}
		}
		value, isText := n.value.(string)
		if !isText {
			continue
		}
		switch n.key {
		case "control-id":
			// Every control has a whole statement; the catalog checks no control without a part.
			c.exists(n, value, []string{value + "_smt"}, nil)
		case "statement-id":
			c.exists(n, controlOf(value), []string{value}, nil)
		case "statement-ids":
			c.exists(n, controlOf(value), []string{value}, nil)
			if owner := text(n.holder, "control-id"); owner != controlOf(value) {
				c.refuse(n.pointer, "statement %q is not one of control %q", value, owner)
			}
		case "objective-id":
			c.exists(n, controlOf(value), nil, []string{value})
		case "target-id":
			c.target(n, value)
		}
		if strings.HasPrefix(n.path, "assessment-results/results/reviewed-controls/") {
			reviewed[value] = true
		}
	}
	for _, n := range c.nodes {
		id, isText := n.value.(string)
		if !isText || n.path != "assessment-results/results/findings/target/target-id" {
			continue
		}
		if !reviewed[controlOf(id)] {
			c.refuse(n.pointer, "control %q of target %q is not in reviewed-controls", controlOf(id), id)
		}
		if text(n.holder, "type") == "objective-id" && !reviewed[id] {
			c.refuse(n.pointer, "objective %q is not in control-objective-selections", id)
		}
	}
}

func (c *checker) target(n node, id string) {
	switch text(n.holder, "type") {
	case "objective-id":
		c.exists(n, controlOf(id), nil, []string{id})
	case "statement-id":
		c.exists(n, controlOf(id), []string{id}, nil)
	}
}

func (c *checker) exists(n node, control string, statements, objectives []string) {
	if err := c.opts.Catalog.Check(control, statements, objectives); err != nil {
		c.refuse(n.pointer, "%s", err)
	}
}

// controlOf is the control of a statement or objective id: sc-7 of sc-7_obj.a-1.
func controlOf(id string) string {
	control, _, _ := strings.Cut(id, "_")
	return control
}
