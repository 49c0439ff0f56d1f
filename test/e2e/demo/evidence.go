package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

// Samples of the speed chapter: a p99 needs at least 200.
const (
	fleetSize    = 5
	breaksOfEach = 40
)

// repaired deletes a machine's NetworkPolicy and waits until it stands again.
func (d *demo) repaired(ctx context.Context, namespace, machine string) (time.Duration, error) {
	key := client.ObjectKey{Namespace: namespace, Name: machine + udsv1alpha1.NetworkPolicySuffix}
	var policy networkingv1.NetworkPolicy
	if err := d.stack.Client.Get(ctx, key, &policy); err != nil {
		return 0, err
	}
	old := policy.UID
	started := time.Now()
	if err := d.stack.Client.Delete(ctx, &policy); err != nil {
		return 0, err
	}
	err := d.until(ctx, "NetworkPolicy "+key.String()+" stands again", func() bool {
		return d.stack.Client.Get(ctx, key, &policy) == nil && policy.UID != old
	})
	return time.Since(started), err
}

func (d *demo) howFast(ctx context.Context) error {
	d.chapter(fmt.Sprintf("9. How fast: %d machines, each broken %d times", fleetSize, breaksOfEach))
	names := sensors()
	for _, name := range names {
		if err := d.reaches(ctx, name, udsv1alpha1.PhaseReady); err != nil {
			return err
		}
	}
	var all figures
	var failure error
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, name := range names {
		group.Go(func() {
			for range breaksOfEach {
				took, err := d.repaired(ctx, missionNamespace, name)
				mu.Lock()
				failure = errors.Join(failure, err)
				all.add(took)
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	group.Wait()
	d.say("From the deletion of a NetworkPolicy to its standing again: " + all.String())
	return failure
}

// evidence fetches the documents as an assessor does, and has them checked.
func (d *demo) evidence(ctx context.Context) error {
	d.chapter("10. What an assessor gets")
	// The last break may have stood a moment ago.
	if err := d.until(ctx, "the control is satisfied", func() bool { return d.satisfied(ctx) == "1" }); err != nil {
		return err
	}
	token, err := d.stack.ControlPlane.Kubectl(ctx, "create", "token", "default", "-n", missionNamespace)
	if err != nil {
		return err
	}
	tokenFile := filepath.Join(d.stack.Dir, "assessor.token")
	if err := os.WriteFile(tokenFile, []byte(strings.TrimSpace(token)), 0o600); err != nil {
		return err
	}
	if _, err := d.stack.ControlPlane.Kubectl(ctx, "create", "clusterrolebinding", "assessor",
		"--clusterrole=cato-oscal-reader", "--serviceaccount="+missionNamespace+":default"); err != nil {
		return err
	}
	for _, document := range [][]string{
		{"component-definition"}, {"assessment-plan"}, {"assessment-results", "-n", missionNamespace}, {"assessment-results"},
	} {
		text, err := d.catoctl(ctx, tokenFile, append([]string{"oscal"}, document...)...)
		if err != nil {
			return err
		}
		if err := check([]byte(text)); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(document, " "), err)
		}
		d.say(fmt.Sprintf("%-40s %7d bytes, valid: OSCAL schema and strict check", strings.Join(document, " "), len(text)))
	}
	d.say("\n$ catoctl oscal assessment-results --table")
	table, err := d.catoctl(ctx, tokenFile, "oscal", "assessment-results", "--table")
	if err != nil {
		return err
	}
	d.block(table)
	return nil
}

func (d *demo) catoctl(ctx context.Context, tokenFile string, arguments ...string) (string, error) {
	arguments = append(arguments, "--server", d.stack.OSCALURL, "--token-file", tokenFile,
		"--ca-file", filepath.Join(d.stack.Dir, "certificates", "ca.crt"))
	out, err := exec.CommandContext(ctx, filepath.Join(d.stack.Root, "bin/catoctl"), arguments...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("catoctl %s: %w: %s", strings.Join(arguments[:2], " "), err, exit.Stderr)
	}
	return string(out), err
}

// satisfied is the gauge of the watched control, empty while there is none.
func (d *demo) satisfied(ctx context.Context) string {
	_, value, _ := strings.Cut(d.metric(ctx, "cato_control_satisfied", `control="`+watchedControl+`"`), "} ")
	return strings.TrimSpace(value)
}

func (d *demo) showControl(ctx context.Context) {
	d.block(d.metric(ctx, "cato_control_satisfied", `control="`+watchedControl+`"`) +
		d.metric(ctx, "cato_control_verdict", `control="`+watchedControl+`"`, "} 1"))
}

// metric returns the lines of a scrape that hold all of the parts.
func (d *demo) metric(ctx context.Context, parts ...string) string {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.stack.MetricsURL, http.NoBody)
	if err != nil {
		return ""
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	var lines strings.Builder
	for line := range strings.Lines(string(text)) {
		holds := !strings.HasPrefix(line, "#")
		for _, part := range parts {
			holds = holds && strings.Contains(line, part)
		}
		if holds {
			lines.WriteString(line)
		}
	}
	return lines.String()
}
