package assessment

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/compliance/posture"
)

// Bounds of what a report says of its own footing, in bytes and entries; the
// schema has the bounds of assumptions.
const (
	longestAssumption = 256
	mostAssumptions   = 16
	longestReason     = 512
)

// assumptions are what the verdicts of a namespace rest on without evidence.
func (r *Reporter) assumptions(ctx context.Context, namespace string, view posture.View) ([]string, error) {
	sentences, err := r.Assumptions(ctx, namespace, view.Kinds())
	if err != nil {
		return nil, fmt.Errorf("assumptions: %w", err)
	}
	for i := range sentences {
		sentences[i] = cut(sentences[i], longestAssumption)
	}
	if len(sentences) == 0 {
		return nil, nil // as it is read back
	}
	return sentences[:min(len(sentences), mostAssumptions)], nil
}

// ready is condition Ready: all verdicts are of the revision in force, and no
// evidence behind one is missing.
func ready(view posture.View, revision string, missing []string, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type: catov1alpha1.ConditionReady, Status: metav1.ConditionTrue, ObservedGeneration: generation,
		Reason: catov1alpha1.ReasonCurrent, Message: "every verdict is of this revision and of evidence that is watched",
	}
	older := 0
	view.EachRevision(func(of string) {
		if of != revision {
			older++
		}
	})
	switch {
	case len(missing) > 0:
		condition.Status, condition.Reason = metav1.ConditionFalse, catov1alpha1.ReasonEvidenceMissing
		condition.Message = cut(strings.Join(missing, "; "), longestReason)
	case older > 0:
		condition.Status, condition.Reason = metav1.ConditionFalse, catov1alpha1.ReasonOlderRevision
		condition.Message = fmt.Sprintf("%d verdicts are of an earlier revision of the policy bundle: they are being renewed", older)
	case view.Position().Swept.IsZero():
		condition.Status, condition.Reason = metav1.ConditionFalse, catov1alpha1.ReasonNotSwept
		condition.Message = "not every subject has been judged since the record began"
	}
	return condition
}
