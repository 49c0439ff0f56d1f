package outcome

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/policy/engine"
)

func TestTheReasonsAreThoseOfBothAPIs(t *testing.T) {
	for uds, virtfoundry := range map[string]string{
		udsv1alpha1.ReasonPolicyAllowed: virtfoundryv1alpha1.ReasonPolicyAllowed, udsv1alpha1.ReasonPolicyDenied: virtfoundryv1alpha1.ReasonPolicyDenied,
		udsv1alpha1.ReasonPolicyUnknown: virtfoundryv1alpha1.ReasonPolicyUnknown, udsv1alpha1.ReasonOwnedByOther: virtfoundryv1alpha1.ReasonOwnedByOther,
		udsv1alpha1.ReasonForbidden: virtfoundryv1alpha1.ReasonForbidden, udsv1alpha1.ReasonApplyFailed: virtfoundryv1alpha1.ReasonApplyFailed,
		udsv1alpha1.ReasonRulesPass: virtfoundryv1alpha1.ReasonRulesPass, udsv1alpha1.ReasonRulesFail: virtfoundryv1alpha1.ReasonRulesFail,
		udsv1alpha1.ReasonRulesUnknown: virtfoundryv1alpha1.ReasonRulesUnknown,
	} {
		if uds != virtfoundry {
			t.Errorf("%s and %s", uds, virtfoundry)
		}
	}
}

func TestADenialOutweighsAnUnknownAndBothOutweighLeave(t *testing.T) {
	for name, row := range map[string]struct {
		decisions []Decision
		want      Decision
	}{
		"nothing was asked":    {nil, Allowed()},
		"all allow":            {[]Decision{Allowed(), Allowed()}, Allowed()},
		"one is unknown":       {[]Decision{Allowed(), Unknown("a"), Unknown("b")}, Unknown("a; b")},
		"one denies":           {[]Decision{Unknown("a"), Denied("b"), Allowed()}, Denied("b")},
		"all denials are told": {[]Decision{Denied("a"), Denied("b")}, Denied("a; b")},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, Together(row.decisions...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAConditionIsTrueOnlyWhenARuleSaysSo(t *testing.T) {
	verdict := func(topic string, value engine.Value) engine.Verdict {
		return engine.Verdict{Rule: &engine.Rule{ID: "X-001", Topic: topic}, Value: value, Why: string(value)}
	}
	for name, row := range map[string]struct {
		verdicts []engine.Verdict
		status   metav1.ConditionStatus
		reason   string
	}{
		"no rule":             {nil, metav1.ConditionUnknown, "RulesUnknown"},
		"another topic":       {[]engine.Verdict{verdict("b", engine.Pass)}, metav1.ConditionUnknown, "RulesUnknown"},
		"a pass":              {[]engine.Verdict{verdict("a", engine.Pass), verdict("b", engine.Fail)}, metav1.ConditionTrue, "RulesPass"},
		"does not apply":      {[]engine.Verdict{verdict("a", engine.NotApplicable)}, metav1.ConditionTrue, "RulesPass"},
		"an unknown":          {[]engine.Verdict{verdict("a", engine.Pass), verdict("a", engine.Unknown)}, metav1.ConditionUnknown, "RulesUnknown"},
		"a fail":              {[]engine.Verdict{verdict("a", engine.Unknown), verdict("a", engine.Fail)}, metav1.ConditionFalse, "RulesFail"},
		"a word nobody knows": {[]engine.Verdict{verdict("a", "perhaps")}, metav1.ConditionUnknown, "RulesUnknown"},
	} {
		t.Run(name, func(t *testing.T) {
			got := OfTopics(decide.Judgement{Verdicts: row.verdicts}, "a")
			if got.Status != row.status || got.Reason != row.reason {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAnErrorOfAWriteHasOneConsequence(t *testing.T) {
	resource := schema.GroupResource{Resource: "secrets"}
	terminating := apierrors.NewForbidden(resource, "x", errors.New("terminating"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	other := errors.New("connection refused")
	wrapped := func(err error) error { return fmt.Errorf("Secret n/x: %w", err) }
	for name, row := range map[string]struct {
		err  error
		want Failure
	}{
		"another's":          {apply.ErrOwnedByOther, Failure{Decision: Decision{Reason: "OwnedByOther"}, Terminal: true}},
		"no right":           {apierrors.NewForbidden(resource, "x", errors.New("no")), Failure{Decision: Decision{Reason: "Forbidden", Message: "do this"}}},
		"namespace goes":     {terminating, Failure{Decision: Decision{Reason: "ApplyFailed"}}},
		"read too early":     {apierrors.NewConflict(resource, "x", errors.New("stale")), Failure{Quiet: true}},
		"made meanwhile":     {apierrors.NewAlreadyExists(resource, "x"), Failure{Quiet: true}},
		"the server is away": {other, Failure{Decision: Decision{Reason: "ApplyFailed"}, Err: other}},
	} {
		t.Run(name, func(t *testing.T) {
			got := OfWrite(wrapped(row.err), "do this")
			same := got.Terminal == row.want.Terminal && got.Quiet == row.want.Quiet && got.Decision.Reason == row.want.Decision.Reason &&
				strings.HasPrefix(got.Decision.Message, row.want.Decision.Message) && (got.Err != nil) == (row.want.Err != nil)
			comesBack := got.Err != nil || got.Terminal || got.Result.RequeueAfter > 0
			if !same || !comesBack {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestALongMessageIsClippedAtALetter(t *testing.T) {
	if got := Clip(strings.Repeat("ä", 2000)); len([]rune(got)) != 1024 || !strings.HasSuffix(got, "ä…") {
		t.Errorf("%d letters", len([]rune(got)))
	}
	if got := Clip("short"); got != "short" {
		t.Error(got)
	}
}

func TestKeptForgets(t *testing.T) {
	kept := NewKept[string]()
	kept.Accept("a", "policy")
	if got, found := kept.Last("a"); !found || got != "policy" {
		t.Error(got, found)
	}
	kept.Forget("a")
	if _, found := kept.Last("a"); found {
		t.Error("not forgotten")
	}
}
