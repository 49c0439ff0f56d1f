package oscal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
)

// ControlStatus is one line of the table that users of Lula know.
type ControlStatus struct {
	Control string // as the publication spells it, such as SC-7(5)
	Status  string // satisfied or not-satisfied
}

// Summary reads the findings of an assessment-results document, one line a control in the order of the
// publication. A control is satisfied only when all of its objectives are, which one rule rarely proves.
func Summary(doc []byte, c *catalog.Catalog) ([]ControlStatus, error) {
	var models o.OscalModels
	if err := json.NewDecoder(bytes.NewReader(doc)).Decode(&models); err != nil {
		return nil, fmt.Errorf("read assessment-results: %w", err)
	}
	if models.AssessmentResults == nil {
		return nil, fmt.Errorf("read assessment-results: the document holds another model")
	}
	var states []posture.ObjectiveState
	controls := map[string]bool{}
	for _, result := range models.AssessmentResults.Results {
		for _, f := range all(result.Findings) {
			state := posture.ObjectiveState{
				Control: controlOf(f.Target.TargetId), Target: f.Target.TargetId,
				Statement: f.Target.Type == "statement-id", State: f.Target.Status.State,
			}
			controls[state.Control] = true
			states = append(states, state)
		}
	}
	var lines []ControlStatus
	for _, control := range slices.SortedFunc(maps.Keys(controls), naturally) {
		status := posture.NotSatisfied
		if satisfied, found := posture.ControlSatisfied(c, control, states); satisfied && found {
			status = posture.Satisfied
		}
		lines = append(lines, ControlStatus{Control: catalog.Display(control), Status: status})
	}
	return lines, nil
}

// WriteSummary prints the table "Control ID / Status".
func WriteSummary(w io.Writer, lines []ControlStatus) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	rows := append([]ControlStatus{{"Control ID", "Status"}}, lines...)
	for _, line := range rows {
		if _, err := fmt.Fprintf(table, "%s\t%s\n", line.Control, line.Status); err != nil {
			return fmt.Errorf("write summary: %w", err)
		}
	}
	return table.Flush()
}
