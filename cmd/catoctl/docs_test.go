package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"cato.dev/cato/docs/markdown"
)

// TestTheCommandsOfThePagesParse holds README.md and docs to the commands and flags that there are.
func TestTheCommandsOfThePagesParse(t *testing.T) {
	pages, err := markdown.Pages("../..")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := markdown.ReadAll(pages, "sh")
	if err != nil {
		t.Fatal(err)
	}
	parsed := 0
	for _, b := range blocks {
		for _, command := range b.Commands() {
			for part := range strings.SplitSeq(command, " | ") {
				part, _, _ = strings.Cut(part, " > ")
				words := strings.Fields(part)
				name := filepath.Base(words[0])
				if name != "catoctl" && name != "uds-vmctl" {
					continue
				}
				parsed++
				if err := parses(name, words[1:]); err != nil {
					t.Errorf("%s:%d: %s: %v", b.Page, b.Line, command, err)
				}
			}
		}
	}
	if parsed == 0 {
		t.Error("the pages show no command of catoctl")
	}
}

// parses finds the command, its flags and its arguments, and runs nothing.
func parses(name string, words []string) error {
	a := app{name: name, version: "test", now: time.Now, streams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard}}
	command, rest, err := a.root().Find(words)
	if err != nil {
		return err
	}
	if !command.Runnable() {
		return fmt.Errorf("%s does nothing by itself", command.CommandPath())
	}
	if err := command.ParseFlags(rest); err != nil {
		return err
	}
	arguments := command.Flags().Args()
	if err := command.ValidateArgs(arguments); err != nil {
		return err
	}
	return command.ValidateRequiredFlags()
}
