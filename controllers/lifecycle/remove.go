package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// mostUsers bounds how many users a message names.
const mostUsers = 5

// Unused asks whether an object that is being deleted may go, and says who uses
// it where it may not.
func (d Deps) Unused(ctx context.Context, found *facts.Gathered) outcome.Decision {
	decision := outcome.OfGrant(ctx, d.Judge, "delete_unused", found)
	switch decision.Status {
	case metav1.ConditionTrue:
		return decision
	case metav1.ConditionUnknown:
		return Failed(virtfoundryv1alpha1.ReasonPolicyUnknown, "whether it is used is not known: "+decision.Message)
	default:
		return Failed(virtfoundryv1alpha1.ReasonInUse, "it is deleted when nothing uses it any more: "+usersText(found, decision.Message))
	}
}

func usersText(found *facts.Gathered, otherwise string) string {
	users := facts.Build(found).Fabric.Users
	names := make([]string, 0, len(users))
	for _, user := range users {
		names = append(names, fmt.Sprintf("%s %s/%s (%s)", user.Kind, user.Namespace, user.Name, user.Path))
	}
	slices.Sort(names)
	more := ""
	if len(names) > mostUsers {
		more = fmt.Sprintf(" and %d more", len(names)-mostUsers)
		names = names[:mostUsers]
	}
	if len(names) == 0 {
		return otherwise
	}
	return strings.Join(names, ", ") + more
}
