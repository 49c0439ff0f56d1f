package engine

import (
	"context"
	"os"
	"testing"
	"testing/fstest"
)

func TestLibrariesPassTheirOwnTests(t *testing.T) {
	bundle := bundleWith(t, nil)
	for _, name := range []string{"lib/result_test.rego", "lib/verdict_test.rego"} {
		text, err := os.ReadFile("../bundle/" + name)
		if err != nil {
			t.Fatal(err)
		}
		bundle[name] = &fstest.MapFile{Data: text}
	}
	s, err := Load(context.Background(), source(t, bundle))
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Test(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Err(); err != nil || result.Passed == 0 {
		t.Errorf("%d passed: %v", result.Passed, err)
	}
}
