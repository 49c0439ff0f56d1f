package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlocksAreReadWithTheFileThatTheyAre(t *testing.T) {
	page := "Text.\n\nWrite `a/b.rego`:\n\n```rego\npackage a\n\nx := 1\n```\n\n```\nplain\n```\n"
	got, err := parse("p.md", page)
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{
		{Page: "p.md", Line: 5, Language: "rego", File: "a/b.rego", Text: "package a\n\nx := 1\n"},
		{Page: "p.md", Line: 11, Text: "plain\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnOpenBlockIsAnError(t *testing.T) {
	if _, err := parse("p.md", "```sh\nls\n"); err == nil {
		t.Error("no error")
	}
}

func TestCommandsAreWholeAndWithoutComments(t *testing.T) {
	b := Block{Text: "# why\nmake demo\n\nkubectl get \\\n  vm\n"}
	if diff := cmp.Diff([]string{"make demo", "kubectl get vm"}, b.Commands()); diff != "" {
		t.Error(diff)
	}
}
