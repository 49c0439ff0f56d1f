package oscal

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one reason to refuse a document.
type Problem struct {
	Pointer string // JSON pointer (RFC 6901) into the document; empty is the whole document
	Message string
}

// Problems are all reasons, sorted by pointer.
type Problems []Problem

func (p Problem) String() string {
	if p.Pointer == "" {
		return "document: " + p.Message
	}
	return p.Pointer + ": " + p.Message
}

// Error lists every problem, one a line.
func (ps Problems) Error() string {
	lines := make([]string, 0, len(ps)+1)
	lines = append(lines, fmt.Sprintf("OSCAL document refused, %d problem(s):", len(ps)))
	for _, p := range ps {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// err is nil when there are none: a nil Problems in an error would not be a nil error.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	slices.SortFunc(ps, func(a, b Problem) int {
		if c := strings.Compare(a.Pointer, b.Pointer); c != 0 {
			return c
		}
		return strings.Compare(a.Message, b.Message)
	})
	return slices.Compact(ps)
}
