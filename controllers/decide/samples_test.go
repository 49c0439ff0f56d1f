package decide_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

func TestThePlannedChildrenOfEverySamplePassWhatEnforces(t *testing.T) {
	_, judge, _, err := decide.Load(t.Context(), engine.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, name := range names {
		files, err := gather.NewFiles()
		if err != nil {
			t.Fatal(err)
		}
		sample, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := files.Add(name, sample); err != nil {
			t.Fatal(err)
		}
		if err := sample.Close(); err != nil {
			t.Fatal(err)
		}
		gatherer := gather.FromReader(files, time.Now)
		for _, object := range files.Objects() {
			for _, moment := range []facts.Moment{facts.Admission, facts.Plan} {
				var judgement decide.Judgement
				switch o := object.(type) {
				case *virtfoundryv1alpha1.Tenant:
					gathered, err := gatherer.Tenant(t.Context(), o, moment)
					if err != nil {
						t.Fatal(err)
					}
					if judgement, _, err = judge.Tenant(t.Context(), gathered, moment); err != nil {
						t.Fatal(err)
					}
				case *udsv1alpha1.UDSVirtualMachine:
					gathered, err := gatherer.UDSVirtualMachine(t.Context(), o, moment)
					if err != nil {
						t.Fatal(err)
					}
					if judgement, _, err = judge.Machine(t.Context(), gathered, gather.UserData{}, moment); err != nil {
						t.Fatal(err)
					}
				default:
					continue
				}
				judged++
				if len(judgement.Verdicts) == 0 || judgement.Revision == "" {
					t.Errorf("%s at %s: no rule was asked", name, moment)
				}
				if stops := append(judgement.Refusals(), judgement.Waits()...); len(stops) > 0 {
					t.Errorf("%s at %s: %s", name, moment, decide.Explain(stops))
				}
			}
		}
	}
	if judged < 10 {
		t.Errorf("only %d judgements of %d samples", judged, len(names))
	}
}
