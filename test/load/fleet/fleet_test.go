package fleet

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

func small() Fleet { return Fleet{PerNamespace: 10} }

func TestTheSameMachineIsMadeEachTime(t *testing.T) {
	for _, i := range []int{0, BrokenOneIn - 1, 9999} {
		first, err := small().At(i)
		if err != nil {
			t.Fatal(err)
		}
		second, err := small().At(i)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("machine %d (-first +second):\n%s", i, diff)
		}
	}
}

func TestTwoInAHundredMachinesAreBrokenInEveryWay(t *testing.T) {
	const machines = 1000
	ways := map[Break]int{}
	for i := range machines {
		ways[breakOf(i)]++
	}
	if broken := machines - ways[None]; broken != machines*2/100 {
		t.Errorf("%d of %d are broken", broken, machines)
	}
	for _, way := range Breaks() {
		if ways[way] == 0 {
			t.Errorf("none of %d machines is broken by %s", machines, way)
		}
	}
}

// judge returns the topics of the verdicts on the i-th machine that are neither pass nor not-applicable.
func judge(t *testing.T, cache *Cache, j *decide.Judge, i int) map[string]engine.Value {
	t.Helper()
	machine, err := small().At(i)
	if err != nil {
		t.Fatal(err)
	}
	gathered, err := gather.FromReader(cache, Created).UDSVirtualMachine(context.Background(), machine.Resource, facts.Live)
	if err != nil {
		t.Fatal(err)
	}
	judgement := j.Verdicts(context.Background(), gathered)
	if len(judgement.Verdicts) == 0 {
		t.Fatalf("machine %d is not judged", i)
	}
	amiss := map[string]engine.Value{}
	for _, v := range judgement.Verdicts {
		if v.Value != engine.Pass && v.Value != engine.NotApplicable {
			amiss[v.Rule.Topic] = v.Value
			t.Logf("machine %d %q: %s %s: %s", i, machine.Break, v.Rule.ID, v.Value, v.Why)
		}
	}
	return amiss
}

func TestEachBreakIsSeenAndHardenedMachinesPass(t *testing.T) {
	_, j, _, err := decide.Load(context.Background(), engine.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[Break]map[string]engine.Value{
		NoPolicy:     {"network-isolation": engine.Fail},
		AllowAll:     {"network-isolation": engine.Fail},
		BridgedNIC:   {"secondary-network": engine.Fail},
		Password:     {"cloud-init-auth": engine.Fail},
		NoCloudInit:  {"cloud-init-auth": engine.Unknown, "cloud-init-root": engine.Unknown},
		NoChecksum:   {"image-integrity": engine.Fail},
		DedicatedCPU: {"dedicated-cpu": engine.Fail},
	}
	cache, err := small().NewCache()
	if err != nil {
		t.Fatal(err)
	}
	if err := cache.Grow(len(Breaks()) * BrokenOneIn); err != nil {
		t.Fatal(err)
	}
	for i, way := range Breaks() {
		broken := i*BrokenOneIn + BrokenOneIn - 1
		amiss := judge(t, cache, j, broken)
		for topic, value := range want[way] {
			if amiss[topic] != value {
				t.Errorf("%s: %s is %q, want %s", way, topic, amiss[topic], value)
			}
		}
		for _, neighbour := range []int{broken - 1, broken + 1 - small().PerNamespace} {
			if rest := judge(t, cache, j, neighbour); len(rest) > 0 {
				t.Errorf("machine %d beside one with %s: %v", neighbour, way, rest)
			}
		}
	}
	if len(want) != len(Breaks()) {
		t.Errorf("%d ways are expected, there are %d", len(want), len(Breaks()))
	}
}
