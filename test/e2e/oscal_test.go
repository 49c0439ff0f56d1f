package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/defenseunicorns/go-oscal/src/pkg/validation"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	catooscal "cato.dev/cato/compliance/oscal"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/policy/engine"
)

var _ = Describe("The OSCAL endpoint", func() {
	It("lets in whom the API server knows, to what each may read", func(ctx SpecContext) {
		namespace, other := judgedNamespace(ctx), judgedNamespace(ctx)
		nobody := tokenOf(ctx, namespace, serviceAccount(ctx, namespace))
		here, everywhere := assessor(ctx, namespace, false), assessor(ctx, namespace, true)
		for _, ask := range []struct {
			who, path, token string
			want             int
		}{
			{"without a token", "component-definition", "", http.StatusUnauthorized},
			{"with a token of nobody", "component-definition", "not-a-token", http.StatusUnauthorized},
			{"with a token that somebody signed himself", "assessment-results", forged(here), http.StatusUnauthorized},
			{"without any right", "component-definition", nobody, http.StatusOK},
			{"without any right", "assessment-plan", nobody, http.StatusForbidden},
			{"without any right", "assessment-results?namespace=" + namespace, nobody, http.StatusForbidden},
			{"with the right in one namespace", "assessment-results?namespace=" + namespace, here, http.StatusOK},
			{"with the right in one namespace", "assessment-plan?namespace=" + namespace, here, http.StatusOK},
			{"with the right in one namespace", "verdicts?namespace=" + other, here, http.StatusForbidden},
			{"with the right in one namespace", "assessment-results", here, http.StatusForbidden},
			{"with the right in the cluster", "assessment-results", everywhere, http.StatusOK},
			{"with the right in the cluster", "assessment-results?namespace=" + other, everywhere, http.StatusOK},
			{"with the right in the cluster", "assessment-plan", everywhere, http.StatusOK},
			{"with the right in the cluster", "assessment-results?namespace=never-judged", everywhere, http.StatusNotFound},
			{"with the right in the cluster", "assessment-results?namspace=" + other, everywhere, http.StatusBadRequest},
		} {
			Eventually(func(g Gomega) { // the API server's authorizer follows bindings by a watch
				text, answer := document(ctx, g, ask.path, ask.token, "")
				g.Expect(answer.StatusCode).To(Equal(ask.want), "%s: %s: %s", ask.who, ask.path, text)
			}).WithContext(ctx).WithTimeout(settleTimeout).Should(Succeed())
		}
		plain, err := http.Get(strings.Replace(running.OSCALURL, "https:", "http:", 1) + "/oscal/v1/component-definition")
		Expect(err).NotTo(HaveOccurred())
		Expect(plain.Body.Close()).To(Succeed())
		Expect(plain.StatusCode).To(Equal(http.StatusBadRequest), "without TLS")
	}, SpecTimeout(9*time.Minute))

	It("serves documents that three validators accept, in equal bytes while nothing changes, and after a crash", func(ctx SpecContext) {
		namespace := judgedNamespace(ctx)
		reader := assessor(ctx, namespace, true)
		quiet(ctx)
		names := []string{"component-definition", "assessment-plan?namespace=" + namespace, "assessment-plan", "assessment-results?namespace=" + namespace, "assessment-results", "assessment-results?view=rules"}
		first, tags := map[string][]byte{}, map[string]string{}
		for _, name := range names {
			text, answer := document(ctx, Default, name, reader, "")
			Expect(answer.StatusCode).To(Equal(http.StatusOK), "%s: %s", name, text)
			first[name], tags[name] = text, answer.Header.Get("ETag")
		}
		validated(ctx, first)
		for _, name := range names {
			again, answer := document(ctx, Default, name, reader, "")
			Expect(bytes.Equal(again, first[name])).To(BeTrue(), "%s differs although nothing changed", name)
			Expect(answer.Header.Get("ETag")).To(Equal(tags[name]))
			empty, answer := document(ctx, Default, name, reader, tags[name])
			Expect(answer.StatusCode).To(Equal(http.StatusNotModified), name)
			Expect(empty).To(BeEmpty())
		}

		results := "assessment-results?namespace=" + namespace
		running.KillOperator()
		Expect(running.StartOperator(ctx)).To(Succeed())
		Eventually(func(g Gomega) {
			after, answer := document(ctx, g, results, reader, "")
			g.Expect(answer.StatusCode).To(Equal(http.StatusOK))
			g.Expect(lasting(g, after)).To(Equal(lasting(g, first[results])), "what a sweep does not move outlives the process")
		}).WithContext(ctx).Should(Succeed())

		running.KillOperator()
		gone := time.Now()
		Expect(os.RemoveAll(filepath.Join(running.Dir, "state"))).To(Succeed())
		Expect(running.StartOperator(ctx)).To(Succeed())
		settles(ctx, namespace, reader, []string{"NET-001", "GST-001"}, "pass")
		lost, _ := document(ctx, Default, results, reader, "")
		Expect(unbroken(Default, lost)).To(BeTemporally(">=", gone.Truncate(time.Second)), "the document says that its record does not go back")
		Expect(unbroken(Default, first[results])).To(BeTemporally("<", gone))
		Expect(lasting(Default, lost)).NotTo(Equal(lasting(Default, first[results])), "the uuids of another record")
		validated(ctx, map[string][]byte{"after the loss": lost})
	}, SpecTimeout(12*time.Minute))

	It("is read by catoctl, which tells a certificate's user how to get a token", func(ctx SpecContext) {
		namespace := judgedNamespace(ctx)
		token := filepath.Join(GinkgoT().TempDir(), "token")
		Expect(os.WriteFile(token, []byte(assessor(ctx, namespace, true)), 0o600)).To(Succeed())
		catoctl := filepath.Join(GinkgoT().TempDir(), "catoctl")
		build := exec.CommandContext(ctx, "go", "build", "-o", catoctl, "./cmd/catoctl")
		build.Dir = running.Root
		output, err := build.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", output)
		run := func(arguments ...string) (string, error) {
			command := exec.CommandContext(ctx, catoctl, append(arguments, "--server", running.OSCALURL, "--ca-file", filepath.Join(running.Dir, "certificates", "ca.crt"))...)
			command.Env = append(os.Environ(), "KUBECONFIG="+running.ControlPlane.Kubeconfig)
			text, err := command.CombinedOutput()
			return string(text), err
		}
		text, err := run("oscal", "assessment-results", "-n", namespace, "--token-file", token)
		Expect(err).NotTo(HaveOccurred(), text)
		Expect(json.Valid([]byte(text))).To(BeTrue())
		text, err = run("oscal", "component-definition", "-o", "yaml", "--token-file", token)
		Expect(err).NotTo(HaveOccurred(), text)
		Expect(text).To(ContainSubstring("component-definition:"))
		text, err = run("oscal", "assessment-results", "--table", "--token-file", token)
		Expect(err).NotTo(HaveOccurred(), text)
		Expect(text).To(And(ContainSubstring("Control ID"), ContainSubstring("Status"), MatchRegexp(`(?i)sc-7`)))
		text, err = run("oscal", "assessment-results")
		Expect(err).To(HaveOccurred(), "an administrator's certificate is no token")
		Expect(text).To(ContainSubstring("kubectl create token"))
	}, SpecTimeout(12*time.Minute))
})

