package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/oscal"
)

const assessmentResults = "assessment-results"

func oscalDocuments() []string {
	return []string{"component-definition", "assessment-plan", assessmentResults}
}

type oscalOptions struct {
	document  string
	namespace string
	byRule    bool
	table     bool
	output    string
	server    string
	caFile    string
	tokenFile string

	token   func() (string, error) // of the kubeconfig, when no file is named
	streams genericiooptions.IOStreams
}

func (a app) oscalCommand() *cobra.Command {
	cluster := newCluster()
	o := &oscalOptions{streams: a.streams, token: cluster.token}
	command := &cobra.Command{
		Use: "oscal " + strings.Join(oscalDocuments(), "|"), Short: "Read the operator's OSCAL documents",
		Long: `Read an OSCAL document of the operator: what the rules are (component-definition), what is assessed and how (assessment-plan), and what was found (assessment-results), of the whole cluster or of one namespace.

The operator asks the API server who has the token, and whether that user may get compliancereports/oscal of group cato.dev there.
` + exitCodes,
		Example: `  # through a tunnel: kubectl -n virtfoundry-system port-forward svc/cato-oscal 8444
  catoctl oscal assessment-results -n mission-a --ca-file ca.crt

  # one line a control
  catoctl oscal assessment-results --table`,
		Args: cobra.ExactArgs(1), ValidArgs: oscalDocuments(),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.document = args[0]
			o.namespace = cluster.namespaceAsked()
			if err := o.validate(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	flags := command.Flags()
	cluster.addFlags(flags)
	flags.BoolVar(&o.byRule, "by-rule", false, "of assessment-results: one observation a rule instead of one a verdict")
	flags.BoolVar(&o.table, "table", false, `of assessment-results: print the table "Control ID / Status"`)
	flags.StringVarP(&o.output, "output", "o", "json", "json or yaml")
	flags.StringVar(&o.server, "server", "https://localhost:8444", "the operator's endpoint")
	flags.StringVar(&o.caFile, "ca-file", "", "certificates (PEM) that the endpoint's is checked against; the system's without one")
	flags.StringVar(&o.tokenFile, "token-file", "", "file with a bearer token; the kubeconfig's token without one")
	return command
}

func (o *oscalOptions) validate() error {
	switch {
	case !slices.Contains(oscalDocuments(), o.document):
		return fmt.Errorf("document %q: use one of %s", o.document, strings.Join(oscalDocuments(), ", "))
	case o.output != "json" && o.output != "yaml":
		return fmt.Errorf("-o %q: use json or yaml", o.output)
	case (o.byRule || o.table) && o.document != assessmentResults:
		return fmt.Errorf("--by-rule and --table are of assessment-results only, not of %s", o.document)
	case o.namespace != "" && o.document == "component-definition":
		return errors.New("the component-definition is the same in every namespace: leave -n out")
	}
	server, err := url.Parse(o.server)
	if err != nil || server.Scheme != "https" || server.Host == "" {
		return fmt.Errorf("--server %q: write it as https://host:port", o.server)
	}
	return nil
}

func (o *oscalOptions) run(ctx context.Context) error {
	token, err := o.bearer()
	if err != nil {
		return err
	}
	body, err := o.fetch(ctx, token)
	if err != nil {
		return err
	}
	defer body.Close()
	if !o.table {
		if _, err := io.Copy(o.streams.Out, body); err != nil {
			return fmt.Errorf("read %s: %w", o.document, err)
		}
		return nil
	}
	var doc bytes.Buffer
	if _, err := doc.ReadFrom(body); err != nil {
		return fmt.Errorf("read %s: %w", o.document, err)
	}
	controls, err := catalog.New()
	if err != nil {
		return err
	}
	lines, err := oscal.Summary(doc.Bytes(), controls)
	if err != nil {
		return err
	}
	return oscal.WriteSummary(o.streams.Out, lines)
}

func (o *oscalOptions) bearer() (string, error) {
	if o.tokenFile == "" {
		return o.token()
	}
	content, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if token == "" || strings.ContainsAny(token, "\r\n") {
		return "", fmt.Errorf("--token-file %s: it must hold one token and nothing else", o.tokenFile)
	}
	return token, nil
}

// address is the document's, with what narrows it.
func (o *oscalOptions) address() string {
	query := url.Values{}
	if o.namespace != "" {
		query.Set("namespace", o.namespace)
	}
	if o.byRule {
		query.Set("view", "rules")
	}
	if !o.table {
		query.Set("format", o.output)
	}
	return strings.TrimSuffix(o.server, "/") + "/oscal/v1/" + o.document + "?" + query.Encode()
}

func (o *oscalOptions) fetch(ctx context.Context, token string) (io.ReadCloser, error) {
	roots, err := o.roots()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.address(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	httpClient := &http.Client{
		Timeout:   3 * time.Minute,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
		// A token is for the server that was named and for no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := httpClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the operator: %w: is --server right, and --ca-file given? For a tunnel: kubectl -n virtfoundry-system port-forward svc/cato-oscal 8444", err)
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10))
		return nil, fmt.Errorf("the operator answers %s: %s", response.Status, strings.TrimSpace(string(text)))
	}
	return response.Body, nil
}

// roots is nil for the system's certificates.
func (o *oscalOptions) roots() (*x509.CertPool, error) {
	if o.caFile == "" {
		return nil, nil
	}
	content, err := os.ReadFile(o.caFile)
	if err != nil {
		return nil, fmt.Errorf("--ca-file: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("--ca-file %s: it holds no certificate in PEM", o.caFile)
	}
	return roots, nil
}
