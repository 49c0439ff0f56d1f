package decide

import (
	"context"
	"fmt"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// Machine judges the children that would be written for a gathered
// UDSVirtualMachine, at admission or plan. An error names what no children can
// be made of. User data that could not be read is a gap.
func (j *Judge) Machine(ctx context.Context, g *facts.Gathered, userData gather.UserData, moment facts.Moment) (Judgement, *children.Machine, error) {
	machine := g.Machine.DeepCopy()
	machine.Spec.SetDefaults()
	planned, err := children.ForMachine(children.MachineInput{
		Machine: machine, UserData: userData.Data, DNS: facts.DNSOf(&g.Profile.Parameters), Start: true,
	})
	if err != nil {
		return Judgement{}, nil, err
	}
	plan := PlanMachine(g, planned, moment)
	if userData.Missing != "" {
		plan.Gaps = maps.Clone(plan.Gaps)
		plan.Gaps["guest.userData"] = userData.Missing
	}
	return j.Verdicts(ctx, plan), planned, nil
}

// UserData reads the user data that a gathered machine names. A Secret of
// another namespace is read only with the grant (decision 7): the operator's
// rights are not those of who asks.
func (j *Judge) UserData(ctx context.Context, reader client.Reader, g *facts.Gathered) (gather.UserData, error) {
	if !userDataElsewhere(g.Machine) {
		return gather.ReadUserData(ctx, reader, g.Machine)
	}
	permission, err := j.Grant(ctx, CrossNamespaceSource, AsAsked(g))
	switch ref := g.Machine.Spec.Guest.UserDataSecretRef; {
	case err != nil:
		return gather.UserData{Missing: fmt.Sprintf("Secret %s/%s was not read: %v", ref.Namespace, ref.Name, err)}, nil
	case !permission.Given:
		return gather.UserData{Missing: fmt.Sprintf("Secret %s/%s of another namespace was not read: %s", ref.Namespace, ref.Name, j.Remedy(CrossNamespaceSource))}, nil
	default:
		return gather.ReadUserData(ctx, reader, g.Machine)
	}
}

// AsAsked is what was gathered as a plan sees it: what a grant is asked for is
// what the spec wants, not what somebody made of the children meanwhile.
func AsAsked(g *facts.Gathered) *facts.Gathered {
	asked := *g
	asked.Moment = facts.Plan
	return &asked
}

// CrossNamespaceSource is the grant to take content from other namespaces.
const CrossNamespaceSource = "cross_namespace_source"

func userDataElsewhere(machine *udsv1alpha1.UDSVirtualMachine) bool {
	if machine.Spec.Guest == nil || machine.Spec.Guest.UserDataSecretRef == nil {
		return false
	}
	namespace := machine.Spec.Guest.UserDataSecretRef.Namespace
	return namespace != "" && namespace != machine.Namespace
}

// Tenant judges the children that would be written for a gathered Tenant. A
// namespace that the operator may not write stays as it is, and is judged so:
// a plan over somebody else's would look right on paper.
func (j *Judge) Tenant(ctx context.Context, g *facts.Gathered, moment facts.Moment) (Judgement, *children.Tenant, error) {
	planned, err := children.ForTenant(g.Tenant, &g.Profile.Parameters)
	if err != nil {
		return Judgement{}, nil, err
	}
	plan := PlanTenant(g, planned, moment)
	if g.Namespace != nil {
		permission, err := j.Grant(ctx, "namespace_write", g)
		if err != nil || !permission.Given {
			plan.Namespace = g.Namespace
		}
	}
	return j.Verdicts(ctx, plan), planned, nil
}
