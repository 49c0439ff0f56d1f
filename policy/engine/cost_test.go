//go:build unix

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
)

// BenchmarkRule reports the processor time of one rule of thirty on facts of about 1.8 KB, fold and evidence included.
func BenchmarkRule(b *testing.B) {
	const count = 30
	bodies := map[string]string{}
	for i := range count {
		bodies[fmt.Sprintf("NET-%03d", i)] = []string{closedBody, nicsBody}[i%2]
	}
	s := load(b, rules(bodies))
	document, ok := decoded(b, goodText).(map[string]any)
	if !ok {
		b.Fatal("facts are not an object")
	}
	labels := map[string]any{}
	for i := range 24 {
		labels[fmt.Sprintf("app.example.com/label-%02d", i)] = "a value of some thirty letters"
	}
	document["labels"] = labels
	text, err := json.Marshal(document)
	if err != nil {
		b.Fatal(err)
	}
	value, err := ast.InterfaceToValue(document)
	if err != nil {
		b.Fatal(err)
	}
	in := Input{Value: value}
	b.ReportAllocs()
	before := processorMicroseconds(b)
	for b.Loop() {
		if got, _ := s.Judge(context.Background(), "VirtualMachine", Live, in); len(got) != count || got[0].Value != Pass {
			b.Fatalf("%d verdicts, the first %s", len(got), got[0].Value)
		}
	}
	b.ReportMetric(float64(processorMicroseconds(b)-before)/float64(b.N*count), "cpu-µs/rule")
	b.ReportMetric(float64(len(text)), "facts-bytes")
}

// processorMicroseconds is the time that this process has computed: on a shared machine the clock shows others too.
func processorMicroseconds(b testing.TB) int64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return (usage.Utime.Nano() + usage.Stime.Nano()) / 1000
}

func BenchmarkLoadOfTwentyRules(b *testing.B) {
	bodies := map[string]string{}
	for i := range 20 {
		bodies[fmt.Sprintf("NET-%03d", i)] = []string{closedBody, nicsBody}[i%2]
	}
	files := rules(bodies)
	b.ReportAllocs()
	for b.Loop() {
		load(b, files)
	}
}
