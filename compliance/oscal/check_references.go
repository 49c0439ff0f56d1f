package oscal

import (
	"strings"
)

// roomOf says in which list the target of a reference must stand, by the reference's own name.
func roomOf(n node) (room string, isReference bool) {
	switch n.key {
	case "observation-uuid":
		return "observations", true
	case "risk-uuid":
		return "risks", true
	case "finding-uuid":
		return "findings", true
	case "activity-uuid":
		return "activities", true
	case "task-uuid":
		return "tasks", true
	case "component-uuid":
		return "components", true
	case "party-uuids":
		return "parties", true
	case "actor-uuid":
		return map[string]string{"tool": "components", "assessment-platform": "assessment-platforms", "party": "parties"}[text(n.holder, "type")], true
	case "subject-uuid":
		return map[string]string{
			"component": "components", "inventory-item": "inventory-items", "resource": "resources",
			"party": "parties", "user": "users", "location": "locations",
		}[text(n.holder, "type")], true
	case "implementation-statement-uuid", "provided-uuid", "responsibility-uuid":
		return "", true
	}
	return "", false
}

// references: every uuid once in the document, every reference resolves in the document or is declared external.
func (c *checker) references() {
	first := map[string]node{}
	roles := map[string]bool{}
	for _, n := range c.nodes {
		if n.key == "id" && strings.HasSuffix(n.path, "/metadata/roles/id") {
			roles[text(n.holder, "id")] = true
		}
		id, isText := n.value.(string)
		if n.key != "uuid" || !isText {
			continue
		}
		if before, taken := first[strings.ToLower(id)]; taken {
			c.refuse(n.pointer, "uuid %s is already that of %s; each uuid stands once", id, before.pointer)
			continue
		}
		first[strings.ToLower(id)] = n
	}
	external := map[string]bool{}
	for _, id := range c.opts.External {
		external[strings.ToLower(id)] = true
	}
	for _, n := range c.nodes {
		value, isText := n.value.(string)
		if !isText {
			continue
		}
		room, isReference := roomOf(n)
		switch {
		case isReference:
			c.resolve(n, value, room, first, external)
		case n.key == "href" && strings.HasPrefix(value, "#"):
			c.resolve(n, value[1:], "resources", first, external)
		case (n.key == "role-id" || n.key == "role-ids") && !roles[value]:
			c.refuse(n.pointer, "role %q is not in metadata.roles", value)
		}
	}
}

func (c *checker) resolve(n node, id, room string, first map[string]node, external map[string]bool) {
	id = strings.ToLower(id)
	target, exists := first[id]
	switch {
	case external[id]:
	case !exists:
		c.refuse(n.pointer, "refers to %s, which is not in the document", id)
	case room != "" && !strings.HasSuffix(target.path, "/"+room+"/uuid"):
		c.refuse(n.pointer, "refers to %s, which is %s and not one of %s", id, target.pointer, room)
	}
}

// rooms: where a document points to the documents around it, and what a model has only by convention.
func (c *checker) rooms() {
	for _, n := range c.nodes {
		object, isObject := n.value.(map[string]any)
		if !isObject {
			continue
		}
		switch {
		case n.path == "assessment-plan":
			c.plan(n, object)
		case n.path == "plan-of-action-and-milestones":
			if object["import-ssp"] == nil && object["system-id"] == nil {
				c.refuse(n.pointer, "needs import-ssp or system-id: a POA&M belongs to a system")
			}
		case strings.HasSuffix(n.path, "/poam-items") && text(object, "uuid") == "":
			c.refuse(n.pointer, "a POA&M item needs a uuid, or nobody can follow it from one document to the next")
		case strings.HasSuffix(n.path, "/relevant-evidence") && text(object, "href") == "":
			c.refuse(n.pointer, "evidence without href: nobody can look at it")
		case n.path == "assessment-results/results" && n.pointer != "/assessment-results/results/0":
			c.refuse(n.pointer, "one result a document: observations keep their uuids from result to result")
		}
	}
}

func (c *checker) plan(n node, object map[string]any) {
	if object["assessment-assets"] == nil {
		c.refuse(n.pointer, "a plan needs assessment-assets: what assesses")
	}
	if object["tasks"] == nil {
		c.refuse(n.pointer, "a plan needs tasks: what is done how often")
	}
	local, _ := object["local-definitions"].(map[string]any)
	if local["activities"] == nil {
		c.refuse(n.pointer, "a plan needs local-definitions.activities: what is done")
	}
}
