package outcome

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/policy/engine"
)

// Stalled is kstatus' word for an object that makes no progress until its
// input changes; it is there while that is so, and absent otherwise.
const Stalled = "Stalled"

// maxMessage keeps conditions and events within what the API server stores.
const maxMessage = 1024

// Set puts a condition into the list, with the generation that it describes.
func Set(conditions *[]metav1.Condition, generation int64, kind string, d Decision) {
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: kind, Status: d.Status, Reason: d.Reason, Message: Clip(d.Message), ObservedGeneration: generation,
	})
}

// SetStalled adds or removes Stalled.
func SetStalled(conditions *[]metav1.Condition, generation int64, stalled bool, d Decision) {
	if !stalled {
		meta.RemoveStatusCondition(conditions, Stalled)
		return
	}
	Set(conditions, generation, Stalled, Decision{metav1.ConditionTrue, d.Reason, d.Message})
}

// Clip shortens a message to what a condition or an event may hold.
func Clip(message string) string {
	letters := []rune(message)
	if len(letters) <= maxMessage {
		return message
	}
	return string(letters[:maxMessage-1]) + "…"
}

// OfTopics is the condition that a live judgement gives for some topics, or for
// all of them when none is named: True only when rules of them judged, none
// failed and none is unknown. Without any rule it is Unknown: silence is no pass.
func OfTopics(judgement decide.Judgement, topics ...string) Decision {
	fails, unknowns, decided := []engine.Verdict{}, []engine.Verdict{}, 0
	for _, v := range judgement.Verdicts {
		if len(topics) > 0 && !slices.Contains(topics, v.Rule.Topic) {
			continue
		}
		decided++
		switch v.Value {
		case engine.Fail:
			fails = append(fails, v)
		case engine.Pass, engine.NotApplicable:
		default:
			unknowns = append(unknowns, v)
		}
	}
	switch {
	case len(fails) > 0:
		return Decision{metav1.ConditionFalse, udsv1alpha1.ReasonRulesFail, decide.Explain(fails)}
	case len(unknowns) > 0:
		return Decision{metav1.ConditionUnknown, udsv1alpha1.ReasonRulesUnknown, decide.Explain(unknowns)}
	case decided == 0:
		return Decision{metav1.ConditionUnknown, udsv1alpha1.ReasonRulesUnknown, "no rule of the bundle in force judges this"}
	default:
		return Decision{metav1.ConditionTrue, udsv1alpha1.ReasonRulesPass, "every rule that judges this live passes"}
	}
}
