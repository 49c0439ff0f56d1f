package oscal

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// line is one verdict in the list that an assessment-results document refers to as its evidence.
type line struct {
	Rule      string            `json:"rule"`
	Subject   lineSubject       `json:"subject"`
	Verdict   engine.Value      `json:"verdict"`
	Moment    string            `json:"moment"`
	Since     time.Time         `json:"since"`
	Collected time.Time         `json:"collected"`
	Expires   time.Time         `json:"expires"`
	Sequence  int64             `json:"sequence"`
	Revision  string            `json:"revision"`
	Why       string            `json:"why,omitempty"`
	Findings  []posture.Finding `json:"findings,omitempty"`
	Cut       string            `json:"cut,omitempty"`
}

type lineSubject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	UID        string `json:"uid,omitempty"`
}

func lineOf(s posture.Subject, e posture.Entry, collected, expires time.Time) line {
	return line{
		Rule: e.Rule, Subject: lineSubject{s.APIVersion, s.Kind, s.Namespace, s.Name, s.UID}, Verdict: e.Value, Moment: e.Moment,
		Since: e.Since.UTC(), Collected: collected, Expires: expires, Sequence: e.Sequence, Revision: e.Revision,
		Why: e.Why, Findings: e.Findings, Cut: e.Cut,
	}
}

// fieldPaths are the paths and resource versions that the facts in the evidence name; their values stay where they are.
func fieldPaths(findings []posture.Finding) (paths, versions []string) {
	for _, f := range findings {
		decoder := json.NewDecoder(bytes.NewReader(f.Evidence))
		decoder.UseNumber()
		var facts any
		if len(f.Evidence) == 0 || decoder.Decode(&facts) != nil {
			continue
		}
		collectPaths(facts, &paths, &versions)
	}
	return sortedDistinct(paths), sortedDistinct(versions)
}

func collectPaths(value any, paths, versions *[]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			text, isText := member.(string)
			switch {
			case isText && text != "" && key == "path":
				*paths = append(*paths, text)
			case isText && text != "" && key == "resourceVersion":
				*versions = append(*versions, text)
			default:
				collectPaths(member, paths, versions)
			}
		}
	case []any:
		for _, element := range v {
			collectPaths(element, paths, versions)
		}
	}
}

func sortedDistinct(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
