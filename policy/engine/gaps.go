package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// gap is one part of the input that could not be determined.
type gap struct {
	path   string
	cause  string // as it was given
	reason string // path and cause; never empty
}

// gaps returns the gaps sorted by path. One whose path the schema does not have would overlap no rule's reads
// and so hide what it stands for: it counts as the whole document.
func (s *Set) gaps(reasons map[string]string) []gap {
	var gaps []gap
	for _, path := range slices.Sorted(maps.Keys(reasons)) {
		known := schema{root: s.compilation.schema}.has(path)
		g := gap{path: path, cause: reasons[path], reason: fmt.Sprintf("%s: %s", path, reasons[path])}
		if !known {
			g = gap{cause: reasons[path], reason: fmt.Sprintf("%s (not a path of the input, so all of it is in doubt): %s", path, reasons[path])}
		}
		gaps = append(gaps, g)
	}
	return gaps
}

func firstGap(reads []string, gaps []gap) (gap, bool) {
	for _, g := range gaps {
		if readsOverlap(reads, g.path) {
			return g, true
		}
	}
	return gap{}, false
}

// splitPath splits a dotted path; a list's index may be written a.0 or a[0].
func splitPath(path string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(path, "[", "."), "]", ""), ".")
}
