package platform

import (
	"io/fs"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"cato.dev/cato/controllers/internal/fixture"
)

// asked reconciles a file once and returns the notes of the events.
func asked(t *testing.T, tree fs.FS, text string) string {
	t.Helper()
	write(t, text)
	events := &fixture.Events{}
	r := New(deps(t, cluster.Client, tree, events, &recorded{}))
	if _, err := r.Reconcile(t.Context(), reconcile.Request{}); err != nil {
		t.Fatal(err)
	}
	texts := []string{}
	for _, note := range events.Notes {
		texts = append(texts, note.Text)
	}
	return strings.Join(texts, "\n")
}

const isolated = "networking: {isolated: {enabled: true}}"

func TestWithoutGrantsNoBridgeIsMade(t *testing.T) {
	notes := asked(t, fixture.NothingGranted(t), isolated)
	if _, made := bridgesSet(t); made || !strings.Contains(notes, "grant host_bridges is not given") {
		t.Errorf("made %t, notes %q", made, notes)
	}
}

func TestWithAllGrantsAndNoRulesTheBridgesAreMade(t *testing.T) {
	notes := asked(t, fixture.EverythingGranted(t), isolated)
	if _, made := bridgesSet(t); !made || notes != "" {
		t.Errorf("made %t, notes %q", made, notes)
	}
	asked(t, nil, "")
}

func TestAnImageByTagIsRefusedByTheRuleThatNamesTheKey(t *testing.T) {
	notes := asked(t, nil, "networking: {isolated: {enabled: true}, bridge: {image: 'docker.io/library/alpine:3'}}")
	if _, made := bridgesSet(t); made {
		t.Error("it was made")
	}
	for _, part := range []string{"HST-002", "docker.io/library/alpine:3", "networking.bridge.image", "@sha256:"} {
		if !strings.Contains(notes, part) {
			t.Errorf("%q lacks %q", notes, part)
		}
	}
}
