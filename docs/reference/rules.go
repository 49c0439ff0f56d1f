// Package reference writes the pages that are generated: the rules and grants from their metadata, the metrics from
// their descriptors.
package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/policy/engine"
)

const generated = "<!-- Written by `make generate`. Change its source, not this page. -->\n"

// Rules is the page of all rules and grants of the set.
func Rules(set *engine.Set, controls *catalog.Catalog) string {
	var b strings.Builder
	b.WriteString("# Rules and grants\n\n" + generated + `
A rule judges a subject: **pass**, **fail**, **not-applicable**, or **unknown** (it cannot be determined, and counts as not
satisfied). It judges at up to three moments: **admission** (what a user sends, with the children that would be written for it),
**plan** (what is about to be written; ` + "`catoctl check`" + ` over manifests is this moment too) and **live** (what is in the cluster).
Where it *enforces*, a fail stops the write. A grant permits something privileged; what no grant gives is not given.

The source of each entry is the metadata of its Rego package in [policy/bundle](../policy/bundle). Control ids are of NIST SP
800-53 Rev 5. "Partial" means that the rule tests a part of what is named and never satisfies it alone.

`)
	writeIndex(&b, set)
	writeControls(&b, set.Rules(), controls)
	b.WriteString("## The rules\n")
	for _, r := range set.Rules() {
		writeRule(&b, r, controls)
	}
	b.WriteString("\n## The grants\n")
	for _, g := range set.Grants() {
		writeGrant(&b, g)
	}
	return b.String()
}

func writeIndex(b *strings.Builder, set *engine.Set) {
	b.WriteString("| Rule | Topic | Severity | Judges | Enforces | Title |\n|---|---|---|---|---|---|\n")
	for _, r := range set.Rules() {
		fmt.Fprintf(b, "| [%s](#%s) | %s | %s | %s | %s | %s |\n", r.ID, strings.ToLower(r.ID), r.Topic, r.Severity,
			words(r.Judges), cmp.Or(words(r.Enforces), "nowhere"), r.Title)
	}
	b.WriteString("\n| Grant | On refusal | Title |\n|---|---|---|\n")
	for _, g := range set.Grants() {
		fmt.Fprintf(b, "| [%s](#%s) | %s | %s |\n", g.Name, g.Name, g.OnRefusal, g.Title)
	}
}

func writeControls(b *strings.Builder, rules []*engine.Rule, controls *catalog.Catalog) {
	byControl := map[string][]string{}
	for _, r := range rules {
		for _, c := range r.Controls {
			byControl[c.ID] = append(byControl[c.ID], fmt.Sprintf("[%s](#%s)", r.ID, strings.ToLower(r.ID)))
		}
	}
	ids := make([]string, 0, len(byControl))
	for id := range byControl {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, catalog.Compare)
	b.WriteString("\n## By control\n\n| Control | Title | Rules |\n|---|---|---|\n")
	for _, id := range ids {
		fmt.Fprintf(b, "| %s | %s | %s |\n", catalog.Display(id), titleOf(controls, id), strings.Join(byControl[id], ", "))
	}
	b.WriteString("\n")
}

func titleOf(controls *catalog.Catalog, id string) string {
	control, _ := controls.Control(id)
	return control.Title
}

func writeRule(b *strings.Builder, r *engine.Rule, controls *catalog.Catalog) {
	fmt.Fprintf(b, "\n### %s\n\n**%s**\n\n%s\n\n", r.ID, r.Title, strings.TrimSpace(r.Description))
	fmt.Fprintf(b, "- Topic %s, severity %s, subjects %s\n", r.Topic, r.Severity, words(r.Subjects))
	fmt.Fprintf(b, "- Judges at %s; enforces at %s; method %s\n", words(r.Judges), cmp.Or(words(r.Enforces), "no moment"), r.Method)
	if len(r.Enforces) > 0 {
		fmt.Fprintf(b, "- An unknown %s\n", map[string]string{
			"wait":   "at plan holds the write back until it is known",
			"report": "is reported and holds nothing back",
		}[r.OnUnknown])
	}
	for _, c := range r.Controls {
		fmt.Fprintf(b, "- %s %s, %s: %s", catalog.Display(c.ID), titleOf(controls, c.ID), c.Coverage,
			words(slices.Concat(c.Statements, c.Objectives)))
		if c.Remarks != "" {
			fmt.Fprintf(b, ". %s", oneLine(c.Remarks))
		}
		b.WriteString("\n")
	}
	if len(r.Parameters) > 0 {
		fmt.Fprintf(b, "- Reads the parameters `%s`\n", strings.Join(r.Parameters, "`, `"))
	}
	fmt.Fprintf(b, "- To put a fail right: %s\n- Package `%s`\n", oneLine(r.Remediation), r.Package)
}

func writeGrant(b *strings.Builder, g engine.Grant) {
	refusal := map[string]string{"refuse": "nothing is written", "omit": "it is built without the privilege"}[g.OnRefusal]
	fmt.Fprintf(b, "\n### %s\n\n**%s**\n\n%s\n\n", g.Name, g.Title, strings.TrimSpace(g.Description))
	fmt.Fprintf(b, "- Given by: %s\n- If it is not given, %s\n- Subjects %s\n- Package `%s`\n", oneLine(g.Source), refusal, words(g.Subjects), g.Package)
}

func words(list []string) string { return strings.Join(list, ", ") }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
