package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// slowestShown is how many specs the suite names at its end.
const slowestShown = 12

// The time of the suite is that of its slowest specs: whoever wants it shorter begins with these.
var _ = ReportAfterSuite("the slowest specs", func(report Report) {
	var specs types.SpecReports
	var total time.Duration
	for _, spec := range report.SpecReports {
		if spec.LeafNodeType == types.NodeTypeIt && spec.NumAttempts > 0 {
			specs = append(specs, spec)
			total += spec.RunTime
		}
	}
	slices.SortFunc(specs, func(a, b types.SpecReport) int { return cmp.Compare(b.RunTime, a.RunTime) })
	fmt.Printf("The slowest of %d specs, which took %s in all:\n", len(specs), total.Round(time.Second))
	for _, spec := range specs[:min(slowestShown, len(specs))] {
		fmt.Printf("%8s  %s\n", spec.RunTime.Round(time.Second), spec.FullText())
	}
})
