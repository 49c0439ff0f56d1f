package decide

import (
	"context"
	"errors"
	"maps"
	"slices"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// The grants that an Instance asks for.
const (
	DedicatedCPU = "dedicated_cpu"
	PodNetwork   = "pod_network"
	AdoptMachine = "machine_adopt"
)

// InstancePlan is what would be written for an Instance and what is said of it.
type InstancePlan struct {
	Judgement Judgement
	Children  *children.Instance // nil when none can be made
	Problem   error              // why not
	// Waits tells that Problem passes by itself.
	Waits bool
	// Dedicated and PodNetwork are the answers to what is asked for; the zero
	// value where it is not.
	Dedicated, PodNetwork Answer
}

// Answer is what a grant said.
type Answer struct {
	Asked bool
	Given bool
	Err   error // why it could not be determined
}

// Instance asks for the privileges that a gathered Instance wants, makes its
// children with those that are given and judges them. Dedicated processors that
// are not granted are left out (the guest runs unpinned), the pod network too.
func (j *Judge) Instance(ctx context.Context, g *facts.Gathered, userData gather.UserData, moment facts.Moment) InstancePlan {
	asked := AsAsked(g)
	p := InstancePlan{
		Dedicated:  j.answer(ctx, DedicatedCPU, asked, AsksDedicated(g)),
		PodNetwork: j.answer(ctx, PodNetwork, asked, facts.AsksPodNetwork(g.Instance)),
	}
	p.Children, p.Problem = children.ForInstance(children.InstanceInput{
		Found: g, UserData: userData.Data, UserDataSecret: userData.Secret, Dedicated: p.Dedicated.Given, PodNetwork: p.PodNetwork.Given,
	})
	if p.Problem != nil {
		var notReady *children.NotReadyError
		p.Waits = errors.As(p.Problem, &notReady)
		p.Judgement = j.Verdicts(ctx, unplanned(g, moment, "no children can be made yet"))
		return p
	}
	plan := PlanInstance(g, p.Children, moment)
	if userData.Missing != "" {
		plan.Gaps = maps.Clone(plan.Gaps)
		plan.Gaps["guest.userData"] = userData.Missing
	}
	p.Judgement = j.Verdicts(ctx, plan)
	return p
}

func (j *Judge) answer(ctx context.Context, grant string, g *facts.Gathered, wanted bool) Answer {
	if !wanted {
		return Answer{}
	}
	permission, err := j.Grant(ctx, grant, g)
	return Answer{Asked: true, Given: err == nil && permission.Given, Err: err}
}

// AsksDedicated tells whether an Instance wants dedicated processors, by itself
// or by its Offering.
func AsksDedicated(g *facts.Gathered) bool {
	return g.Instance.Spec.DedicatedCPU || g.Named.Offering != nil && g.Named.Offering.Spec.DedicatedCPU
}

// unplanned is what was gathered of an Instance that no children can be made
// for: its own fields are judged, and what its children would tell is unknown.
func unplanned(g *facts.Gathered, moment facts.Moment, reason string) *facts.Gathered {
	p := *g
	p.Moment = moment
	p.Gaps = maps.Clone(g.Gaps)
	for _, path := range []string{"network.launchers", "network.nics", "guest", "disks", "images", "compute"} {
		p.Gaps[path] = reason
	}
	return &p
}

// PlanInstance is PlanMachine for an Instance.
func PlanInstance(g *facts.Gathered, planned *children.Instance, moment facts.Moment) *facts.Gathered {
	p := *g
	p.Moment = moment
	p.Gaps = withoutMachineGaps(g.Gaps)
	p.VirtualMachineInstance, p.Launchers = nil, nil
	p.VirtualMachine = children.MergeInstance(planned.VirtualMachine, g.VirtualMachine)
	for _, claim := range planned.Addresses {
		if !slices.ContainsFunc(g.Named.Addresses, func(a virtfoundryv1alpha1.IPAddress) bool { return a.Name == claim.Name }) {
			p.Named.Addresses = append(slices.Clone(p.Named.Addresses), *claim)
		}
	}
	p.Secrets = replaced(g.Secrets, facts.DecodeSecret(planned.CloudInit), func(s facts.Secret) string { return s.Namespace + "/" + s.Name })
	return &p
}

// BootTemplate is the Template that an Instance boots from; nil when it names
// none, or none that exists.
func BootTemplate(g *facts.Gathered) *virtfoundryv1alpha1.Template {
	if len(g.Named.Templates) == 0 {
		return nil
	}
	return &g.Named.Templates[0]
}
