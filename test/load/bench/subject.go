package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"

	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
	"cato.dev/cato/test/load/fleet"
)

// subject is one hardened machine, in every form from its objects' JSON to the
// document that rules read.
type subject struct {
	machine   *fleet.Machine
	objects   [][]byte         // as JSON, the namespace first
	gatherer  *gather.Gatherer // decodes Secrets as it reads them, as catoctl check does
	decoded   *gather.Gatherer // finds them decoded, as in the operator's cache
	gathered  *facts.Gathered
	facts     facts.Input
	factsJSON []byte
	// leastFacts is the size in bytes of the facts before anything of the machine exists but its resource.
	leastFacts int
	input      engine.Input

	decoder k8sruntime.Decoder
	encoder *facts.Encoder
	set     *engine.Set
	judge   *decide.Judge
	stopped int // evaluations that a busy machine had no time for within their deadline
}

func newSubject(ctx context.Context) (*subject, error) {
	s := &subject{}
	loaded, judge, _, err := decide.Load(ctx, engine.Observer{Fallback: func(string, string, error) { s.stopped++ }})
	if err != nil {
		return nil, err
	}
	s.set, s.judge = loaded.Current(), judge
	if s.encoder, err = facts.NewEncoder(); err != nil {
		return nil, err
	}
	scheme, err := gather.Scheme()
	if err != nil {
		return nil, err
	}
	s.decoder = serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme, serializer.SerializerOptions{})
	if s.machine, err = sparse().At(0); err != nil {
		return nil, err
	}
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	s.gatherer = gather.FromReader(files, fleet.Created)
	if s.gathered, err = s.gatherer.UDSVirtualMachine(ctx, s.machine.Resource, facts.Live); err != nil {
		return nil, err
	}
	secrets := s.gathered.Secrets
	s.decoded = gather.FromReader(files, fleet.Created)
	s.decoded.Secrets = func(context.Context, types.NamespacedName) (facts.Secret, error) { return secrets[0], nil }
	s.facts = facts.Build(s.gathered)
	if s.factsJSON, err = json.Marshal(&s.facts); err != nil {
		return nil, err
	}
	least, err := json.Marshal(facts.Build(&facts.Gathered{Moment: facts.Live, Machine: s.machine.Resource, Profile: s.gathered.Profile}))
	if err != nil {
		return nil, err
	}
	s.leastFacts = len(least)
	s.input = engine.Input{Value: s.encoder.Encode(&s.facts), Gaps: s.facts.Gaps}
	return s, s.isWhole(ctx)
}

// files holds the objects as catoctl check reads them.
func (s *subject) files() (*gather.Files, error) {
	files, err := gather.NewFiles()
	if err != nil {
		return nil, err
	}
	for _, object := range append([]k8sruntime.Object{sparse().Namespace(0)}, asObjects(s.machine)...) {
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		s.objects = append(s.objects, text)
	}
	return files, files.Add("fleet", bytes.NewReader(bytes.Join(s.objects, []byte("\n---\n"))))
}

func asObjects(machine *fleet.Machine) []k8sruntime.Object {
	var all []k8sruntime.Object
	for _, object := range machine.Objects() {
		all = append(all, object)
	}
	return all
}

// isWhole makes sure that what is measured is the way of a machine that passes:
// a rule that stops at a gap is cheap.
func (s *subject) isWhole(ctx context.Context) error {
	verdicts, _ := s.set.Judge(ctx, facts.KindUDSVirtualMachine, engine.Live, s.input)
	var problems []error
	for _, v := range verdicts {
		if v.Value != engine.Pass && v.Value != engine.NotApplicable {
			problems = append(problems, fmt.Errorf("the hardened machine: %s is %s: %s", v.Rule.ID, v.Value, v.Why))
		}
	}
	if len(verdicts) == 0 {
		problems = append(problems, errors.New("no rule judges a UDSVirtualMachine"))
	}
	return errors.Join(problems...)
}

func (s *subject) rules(ctx context.Context) int {
	verdicts, _ := s.set.Judge(ctx, facts.KindUDSVirtualMachine, engine.Live, s.input)
	return len(verdicts)
}

func (s *subject) changed(ctx context.Context, group string) []engine.Verdict {
	return s.set.JudgeChanged(ctx, facts.KindUDSVirtualMachine, engine.Live, s.input, []string{group})
}

func (s *subject) grant(ctx context.Context) error {
	_, err := s.set.Grant(ctx, measuredGrant, s.input)
	if errors.Is(err, context.DeadlineExceeded) {
		s.stopped++
		return nil
	}
	return err
}

// whole is everything that one event costs, from the objects in memory to the verdicts.
func (s *subject) whole(ctx context.Context, from *gather.Gatherer) error {
	gathered, err := from.UDSVirtualMachine(ctx, s.machine.Resource, facts.Live)
	if err != nil {
		return err
	}
	s.judge.Verdicts(ctx, gathered)
	return nil
}

func (s *subject) decodeMaps() error {
	for _, text := range s.objects {
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			return err
		}
	}
	return nil
}

func (s *subject) decodeTyped() error {
	for _, text := range s.objects {
		if _, _, err := s.decoder.Decode(text, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *subject) throughJSON() error {
	_, err := ast.InterfaceToValue(&s.facts)
	return err
}

// latencies are the processor times of single whole subjects, without what the
// garbage collector does beside.
func (s *subject) latencies(ctx context.Context, runs int) ([]time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := make([]time.Duration, 0, runs)
	for range runs {
		before, err := threadTime()
		if err != nil {
			return nil, err
		}
		if err := s.whole(ctx, s.decoded); err != nil {
			return nil, err
		}
		after, err := threadTime()
		if err != nil {
			return nil, err
		}
		all = append(all, after-before)
	}
	return all, nil
}
