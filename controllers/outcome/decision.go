// Package outcome holds what every reconciler does with an answer: what the
// rules and grants say becomes one decision, a decision becomes a condition,
// and an error of a write becomes a reason and a time to come back. The
// consequences are decided here and nowhere else.
package outcome

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/policy/facts"
)

// Decision is what was decided on a write: True, False (terminal until the
// input changes) or Unknown (nothing new is written until more is known). Its
// reasons are those of condition PolicyAllowed, the same in both APIs.
type Decision struct {
	Status  metav1.ConditionStatus
	Reason  string
	Message string
}

// Allowed is the decision on which nothing was held against a write.
func Allowed() Decision {
	return Decision{metav1.ConditionTrue, udsv1alpha1.ReasonPolicyAllowed, "every rule that had to be asked passed and every grant was given"}
}

// Denied is a refusal.
func Denied(message string) Decision {
	return Decision{metav1.ConditionFalse, udsv1alpha1.ReasonPolicyDenied, message}
}

// Unknown is a decision that waits for a fact.
func Unknown(message string) Decision {
	return Decision{metav1.ConditionUnknown, udsv1alpha1.ReasonPolicyUnknown, message}
}

// OfRules is the decision that a judgement comes to (decision 3): a fail of a
// rule that enforces denies, an unknown of one waits.
func OfRules(judgement decide.Judgement) Decision {
	refusals := judgement.Refusals()
	if len(refusals) > 0 {
		return Denied(decide.Explain(refusals))
	}
	if waits := judgement.Waits(); len(waits) > 0 {
		return Unknown(decide.Explain(waits))
	}
	return Allowed()
}

// OfGrant asks for a privilege. One that could not be determined is not given,
// and may be asked for again.
func OfGrant(ctx context.Context, judge *decide.Judge, name string, g *facts.Gathered) Decision {
	permission, err := judge.Grant(ctx, name, g)
	switch {
	case err != nil:
		return Unknown(fmt.Sprintf("%s: %v", judge.Remedy(name), err))
	case !permission.Given:
		return Denied(fmt.Sprintf("grant %s is not given: %s", name, judge.Remedy(name)))
	default:
		return Allowed()
	}
}

// Together is the decision of several: one denial denies, else one unknown
// waits. The messages of the decisive ones are joined.
func Together(decisions ...Decision) Decision {
	for _, status := range []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown} {
		var decisive Decision
		messages := []string{}
		for _, d := range decisions {
			if d.Status == status {
				decisive = d
				messages = append(messages, d.Message)
			}
		}
		if len(messages) > 0 {
			decisive.Message = strings.Join(messages, "; ")
			return decisive
		}
	}
	return Allowed()
}
