package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func newCatalog(t *testing.T) *Catalog {
	t.Helper()
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheCatalogHoldsWhatTheSourcesHold(t *testing.T) {
	c := newCatalog(t)
	withdrawn, unchecked := 0, 0
	for _, control := range c.Controls() {
		if control.Withdrawn {
			withdrawn++
		} else if control.Objectives == nil {
			unchecked++
		}
	}
	got := map[string]int{
		"all": len(c.Controls()), "withdrawn": withdrawn, "without objectives": unchecked,
		"low": len(c.Baseline("low")), "moderate": len(c.Baseline("moderate")),
		"high": len(c.Baseline("high")), "privacy": len(c.Baseline("privacy")), "none": len(c.Baseline("secret")),
	}
	want := map[string]int{
		"all": 1189, "withdrawn": 182, "without objectives": 543,
		"low": 149, "moderate": 287, "high": 370, "privacy": 96, "none": 0,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCheckNamesTheIdAndTheRemedy(t *testing.T) {
	c := newCatalog(t)
	for name, test := range map[string]struct {
		control                string
		statements, objectives []string
		want                   string // part of the error, empty for none
	}{
		"a statement and an objective":                       {"sc-7", []string{"sc-7_smt.a"}, []string{"sc-7_obj.a-1"}, ""},
		"a statement of a control that SP 800-53A data lack": {"ac-2.6", []string{"ac-2.6_smt"}, nil, ""},
		"the publication's spelling":                         {"SC-7(5)", []string{"sc-7.5_smt"}, nil, `write the OSCAL id "sc-7.5"`},
		"no such control":                                    {"sc-99", []string{"sc-99_smt"}, nil, `control "sc-99": not in nist-800-53r5`},
		"a withdrawn control":                                {"ac-13", []string{"ac-13_smt"}, nil, "withdrawn"},
		"neither statement nor objective":                    {"sc-7", nil, nil, "such as sc-7_smt"},
		"a statement of another control":                     {"sc-7", []string{"sc-8_smt"}, nil, `statement "sc-8_smt": not of control "sc-7"`},
		"an objective of another control":                    {"sc-7", nil, []string{"sc-7.5_obj-1"}, `objective "sc-7.5_obj-1": not of control "sc-7"`},
		"an objective that cannot be checked":                {"ac-2.6", nil, []string{"ac-2.6_obj"}, "name a statement: ac-2.6_smt"},
		"a list that is cut":                                 {"ac-1", []string{"x"}, nil, "ac-1_smt.c.2"},
		"a list of objectives that is cut":                   {"ac-1", nil, []string{"x"}, "and 12 more"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.Check(test.control, test.statements, test.objectives)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestBothSpellingsNameTheSameControl(t *testing.T) {
	c := newCatalog(t)
	for _, control := range c.Controls() {
		id, err := c.Parse(Display(control.ID))
		if err != nil || id != control.ID {
			t.Fatalf("%s is displayed as %s, which is read as %q, %v", control.ID, Display(control.ID), id, err)
		}
	}
	for text, want := range map[string]string{"SC-7(5)": "sc-7.5", "SC-07(05)": "sc-7.5", "\tsi-7\n": "si-7", "cm-7.5": "cm-7.5"} {
		if got, err := c.Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "SC", "SC-", "SC-7(", "SC-7(99)", "(", "-", "sc-7_smt"} {
		if got, err := c.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %q, want an error", text, got)
		}
	}
}

func TestLeavesAreTheObjectivesThatNothingRefines(t *testing.T) {
	c := newCatalog(t)
	for control, want := range map[string][]string{
		"sc-7.5": {"sc-7.5_obj-1", "sc-7.5_obj-2"},
		"ac-2.1": {"ac-2.1_obj"},
		"ac-2.6": nil,
		"sc-99":  nil,
	} {
		if d := cmp.Diff(want, c.Leaves(control)); d != "" {
			t.Errorf("%s: %s", control, d)
		}
	}
	if Refines("sc-7.5_obj-1", "sc-7.5_obj-1") || Refines("sc-7_obj.ab", "sc-7_obj.a") {
		t.Error("neither itself nor a longer name is a part")
	}
}

func TestTheDocumentedControlIsFound(t *testing.T) {
	got, ok := newCatalog(t).Control("sc-7.5")
	want := Control{
		ID: "sc-7.5", Title: got.Title, Family: "sc", Parent: "sc-7", Baselines: []string{"moderate", "high"},
		Statements: []string{"sc-7.5_smt"}, Objectives: []string{"sc-7.5_obj", "sc-7.5_obj-1", "sc-7.5_obj-2"},
	}
	if d := cmp.Diff(want, got); d != "" || !ok || got.Title == "" {
		t.Error(ok, d)
	}
}

func TestControlsSortAsInThePublication(t *testing.T) {
	ids := []string{"sc-7.10", "sc-7", "ac-10", "si-7", "sc-7.5", "ac-2", "cm-7.5"}
	slices.SortFunc(ids, Compare)
	want := []string{"ac-2", "ac-10", "cm-7.5", "sc-7", "sc-7.5", "sc-7.10", "si-7"}
	if d := cmp.Diff(want, ids); d != "" {
		t.Error(d)
	}
}
