package decide

import (
	"context"
	"maps"

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
