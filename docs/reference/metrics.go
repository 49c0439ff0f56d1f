package reference

import (
	"cmp"
	"fmt"
	"strings"

	"cato.dev/cato/compliance/metrics"
)

// Metrics is the page of all metrics of Cato's own.
func Metrics() string {
	var b strings.Builder
	b.WriteString("# Metrics\n\n" + generated + `
The operator serves these on ` + "`:8080/metrics`" + `, beside those of controller-runtime, Go and the process. Gauges are read from the
posture at each scrape: a deleted subject leaves no series. The dashboard in [dashboards](../dashboards) is generated from the same
list, and the alerts are in [config/prometheus](../config/prometheus).

| Metric | Type | Labels | Unit | Meaning |
|---|---|---|---|---|
`)
	for _, d := range metrics.Descriptors() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.Name, d.Type, cmp.Or(words(d.Labels), "none"), cmp.Or(d.Unit, "none"), d.Help)
	}
	b.WriteString(`
## How to read them

- ` + "`cato_control_verdict`" + ` is the word on the part of a control that rules test: any fail is fail, else any unknown is unknown, else
  pass. ` + "`cato_control_satisfied`" + ` is the stricter figure of OSCAL: all objectives of the control, covered whole. A control that no
  rule covers whole has no such series or 0, never 1.
- ` + "`control`" + ` is the OSCAL id (` + "`sc-7.5`" + `) on cato metrics, and the publication's spelling (` + "`SC-7(5)`" + `) on
  ` + "`uds_vm_compliance_verified`" + `, as users of uds.dev know it.
- ` + "`cato_oldest_evidence_seconds`" + ` grows while a watch is not proved. It is proved every 20 s; beyond 45 the verdicts that need
  that kind are unknown.
- Absence is no good news: alert on ` + "`absent(cato_policy_revision_info)`" + `.
`)
	return b.String()
}
