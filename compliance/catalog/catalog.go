// Package catalog knows the controls of NIST SP 800-53 Rev 5: their statements, their SP 800-53A assessment
// objectives and the SP 800-53B baselines that they belong to. It holds ids and titles only; see SOURCE.md.
package catalog

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Framework is the short name of the catalog in labels of metrics and in OSCAL's Framework_Short_Name.
const Framework = "nist-800-53r5"

//go:embed sp800-53r5-controls.json
var source []byte

// Control is one control or control enhancement.
type Control struct {
	ID         string   `json:"id"`     // OSCAL control id, such as sc-7.5
	Title      string   `json:"title"`  // such as Boundary Protection
	Family     string   `json:"family"` // such as sc
	Parent     string   `json:"parent"` // the base control of an enhancement, else empty
	Withdrawn  bool     `json:"withdrawn"`
	Baselines  []string `json:"baselines"`  // of low, moderate, high, privacy
	Statements []string `json:"statements"` // document order; the first is the whole statement
	// Objectives are the assessment objectives, parents included. Nil says that the sources have none for this
	// control, so that an objective cannot be checked: name a statement instead.
	Objectives []string `json:"objectives"`
}

// Catalog is the parsed data. It never changes and serves many goroutines; its slices are not to be written to.
type Catalog struct {
	controls []Control
	byID     map[string]*Control
}

// New parses the embedded data. An error means that the binary was built from damaged data.
func New() (*Catalog, error) {
	c := &Catalog{}
	if err := json.Unmarshal(source, &c.controls); err != nil {
		return nil, fmt.Errorf("embedded catalog %s: %w", Framework, err)
	}
	c.byID = make(map[string]*Control, len(c.controls))
	for i := range c.controls {
		id := c.controls[i].ID
		if c.byID[id] != nil {
			return nil, fmt.Errorf("embedded catalog %s: control %s is listed twice", Framework, id)
		}
		c.byID[id] = &c.controls[i]
	}
	return c, nil
}

// Controls returns all controls, withdrawn ones included, sorted as in the publication.
func (c *Catalog) Controls() []Control { return slices.Clone(c.controls) }

// Control returns the control of that OSCAL id.
func (c *Catalog) Control(id string) (Control, bool) {
	control := c.byID[id]
	if control == nil {
		return Control{}, false
	}
	return *control, true
}

// Baseline returns the ids of the controls in the baseline low, moderate, high or privacy, sorted as in the
// publication; none for another name.
func (c *Catalog) Baseline(name string) []string {
	var ids []string
	for _, control := range c.controls {
		if slices.Contains(control.Baselines, name) {
			ids = append(ids, control.ID)
		}
	}
	return ids
}

// Leaves returns the objectives of the control that no other objective refines: the smallest that can be
// decided. Nil when the catalog has no objectives for it.
func (c *Catalog) Leaves(control string) []string {
	found := c.byID[control]
	if found == nil {
		return nil
	}
	var leaves []string
	for _, id := range found.Objectives {
		refined := func(other string) bool { return Refines(other, id) }
		if !slices.ContainsFunc(found.Objectives, refined) {
			leaves = append(leaves, id)
		}
	}
	return leaves
}

// Refines reports whether the statement or objective part is a part of whole, at any depth: sc-7_obj.a-1 refines
// sc-7_obj.a and sc-7_obj, but nothing refines itself.
func Refines(part, whole string) bool {
	rest, ok := strings.CutPrefix(part, whole)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '-')
}

// Check says whether a rule may name the control with these statements and objectives: nil, or an error that
// names the id and what to write instead.
func (c *Catalog) Check(control string, statements, objectives []string) error {
	found := c.byID[control]
	switch {
	case found == nil && c.byID[controlID(control)] != nil:
		return fmt.Errorf("control %q: write the OSCAL id %q", control, controlID(control))
	case found == nil:
		return fmt.Errorf("control %q: not in %s; ids are like sc-7 and sc-7.5", control, Framework)
	case found.Withdrawn:
		return fmt.Errorf("control %q (%s): withdrawn; name the control that took its place", control, found.Title)
	case len(statements) == 0 && len(objectives) == 0:
		return fmt.Errorf("control %q: name at least one statement or objective, such as %s_smt", control, control)
	}
	for _, id := range statements {
		if !slices.Contains(found.Statements, id) {
			return fmt.Errorf("statement %q: not of control %q, which has %s", id, control, list(found.Statements))
		}
	}
	for _, id := range objectives {
		if found.Objectives == nil {
			return fmt.Errorf("objective %q: the catalog has no objectives of control %q, so it cannot be checked; name a statement: %s",
				id, control, list(found.Statements))
		}
		if !slices.Contains(found.Objectives, id) {
			return fmt.Errorf("objective %q: not of control %q, which has %s", id, control, list(found.Objectives))
		}
	}
	return nil
}

// list keeps a message readable for controls with dozens of parts.
func list(ids []string) string {
	const most = 12
	if len(ids) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
	}
	return strings.Join(ids, ", ")
}
