package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"cato.dev/cato/cmd/catoctl/check"
)

type checkOptions struct {
	paths  []string
	output string

	now     func() time.Time
	streams genericiooptions.IOStreams
}

func (a app) checkCommand() *cobra.Command {
	o := &checkOptions{now: a.now, streams: a.streams}
	command := &cobra.Command{
		Use: "check -f PATH", Short: "Judge manifests or a dump, without a cluster", Args: cobra.NoArgs,
		Long: `Judge Tenants, UDSVirtualMachines and VirtualMachines of YAML or JSON documents by the rules that judge the cluster.

A custom resource without metadata.uid is a plan: its children are rendered as the operator would write them, then judged. One with a uid is a dump of a cluster: it is judged with its children exactly as they are in the input. What the input does not hold does not exist, except that what a plan names and the input lacks (a Secret, a DataSource) is unknown, and that facts of the cluster take defaults, which are printed. Documents of other kinds are skipped and counted.

Exit codes: 0 every verdict is pass or not-applicable; 1 one is fail or unknown; 2 a part of the input could not be read (what could be is judged all the same).`,
		Example: `  # a pull request
  catoctl check -f config/samples

  # what a cluster holds
  kubectl get tenants,udsvm,vm,vmi,dv,pvc,netpol,quota,limits,secrets,ns -A -o yaml | catoctl check -f - -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	command.Flags().StringArrayVarP(&o.paths, "filename", "f", nil, "file, folder (all *.yaml, *.yml and *.json below it) or - for stdin; repeatable")
	command.Flags().StringVarP(&o.output, "output", "o", "table", "table, json or yaml")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}

func (o *checkOptions) validate() error {
	if len(o.paths) == 0 {
		return fmt.Errorf("-f is missing: name a file, a folder, or - for stdin")
	}
	if o.output != "table" && o.output != "json" && o.output != "yaml" {
		return fmt.Errorf("-o %q: use table, json or yaml", o.output)
	}
	stdin := 0
	for _, path := range o.paths {
		if path == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return fmt.Errorf("-f - is given %d times: stdin can be read once", stdin)
	}
	return nil
}

func (o *checkOptions) run(ctx context.Context) error {
	checker, err := check.New(ctx, o.now)
	if err != nil {
		return err
	}
	sources, err := o.sources()
	if err != nil {
		return err
	}
	report, err := checker.Check(ctx, sources...)
	if err != nil {
		return err
	}
	for _, problem := range report.Errors {
		fmt.Fprintf(o.streams.ErrOut, "error: %s\n", problem)
	}
	print := func() error { return printAs(o.streams.Out, o.output, report, report.WriteTable) }
	if o.output == "json" {
		print = func() error { return report.WriteJSON(o.streams.Out) }
	}
	if err := print(); err != nil {
		return err
	}
	if code := report.ExitCode(); code != 0 {
		return exitError{code: code}
	}
	return nil
}

// sources opens nothing yet: a folder may hold more files than may be open.
func (o *checkOptions) sources() ([]check.Source, error) {
	var sources []check.Source
	for _, path := range o.paths {
		if path == "-" {
			sources = append(sources, check.Source{Name: "stdin", Reader: o.streams.In})
			continue
		}
		names, err := manifests(path)
		if err != nil {
			return nil, fmt.Errorf("-f %s: %w", path, err)
		}
		for _, name := range names {
			sources = append(sources, check.Source{Name: name, Reader: &lazyFile{name: name}})
		}
	}
	return sources, nil
}

// manifests lists a file, or what a folder holds, in order.
func manifests(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var names []string
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		isManifest := slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name)))
		if err == nil && !entry.IsDir() && isManifest {
			names = append(names, name)
		}
		return err
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("the folder has no *.yaml, *.yml or *.json")
	}
	return names, err
}

// lazyFile is a file that is opened by the first read and closed at its end.
type lazyFile struct {
	name string
	file *os.File
	end  error
}

func (l *lazyFile) Read(p []byte) (int, error) {
	if l.end != nil {
		return 0, l.end
	}
	if l.file == nil {
		if l.file, l.end = os.Open(l.name); l.end != nil {
			return 0, l.end
		}
	}
	n, err := l.file.Read(p)
	if err != nil {
		l.end = err
		if closing := l.file.Close(); errors.Is(err, io.EOF) && closing != nil {
			l.end = closing
		}
	}
	return n, l.end
}
