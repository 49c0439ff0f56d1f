package posture

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cato.dev/cato/policy/engine"
)

// Bounds of one entry in bytes. A rule that answers with thousands of findings must not make one subject cost
// what a fleet may cost; whoever needs all of them judges the subject again.
const (
	maxDetail = 4096 // findings, with JSON's own signs
	maxLine   = 512  // of why, and of each finding's target and message
)

type detail struct {
	Why      string    `json:"why,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	Cut      string    `json:"cut,omitempty"`
}

// encodeDetail makes the compact form of an entry's texts. Where the bound is met, fails are kept before
// unknowns before passes, and messages before evidence; a note says what was left out.
func encodeDetail(why string, findings []engine.Finding) string {
	d := detail{Why: shorten(why)}
	order := make([]int, len(findings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return rank(findings[a].Verdict) - rank(findings[b].Verdict)
	})
	kept := make(map[int]Finding, len(findings))
	left, dropped, bare, shortened := maxDetail, 0, 0, len(d.Why) != len(why)
	for _, i := range order {
		f := findings[i]
		short := Finding{Target: shorten(f.Target), Verdict: known(f.Verdict), Message: shorten(f.Message)}
		shortened = shortened || short.Target != f.Target || short.Message != f.Message
		full := short
		full.Evidence = f.EvidenceJSON() // here it is kept, so here it is asked for
		if n := size(full); n >= 0 && n <= left {
			kept[i], left = full, left-n
		} else if n := size(short); n >= 0 && n <= left {
			kept[i], left, bare = short, left-n, bare+1
		} else {
			dropped++
		}
	}
	for i := range findings {
		if f, ok := kept[i]; ok {
			d.Findings = append(d.Findings, f)
		}
	}
	d.Cut = note(dropped, bare, len(findings), shortened)
	text, err := json.Marshal(d)
	if err != nil { // not reached: size has marshalled each part
		return `{"cut":"findings cannot be written as JSON"}`
	}
	return string(text)
}

func note(dropped, bare, all int, shortened bool) string {
	var parts []string
	if dropped > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d findings left out", dropped, all))
	}
	if bare > 0 {
		parts = append(parts, fmt.Sprintf("evidence of %d findings left out", bare))
	}
	if shortened {
		parts = append(parts, "long texts shortened")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + fmt.Sprintf(": an entry holds at most %d bytes", maxDetail)
}

func decodeDetail(text string) (why string, findings []Finding, cut string) {
	var d detail
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return "", nil, "stored findings cannot be read: " + err.Error()
	}
	return d.Why, d.Findings, d.Cut
}

// size is the length of the finding as JSON with its comma, or -1 where its evidence is not JSON.
func size(f Finding) int {
	text, err := json.Marshal(f)
	if err != nil {
		return -1
	}
	return len(text) + 1
}

func rank(value engine.Value) int {
	switch value {
	case engine.Fail:
		return 0
	case engine.Pass:
		return 2
	case engine.NotApplicable:
		return 3
	case engine.Unknown:
		return 1
	default:
		return 1
	}
}

// shorten cuts at the bound, never within a character.
func shorten(text string) string {
	if len(text) <= maxLine {
		return text
	}
	const mark = "…"
	end := maxLine - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
