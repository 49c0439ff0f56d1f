package dashboards

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"

	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/policy/engine"
)

// UID is the dashboard's id, which links to it rely on.
const UID = "cato-continuous-ato"

const (
	gridColumns   = 24
	numberHeight  = 4
	listHeight    = 9
	defaultHeight = 8
	nothing       = "no data"
)

// JSON returns the dashboard as Grafana imports it.
func JSON() ([]byte, error) {
	d, err := build()
	if err != nil {
		return nil, fmt.Errorf("dashboard %s: %w", UID, err)
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

func build() (dashboard.Dashboard, error) {
	builder := dashboard.NewDashboardBuilder("Cato: continuous ATO").
		Uid(UID).
		Description("Posture of tenants and virtual machines by NIST SP 800-53 control, as Cato's rules judge it at every change.").
		Tags([]string{"cato", "compliance", "kubevirt"}).
		Readonly().
		Refresh("30s").
		Time("now-6h", "now").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus")).
		WithVariable(dashboard.NewQueryVariableBuilder(frameworkVariable).Label("Framework").Datasource(source()).
			Query(dashboard.StringOrMap{String: cog.ToPtr(fmt.Sprintf("label_values(%s, %s)", metrics.ControlVerdict, metrics.LabelFramework))}).
			Refresh(dashboard.VariableRefreshOnTimeRangeChanged))
	y := uint32(0)
	id := uint32(0)
	for _, r := range rows() {
		id++
		builder.WithRow(dashboard.NewRowBuilder(r.title).Id(id).GridPos(dashboard.GridPos{W: gridColumns, H: 1, Y: y}))
		y++
		x, tallest := uint32(0), uint32(0)
		for _, p := range r.panels {
			if x+p.width > gridColumns {
				x, y, tallest = 0, y+tallest, 0
			}
			id++
			at := dashboard.GridPos{X: x, Y: y, W: p.width, H: height(p.kind)}
			built, err := draw(p)
			if err != nil {
				return dashboard.Dashboard{}, fmt.Errorf("panel %q: %w", p.title, err)
			}
			built.Id, built.GridPos = cog.ToPtr(id), &at
			builder.WithPanel(finished{built})
			x, tallest = x+p.width, max(tallest, at.H)
		}
		y += tallest
	}
	return builder.Build()
}

// finished is a panel that is built already.
type finished struct{ panel dashboard.Panel }

func (f finished) Build() (dashboard.Panel, error) { return f.panel, nil }

func height(k kind) uint32 {
	switch k {
	case number, name:
		return numberHeight
	case list:
		return listHeight
	default:
		return defaultHeight
	}
}

func source() common.DataSourceRef {
	return common.DataSourceRef{Type: cog.ToPtr("prometheus"), Uid: cog.ToPtr("${datasource}")}
}

func draw(p panel) (dashboard.Panel, error) {
	switch p.kind {
	case number, name:
		text := common.BigValueTextModeValue
		if p.kind == name {
			text = common.BigValueTextModeName
		}
		return stat.NewPanelBuilder().Title(p.title).Description(p.description).Unit(p.unit).Datasource(source()).NoValue(nothing).
			TextMode(text).GraphMode(common.BigValueGraphModeNone).Targets(targets(p, true)).Thresholds(thresholds(p.limits)).Build()
	case list:
		return table.NewPanelBuilder().Title(p.title).Description(p.description).Unit(p.unit).Datasource(source()).NoValue(nothing).
			Targets(targets(p, true)).Thresholds(thresholds(p.limits)).Mappings(mappings(p.values)).
			CellOptions(colorText()).Filterable(true).WithTransformation(withoutTime(p)).Build()
	case timeline:
		return statetimeline.NewPanelBuilder().Title(p.title).Description(p.description).Unit(p.unit).Datasource(source()).NoValue(nothing).
			Targets(targets(p, false)).Mappings(mappings(p.values)).MergeValues(true).ShowValue(common.VisibilityModeNever).Build()
	case bars:
		return bargauge.NewPanelBuilder().Title(p.title).Description(p.description).Unit(p.unit).Datasource(source()).NoValue(nothing).
			Targets(targets(p, true)).Thresholds(thresholds(p.limits)).Min(0).Max(1).Orientation(common.VizOrientationHorizontal).Build()
	case lines:
		return timeseries.NewPanelBuilder().Title(p.title).Description(p.description).Unit(p.unit).Datasource(source()).NoValue(nothing).
			Targets(targets(p, false)).Thresholds(thresholds(p.limits)).Min(0).FillOpacity(10).Build()
	default:
		return dashboard.Panel{}, fmt.Errorf("no such kind: %d", p.kind)
	}
}

func targets(p panel, instant bool) []cog.Builder[variants.Dataquery] {
	built := make([]cog.Builder[variants.Dataquery], 0, len(p.queries))
	for i, q := range p.queries {
		target := prometheus.NewDataqueryBuilder().Expr(q.Expr).RefId(string(rune('A' + i))).Datasource(source()).
			EditorMode(prometheus.QueryEditorModeCode)
		if q.Legend != "" {
			target.LegendFormat(q.Legend)
		}
		if instant {
			target.Instant()
		} else {
			target.Range()
		}
		if p.kind == list {
			target.Format(prometheus.PromQueryFormatTable)
		}
		built = append(built, target)
	}
	return built
}

func colorText() common.TableCellOptions {
	return common.TableCellOptions{TableColorTextCellOptions: common.NewTableColorTextCellOptions()}
}

// withoutTime leaves out of a table what is the same in each row.
func withoutTime(p panel) dashboard.DataTransformerConfig {
	hidden := map[string]bool{"Time": true}
	if _, words := p.values[string(engine.Pass)]; words {
		hidden["Value"] = true // the verdict is the label, the value is always 1
	}
	return dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{"excludeByName": hidden}}
}

func thresholds(limits []limit) cog.Builder[dashboard.ThresholdsConfig] {
	steps := []dashboard.Threshold{{Color: neutral}}
	for i, l := range limits {
		if i == 0 { // the first holds from minus infinity on, which is null
			steps[0].Color = l.color
			continue
		}
		steps = append(steps, dashboard.Threshold{Value: cog.ToPtr(l.from), Color: l.color})
	}
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(steps)
}

func mappings(states map[string]state) []dashboard.ValueMapping {
	if len(states) == 0 {
		return nil
	}
	options := map[string]dashboard.ValueMappingResult{}
	for i, value := range slices.Sorted(maps.Keys(states)) {
		s := states[value]
		options[value] = dashboard.ValueMappingResult{Text: cog.ToPtr(s.text), Color: cog.ToPtr(s.color), Index: cog.ToPtr(int32(i))}
	}
	return []dashboard.ValueMapping{{ValueMap: &dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: options}}}
}
