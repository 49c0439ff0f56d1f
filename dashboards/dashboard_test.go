package dashboards_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"cato.dev/cato/dashboards"
)

func generated(t *testing.T) []byte {
	t.Helper()
	text, err := dashboards.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheDashboardIsWhatGenerateWrites(t *testing.T) {
	text, err := os.ReadFile(dashboards.UID + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, generated(t)) {
		t.Errorf("dashboards/%s.json is out of date: run make generate", dashboards.UID)
	}
}

type drawn struct {
	UID        string `json:"uid"`
	Templating struct {
		List []struct{ Name string }
	}
	Panels []struct {
		ID                       uint32 `json:"id"`
		Type, Title, Description string
		GridPos                  dashboard.GridPos
		Datasource               struct{ UID string }
		FieldConfig              struct {
			Defaults struct{ Unit, NoValue string }
		}
		Targets []struct{ Expr string }
	}
}

func TestEveryPanelSaysWhatItShows(t *testing.T) {
	var d drawn
	if err := json.Unmarshal(generated(t), &d); err != nil {
		t.Fatal(err)
	}
	if d.UID != "cato-continuous-ato" {
		t.Errorf("uid is %q; links rely on it", d.UID)
	}
	var variables, want, got []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
	}
	if diff := cmp.Diff([]string{"datasource", "framework"}, variables); diff != "" {
		t.Error(diff)
	}
	for _, q := range dashboards.Queries() {
		want = append(want, q.Panel+": "+q.Expr)
	}
	ids, cells := map[uint32]bool{}, map[[2]uint32]string{}
	for _, p := range d.Panels {
		if p.ID == 0 || ids[p.ID] {
			t.Errorf("panel %q: id %d is not its own", p.Title, p.ID)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if x >= 24 || cells[[2]uint32{x, y}] != "" {
					t.Fatalf("panel %q lies over %q or outside, at %d,%d", p.Title, cells[[2]uint32{x, y}], x, y)
				}
				cells[[2]uint32{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || p.FieldConfig.Defaults.NoValue != "no data" || p.Datasource.UID != "${datasource}" {
			t.Errorf("panel %q is not complete: %+v", p.Title, p)
		}
		for _, target := range p.Targets {
			got = append(got, p.Title+": "+target.Expr)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Queries() are not those of the panels: %s", diff)
	}
}
