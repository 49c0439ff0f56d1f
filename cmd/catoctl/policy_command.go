package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/policy/engine"
)

// policyList is the output of `policy list -o json`.
type policyList struct {
	Revision string        `json:"revision"`
	Rules    []policyRule  `json:"rules"`
	Grants   []policyGrant `json:"grants"`
}

type policyRule struct {
	ID          string           `json:"id"`
	Topic       string           `json:"topic"`
	Title       string           `json:"title"`
	Severity    string           `json:"severity"`
	Subjects    []string         `json:"subjects"`
	Moments     []string         `json:"moments"`  // at which it judges
	Enforces    []string         `json:"enforces"` // at which a fail stops the write
	OnUnknown   string           `json:"onUnknown"`
	Controls    []engine.Control `json:"controls"`
	Parameters  []string         `json:"parameters"` // of a ComplianceProfile
	Description string           `json:"description"`
	Remediation string           `json:"remediation"`
	Fingerprint string           `json:"fingerprint"`
}

type policyGrant struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Source      string   `json:"source"`
	OnRefusal   string   `json:"onRefusal"`
	Subjects    []string `json:"subjects"`
	Description string   `json:"description"`
}

type policyOptions struct {
	output  string
	streams genericiooptions.IOStreams
}

func (a app) policyCommand() *cobra.Command {
	command := &cobra.Command{Use: "policy", Short: "Show the rules and grants that decide"}
	command.AddCommand(a.policyListCommand(), a.policyShowCommand())
	return command
}

func (a app) policyListCommand() *cobra.Command {
	o := &policyOptions{streams: a.streams}
	command := &cobra.Command{
		Use: "list", Short: "List rules and grants of the embedded bundle", Args: cobra.NoArgs,
		Example: "  catoctl policy list\n  catoctl policy list -o json | jq '.rules[].id'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := loadPolicy(cmd.Context())
			if err != nil {
				return err
			}
			return printAs(o.streams.Out, o.output, list, list.writeTable)
		},
	}
	command.Flags().StringVarP(&o.output, "output", "o", "table", "table, json or yaml")
	return command
}

func (a app) policyShowCommand() *cobra.Command {
	o := &policyOptions{streams: a.streams}
	command := &cobra.Command{
		Use: "show ID", Short: "Show one rule or grant in full", Args: cobra.ExactArgs(1),
		Example: "  catoctl policy show NET-001\n  catoctl policy show dedicated_cpu",
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			list, err := loadPolicy(cmd.Context())
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return list.names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := loadPolicy(cmd.Context())
			if err != nil {
				return err
			}
			for i := range list.Rules {
				if rule := &list.Rules[i]; strings.EqualFold(rule.ID, args[0]) {
					return printAs(o.streams.Out, o.output, rule, rule.write)
				}
			}
			for i := range list.Grants {
				if grant := &list.Grants[i]; grant.Name == args[0] {
					return printAs(o.streams.Out, o.output, grant, grant.write)
				}
			}
			return fmt.Errorf("%q is neither a rule nor a grant: there are %s", args[0], strings.Join(list.names(), ", "))
		},
	}
	command.Flags().StringVarP(&o.output, "output", "o", "table", "table, json or yaml")
	return command
}

func loadPolicy(ctx context.Context) (*policyList, error) {
	e, _, _, err := decide.Load(ctx, engine.Observer{})
	if err != nil {
		return nil, err
	}
	set := e.Current()
	list := &policyList{Revision: set.Revision, Rules: []policyRule{}, Grants: []policyGrant{}}
	for _, r := range set.Rules() {
		list.Rules = append(list.Rules, policyRule{
			ID: r.ID, Topic: r.Topic, Title: r.Title, Severity: r.Severity, Subjects: r.Subjects, Moments: r.Judges,
			Enforces: orNone(r.Enforces), OnUnknown: r.OnUnknown, Controls: r.Controls, Parameters: orNone(r.Parameters),
			Description: r.Description, Remediation: strings.TrimSpace(r.Remediation), Fingerprint: r.Fingerprint,
		})
	}
	for _, g := range set.Grants() {
		list.Grants = append(list.Grants, policyGrant{
			Name: g.Name, Title: g.Title, Source: g.Source, OnRefusal: g.OnRefusal, Subjects: g.Subjects, Description: g.Description,
		})
	}
	return list, nil
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (l *policyList) names() []string {
	names := []string{}
	for i := range l.Rules {
		names = append(names, l.Rules[i].ID)
	}
	for i := range l.Grants {
		names = append(names, l.Grants[i].Name)
	}
	return names
}

func (l *policyList) writeTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RULE\tTOPIC\tCONTROLS\tSEVERITY\tMOMENTS\tTITLE")
	for i := range l.Rules {
		r := &l.Rules[i]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Topic, r.controls(), r.Severity, strings.Join(r.Moments, ","), r.Title)
	}
	fmt.Fprintln(table, "\nGRANT\tON REFUSAL\tTITLE")
	for i := range l.Grants {
		g := &l.Grants[i]
		fmt.Fprintf(table, "%s\t%s\t%s\n", g.Name, g.OnRefusal, g.Title)
	}
	fmt.Fprintf(table, "\nRevision %s\n", l.Revision)
	return table.Flush()
}

func (r *policyRule) controls() string {
	ids := make([]string, 0, len(r.Controls))
	for _, control := range r.Controls {
		ids = append(ids, catalog.Display(control.ID))
	}
	return strings.Join(ids, ",")
}

func (r *policyRule) write(w io.Writer) error {
	return writeFields(w, r.ID+": "+r.Title, r.Description, [][2]string{
		{"Topic", r.Topic}, {"Severity", r.Severity}, {"Subjects", strings.Join(r.Subjects, ", ")}, {"Controls", r.controls()},
		{"Judges at", strings.Join(r.Moments, ", ")}, {"Stops a write at", strings.Join(r.Enforces, ", ")}, {"On unknown", r.OnUnknown},
		{"Parameters", strings.Join(r.Parameters, ", ")}, {"What to do", r.Remediation}, {"Fingerprint", r.Fingerprint},
	})
}

func (g *policyGrant) write(w io.Writer) error {
	return writeFields(w, g.Name+": "+g.Title, g.Description, [][2]string{
		{"Given by", g.Source}, {"On refusal", g.OnRefusal}, {"Subjects", strings.Join(g.Subjects, ", ")},
	})
}

func writeFields(w io.Writer, head, description string, fields [][2]string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n  %s\n\n", head, strings.ReplaceAll(description, "\n", "\n  "))
	for _, field := range fields {
		if field[1] != "" {
			fmt.Fprintf(&b, "%-17s %s\n", field[0]+":", strings.ReplaceAll(field[1], "\n", "\n"+strings.Repeat(" ", 18)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