// judgedNamespace has one machine whose verdicts stand.
func judgedNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := vmNamespace(ctx)
	stored(ctx, linuxMachine(namespace, "vm-1"))
	machineIn(ctx, namespace, "vm-1", udsv1alpha1.PhaseReady)
	settles(ctx, namespace, assessor(ctx, namespace, false), []string{"NET-001", "GST-001"}, "pass")
	return namespace
}

// document asks for a document, of which the reader may have a version.
func document(ctx context.Context, g Gomega, path, token, has string) ([]byte, *http.Response) {
	web, err := running.OSCALClient()
	g.Expect(err).NotTo(HaveOccurred())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, running.OSCALURL+"/oscal/v1/"+path, http.NoBody)
	g.Expect(err).NotTo(HaveOccurred())
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if has != "" {
		request.Header.Set("If-None-Match", has)
	}
	response, err := web.Do(request)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	buffer := &bytes.Buffer{}
	_, err = buffer.ReadFrom(response.Body)
	g.Expect(err).NotTo(HaveOccurred())
	return buffer.Bytes(), response
}

// forged is the token with another signature.
func forged(token string) string {
	return token[:strings.LastIndex(token, ".")+1] + strings.Repeat("A", 342)
}

// validated has the documents checked by go-oscal, the strict check and ajv.
func validated(ctx context.Context, documents map[string][]byte) {
	GinkgoHelper()
	e, _, controls, err := decide.Load(ctx, engine.Observer{})
	Expect(err).NotTo(HaveOccurred())
	dir := GinkgoT().TempDir()
	files := map[string][]string{}
	count := 0
	for name, text := range documents {
		validator, err := validation.NewValidator(text)
		Expect(err).NotTo(HaveOccurred(), name)
		Expect(validator.Validate()).To(Succeed(), name)
		Expect(catooscal.Check(text, catooscal.CheckOptions{Catalog: controls, Rules: e.Current().Rules(), Now: time.Now()})).To(Succeed(), name)
		file := filepath.Join(dir, strings.Repeat("d", count+1)+".json")
		count++
		Expect(os.WriteFile(file, text, 0o600)).To(Succeed())
		files[validator.GetSchemaVersion()] = append(files[validator.GetSchemaVersion()], file)
	}
	for version, of := range files {
		data, err := catooscal.Schema(version)
		Expect(err).NotTo(HaveOccurred())
		text, err := json.Marshal(data)
		Expect(err).NotTo(HaveOccurred())
		schema := filepath.Join(dir, "schema.json")
		Expect(os.WriteFile(schema, text, 0o600)).To(Succeed())
		output, err := exec.CommandContext(ctx, "node", append([]string{filepath.Join(running.Root, "test/ajv/validate.mjs"), schema}, of...)...).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "ajv (make deps): %s", output)
	}
}

// unbroken is since when the record goes on, as the document tells it.
func unbroken(g Gomega, text []byte) time.Time {
	found := regexp.MustCompile(`the record is unbroken since (\S+)\. It does not go back further because: .`).FindSubmatch(text)
	g.Expect(found).To(HaveLen(2))
	at, err := time.Parse(time.RFC3339Nano, string(found[1]))
	g.Expect(err).NotTo(HaveOccurred())
	return at
}

// lasting is what of a document of results neither a sweep nor a start moves:
// the verdicts' observations and findings, by their uuids.
func lasting(g Gomega, text []byte) []string {
	var parsed struct {
		Results struct {
			Results []struct {
				Observations []struct {
					UUID string `json:"uuid"`
				} `json:"observations"`
			} `json:"results"`
		} `json:"assessment-results"`
	}
	g.Expect(json.Unmarshal(text, &parsed)).To(Succeed())
	var all []string
	for _, result := range parsed.Results.Results {
		for _, o := range result.Observations {
			all = append(all, o.UUID)
		}
	}
	g.Expect(all).NotTo(BeEmpty())
	return all
}
