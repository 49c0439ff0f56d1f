package catalog

import (
	"fmt"
	"strings"
)

// Display spells an OSCAL control id as the publication does: sc-7.5 is SC-7(5).
func Display(id string) string {
	base, enhancement, found := strings.Cut(id, ".")
	if !found {
		return strings.ToUpper(id)
	}
	return strings.ToUpper(base) + "(" + enhancement + ")"
}

// Parse reads a control in either spelling, SC-7(5) or sc-7.5, and returns its OSCAL id. An error names the
// text when the catalog has no such control.
func (c *Catalog) Parse(text string) (string, error) {
	id := controlID(text)
	if c.byID[id] == nil {
		return "", fmt.Errorf("control %q: not in %s; write it like SC-7, SC-7(5) or sc-7.5", text, Framework)
	}
	return id, nil
}

// controlID turns the publication's spelling into the OSCAL id, without asking whether it exists. Zeros that some
// documents pad numbers with (SC-07(05)) are dropped.
func controlID(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if base, rest, found := strings.Cut(text, "("); found {
		text = strings.TrimSpace(base) + "." + strings.TrimSuffix(rest, ")")
	}
	family, number, found := strings.Cut(text, "-")
	if !found {
		return text
	}
	base, enhancement, found := strings.Cut(number, ".")
	if !found {
		return family + "-" + strings.TrimLeft(base, "0")
	}
	return family + "-" + strings.TrimLeft(base, "0") + "." + strings.TrimLeft(enhancement, "0")
}
