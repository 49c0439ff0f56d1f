package engine

import (
	"fmt"
	"slices"
	"strings"
)

// statement is one rule's answer, decoded: the targets that it must decide and what it said of them.
type statement struct {
	judged    []string
	findings  []Finding
	malformed []string // what could not be read as a target or an entry
}

// fold turns a rule's answer into its word; gap is the reason why the facts are not whole, or empty. The first
// condition that holds decides, and whatever is neither refuted nor proven whole is unknown.
func fold(s statement, gap string) (Value, string) {
	said := func(v Value) []string {
		var messages []string
		for _, f := range s.findings {
			if f.Verdict == v {
				messages = append(messages, f.Message)
			}
		}
		return messages
	}
	fails, unknowns, absent := said(Fail), said(Unknown), said(NotApplicable)
	stray := strayPass(s)
	unproven := unprovenTarget(s)
	switch {
	case len(fails) > 0:
		return Fail, strings.Join(fails, "; ")
	case gap != "":
		return Unknown, gap
	case len(s.malformed) > 0:
		return Unknown, "malformed answer: " + strings.Join(s.malformed, "; ")
	case stray != "":
		return Unknown, fmt.Sprintf("passes %q, which it does not judge", stray)
	case len(unknowns) > 0:
		return Unknown, strings.Join(unknowns, "; ")
	case len(absent) > 0 && len(absent) == len(s.findings) && len(s.judged) == 0:
		return NotApplicable, strings.Join(absent, "; ")
	case len(absent) > 0:
		return Unknown, "says not applicable beside other words"
	case len(s.judged) == 0:
		return Unknown, "the rule judged nothing and gave no reason"
	case unproven != "":
		return Unknown, fmt.Sprintf("the rule said nothing of %q", unproven)
	default:
		return Pass, ""
	}
}

func strayPass(s statement) string {
	for _, f := range s.findings {
		if f.Verdict == Pass && !slices.Contains(s.judged, f.Target) {
			return f.Target
		}
	}
	return ""
}

func unprovenTarget(s statement) string {
	for _, target := range s.judged {
		proven := func(f Finding) bool { return f.Verdict == Pass && f.Target == target }
		if !slices.ContainsFunc(s.findings, proven) {
			return target
		}
	}
	return ""
}
