// Package decide asks the policy engine about a subject. It is the one way from
// gathered objects to verdicts and grants, at every moment: check, admission,
// plan and live differ in what is gathered and in nothing else.
package decide

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

// Judge asks one engine.
type Judge struct {
	engine  *engine.Engine
	encoder *facts.Encoder
}

// New returns a Judge of the engine.
func New(e *engine.Engine) (*Judge, error) {
	encoder, err := facts.NewEncoder()
	if err != nil {
		return nil, err
	}
	return &Judge{engine: e, encoder: encoder}, nil
}

// Judgement is what the rules say of one subject at one moment.
type Judgement struct {
	Subject     facts.Subject
	Owns        string // the namespace that a Tenant stands for; empty for other kinds
	Moment      facts.Moment
	Verdicts    []engine.Verdict
	Later       []*engine.Rule // rules of the kind that judge at other moments only
	Profile     string         // the profile in force, as people name it
	Assumptions []string
	Revision    string
	modes       map[string]catov1alpha1.Mode
}

// Verdicts judges what was gathered by every rule of its kind and moment.
func (j *Judge) Verdicts(ctx context.Context, g *facts.Gathered) Judgement {
	set := j.engine.Current()
	in := facts.Build(g)
	judgement := judgementOf(g, &in, set)
	judgement.Verdicts, judgement.Later = set.Judge(ctx, in.Subject.Kind, in.Moment, j.input(g, &in))
	return judgement
}

// Undetermined is the judgement of a subject that could not be read: unknown by
// every rule of its kind and moment, for the one reason.
func (j *Judge) Undetermined(subject facts.Subject, moment facts.Moment, reason string) Judgement {
	set := j.engine.Current()
	judgement := Judgement{Subject: subject, Moment: moment, Revision: set.Revision}
	for _, rule := range set.RulesFor(subject.Kind) {
		if !rule.JudgesAt(string(moment)) {
			judgement.Later = append(judgement.Later, rule)
			continue
		}
		judgement.Verdicts = append(judgement.Verdicts, engine.Verdict{Rule: rule, Value: engine.Unknown, Why: reason, Gap: reason, Revision: set.Revision})
	}
	return judgement
}

// Changed judges only by the rules that read one of the groups of facts
// (dotted paths of the document); the others' verdicts stand.
func (j *Judge) Changed(ctx context.Context, g *facts.Gathered, groups []string) Judgement {
	set := j.engine.Current()
	in := facts.Build(g)
	judgement := judgementOf(g, &in, set)
	judgement.Verdicts = set.JudgeChanged(ctx, in.Subject.Kind, in.Moment, j.input(g, &in), groups)
	return judgement
}

func judgementOf(g *facts.Gathered, in *facts.Input, set *engine.Set) Judgement {
	judgement := Judgement{
		Subject: in.Subject, Moment: g.Moment, Profile: g.Profile.String(), Assumptions: g.Assumptions, Revision: set.Revision,
		modes: map[string]catov1alpha1.Mode{},
	}
	for _, tenant := range in.Object.Tenant {
		judgement.Owns = tenant.NamespaceName
	}
	for _, rule := range g.Profile.Parameters.Rules {
		judgement.modes[rule.ID] = rule.Mode
	}
	return judgement
}

// input hands over the facts. What may not be seen takes the certainty from a
// fail too, where that gates no write: before a write a fail refuses it.
func (j *Judge) input(g *facts.Gathered, in *facts.Input) engine.Input {
	input := engine.Input{Value: j.encoder.Encode(in), Gaps: maps.Clone(in.Gaps)}
	if g.Moment == facts.Live {
		input.Unseen = maps.Clone(g.Unseen)
	}
	return input
}

// Grant asks whether a privilege is given. An error tells why it could not be
// determined; the privilege is then not given.
func (j *Judge) Grant(ctx context.Context, name string, g *facts.Gathered) (engine.Permission, error) {
	in := facts.Build(g)
	return j.engine.Current().Grant(ctx, name, j.input(g, &in))
}

// Knows tells whether the bundle in force has a rule.
func (j *Judge) Knows(rule string) bool {
	_, found := j.engine.Current().Rule(rule)
	return found
}

// Remedy tells what would have a grant given, for the message of a refusal.
func (j *Judge) Remedy(name string) string {
	for _, grant := range j.engine.Current().Grants() {
		if grant.Name == name {
			return fmt.Sprintf("%s is granted by: %s", grant.Title, grant.Source)
		}
	}
	return "the policy bundle has no grant " + name
}

// Refusals are the verdicts that stop a write at the judgement's moment: the
// fails of rules that enforce there and are not set to warn or audit.
func (j *Judgement) Refusals() []engine.Verdict {
	return j.enforced(func(v engine.Verdict) bool { return v.Value == engine.Fail })
}

// Waits are the verdicts that hold a write back until more is known
// (decision 3): the unknowns of enforcing rules that do not merely report them.
func (j *Judgement) Waits() []engine.Verdict {
	return j.enforced(func(v engine.Verdict) bool {
		return v.Value == engine.Unknown && v.Rule.OnUnknown != "report"
	})
}

func (j *Judgement) enforced(chosen func(engine.Verdict) bool) []engine.Verdict {
	return slices.DeleteFunc(slices.Clone(j.Verdicts), func(v engine.Verdict) bool {
		mode := j.mode(v.Rule)
		softened := mode == catov1alpha1.ModeWarn || mode == catov1alpha1.ModeAudit
		return softened || !v.Rule.EnforcesAt(string(j.Moment)) || !chosen(v)
	})
}

// mode is what the profile in force sets for a rule, else the rule's own for
// the kind; empty is to enforce where the rule does.
func (j *Judgement) mode(rule *engine.Rule) catov1alpha1.Mode {
	if mode, set := j.modes[rule.ID]; set && mode != "" {
		return mode
	}
	if rule.WarnsOf(j.Subject.Kind) {
		return catov1alpha1.ModeWarn
	}
	return ""
}

// Warnings are what a user should know although it stops nothing: unknowns at
// admission, and fails of rules that are set to warn.
func (j *Judgement) Warnings() []engine.Verdict {
	return slices.DeleteFunc(slices.Clone(j.Verdicts), func(v engine.Verdict) bool {
		warned := v.Value == engine.Fail && j.mode(v.Rule) == catov1alpha1.ModeWarn
		unknown := v.Value == engine.Unknown && v.Rule.EnforcesAt(string(j.Moment)) && j.mode(v.Rule) != catov1alpha1.ModeAudit
		return !warned && !unknown
	})
}

// Explain writes verdicts as one message: rule id, reason and remedy each. Where
// facts are missing the reason is all: the rule's remedy would mend nothing.
func Explain(verdicts []engine.Verdict) string {
	lines := make([]string, 0, len(verdicts))
	for _, v := range verdicts {
		line := v.Rule.ID + ": " + strings.TrimSuffix(v.Why, ".")
		if v.Rule.Remediation != "" && v.Gap == "" {
			line += ". " + v.Rule.Remediation
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}
