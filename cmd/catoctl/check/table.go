package check

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/policy/engine"
)

// WriteTable prints a report for people: verdicts, what to do about those that
// are not a pass, and a summary by control.
func (r *Report) WriteTable(w io.Writer) error {
	var out bytes.Buffer
	for _, print := range []func(*bytes.Buffer){r.verdictTable, r.remedies, r.controlTable, r.profiles, r.notes} {
		print(&out)
	}
	_, err := out.WriteTo(w)
	return err
}

func table(out *bytes.Buffer, rows [][]string) {
	writer := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(writer, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	writer.Flush()
}

func (r *Report) verdictTable(out *bytes.Buffer) {
	if len(r.Verdicts) == 0 {
		return
	}
	rows := [][]string{{"RULE", "TOPIC", "SUBJECT", "VERDICT", "MESSAGE"}}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		rows = append(rows, []string{v.Rule, v.Topic, v.Subject.String(), string(v.Verdict), oneLine(v.Message)})
	}
	table(out, rows)
}

// String is kind, namespace and name, such as UDSVirtualMachine/mission-a/web-1.
func (s Subject) String() string {
	if s.Namespace == "" {
		return s.Kind + "/" + s.Name
	}
	return s.Kind + "/" + s.Namespace + "/" + s.Name
}

// oneLine keeps a user's text from breaking the table, or from speaking to the terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}

// remedies tells what to do, each remedy once with the rules that it is for: one
// quantity that cannot be read makes many rules unknown.
func (r *Report) remedies(out *bytes.Buffer) {
	rules := map[string][]string{}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Remediation != "" && !slices.Contains(rules[v.Remediation], v.Rule) {
			rules[v.Remediation] = append(rules[v.Remediation], v.Rule)
		}
	}
	if len(rules) == 0 {
		return
	}
	lines := make([]string, 0, len(rules))
	for remedy, ids := range rules {
		slices.Sort(ids)
		lines = append(lines, strings.Join(ids, ", ")+": "+oneLine(remedy))
	}
	slices.Sort(lines)
	fmt.Fprintln(out, "\nWhat to do:")
	for _, line := range lines {
		fmt.Fprintf(out, "  %s\n", line)
	}
}

// controlTable counts verdicts by control. It says nothing of whether a control
// is satisfied: that takes every objective, and the evidence of a cluster.
func (r *Report) controlTable(out *bytes.Buffer) {
	counts := map[string]map[engine.Value]int{}
	for i := range r.Verdicts {
		for _, id := range r.Verdicts[i].Controls {
			if counts[id] == nil {
				counts[id] = map[engine.Value]int{}
			}
			counts[id][r.Verdicts[i].Verdict]++
		}
	}
	if len(counts) == 0 {
		return
	}
	values := []engine.Value{engine.Pass, engine.Fail, engine.Unknown, engine.NotApplicable}
	rows := [][]string{{"CONTROL", "PASS", "FAIL", "UNKNOWN", "NOT-APPLICABLE"}}
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		row := []string{catalog.Display(id)}
		for _, value := range values {
			row = append(row, fmt.Sprint(counts[id][value]))
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(out)
	table(out, rows)
}

// profiles names the profile in force, with the subjects that it holds for.
func (r *Report) profiles(out *bytes.Buffer) {
	subjects := map[string][]string{}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if name := v.Subject.String(); !slices.Contains(subjects[v.Profile][max(0, len(subjects[v.Profile])-1):], name) {
			subjects[v.Profile] = append(subjects[v.Profile], name)
		}
	}
	if len(subjects) == 0 {
		return
	}
	fmt.Fprintln(out, "\nProfile in force:")
	for _, profile := range slices.Sorted(maps.Keys(subjects)) {
		fmt.Fprintf(out, "  %s: %s\n", oneLine(profile), oneLine(strings.Join(subjects[profile], ", ")))
	}
}

func (r *Report) notes(out *bytes.Buffer) {
	if len(r.Assumptions) > 0 {
		fmt.Fprintln(out, "\nAssumed:")
		for _, sentence := range r.Assumptions {
			fmt.Fprintf(out, "  %s\n", oneLine(sentence))
		}
	}
	if len(r.Later) > 0 {
		fmt.Fprintln(out, "\nJudged later:")
		for _, later := range r.Later {
			fmt.Fprintf(out, "  %s %s: %s (%s)\n", later.Rule, later.Topic, later.Title, strings.Join(later.Moments, ", "))
		}
	}
	if len(r.Skipped) > 0 {
		kinds := []string{}
		for _, kind := range slices.Sorted(maps.Keys(r.Skipped)) {
			kinds = append(kinds, fmt.Sprintf("%s %d", oneLine(kind), r.Skipped[kind]))
		}
		fmt.Fprintf(out, "\nSkipped, of kinds that no rule judges: %s\n", strings.Join(kinds, ", "))
	}
	fmt.Fprintf(out, "\nPolicy revision %s\n", r.Revision)
}
