package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"cato.dev/cato/compliance/oscal"
)

func TestWhoMayReadWhatAndWhatIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		path, token string
		status      int
		want        string // part of the body
	}{
		"no token":                            {"component-definition", "", 401, "bearer token"},
		"a wrong token":                       {"component-definition", "t-mallory", 401, "does not accept"},
		"a token that is too long":            {"component-definition", strings.Repeat("x", maxToken+1), 401, "bearer token"},
		"the component-definition, by anyone": {"component-definition", "t-eve", 200, `"component-definition"`},
		"a plan without the right":            {"assessment-plan", "t-eve", 403, "whole cluster"},
		"the cluster, with one namespace":     {"assessment-results", "t-ada", 403, "add ?namespace=N"},
		"another namespace":                   {"assessment-results?namespace=tenant-b", "t-ada", 403, `in namespace "tenant-b"`},
		"the own namespace":                   {"assessment-results?namespace=tenant-a", "t-ada", 200, `"assessment-results"`},
		"the own plan":                        {"assessment-plan?namespace=tenant-a", "t-ada", 200, `"assessment-plan"`},
		"the own verdicts":                    {"verdicts?namespace=tenant-a", "t-ada", 200, `"verdict":"pass"`},
		"verdicts of others":                  {"verdicts", "t-ada", 403, "may not get"},
		"the cluster":                         {"assessment-results", "t-root", 200, `"assessment-results"`},
		"by rule":                             {"assessment-results?namespace=tenant-a&view=rules", "t-root", 200, `"pass-count"`},
		"a namespace without subjects":        {"assessment-results?namespace=empty", "t-root", 404, `namespace "empty"`},
		"a plan of no subjects":               {"assessment-plan?namespace=empty", "t-root", 404, `namespace "empty"`},
		"a document that is none":             {"catalog", "t-root", 404, "no such document"},
		"a parameter that is none":            {"assessment-results?namespaces=tenant-a", "t-root", 400, `"namespaces"`},
		"a parameter twice":                   {"assessment-results?namespace=a&namespace=b", "t-root", 400, "give it once"},
		"a namespace that cannot be":          {"assessment-results?namespace=a/b", "t-root", 400, "namespace"},
		"an empty namespace":                  {"assessment-results?namespace=", "t-root", 400, "namespace"},
		"a view that is none":                 {"assessment-results?view=all", "t-root", 400, "view=rules"},
		"a view of a plan":                    {"assessment-plan?view=rules", "t-root", 400, "assessment-results"},
		"a format that is none":               {"assessment-plan?format=xml", "t-root", 400, "json or yaml"},
		"a query that is none":                {"assessment-plan?%zz", "t-root", 400, "query"},
	} {
		t.Run(name, func(t *testing.T) {
			response := get(newHandler(t, newCluster()), root+test.path, test.token)
			text := string(response.Body)
			if response.StatusCode != test.status || !strings.Contains(text, test.want) {
				t.Errorf("%d %.300s, want %d …%s…", response.StatusCode, text, test.status, test.want)
			}
			if (response.StatusCode == http.StatusUnauthorized) != (response.Header.Get("WWW-Authenticate") != "") {
				t.Error("401 names the scheme, and only 401")
			}
		})
	}
}

func TestOnlyReadingIsServed(t *testing.T) {
	h := newHandler(t, newCluster())
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, root+"assessment-plan", nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	r := httptest.NewRequest(http.MethodHead, root+"component-definition", nil)
	r.Header.Set("Authorization", "Bearer t-eve")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("ETag") == "" {
		t.Errorf("HEAD: %d with %d bytes, tag %q", w.Code, w.Body.Len(), w.Header().Get("ETag"))
	}
}

func TestTheReviewAsksForTheSubresourceInTheNamespace(t *testing.T) {
	c := newCluster()
	h := newHandler(t, c)
	get(h, root+"assessment-results?namespace=tenant-a", "t-ada")
	get(h, root+"assessment-results", "t-ada")
	get(h, root+"component-definition", "t-ada")
	want := []string{
		"token", "access ada get cato.dev/compliancereports/oscal in tenant-a", "access ada get cato.dev/compliancereports/oscal in ",
	}
	if d := cmp.Diff(want, c.asked); d != "" {
		t.Error(d)
	}
}

func TestAWithdrawnRightIsGoneWhenTheReviewIsOld(t *testing.T) {
	c := newCluster()
	h := newHandler(t, c)
	now := start
	h.reviews.now = func() time.Time { return now }
	status := func() int { return get(h, root+"assessment-results?namespace=tenant-a", "t-ada").StatusCode }
	if got := status(); got != 200 {
		t.Fatal(got)
	}
	c.granted = false
	now = now.Add(reviewTTL - time.Nanosecond)
	if got := status(); got != 200 {
		t.Errorf("%d within the time of a review", got)
	}
	now = now.Add(time.Nanosecond)
	if got := status(); got != 403 {
		t.Errorf("%d after the time of a review", got)
	}
}

func TestAnAPIServerThatCannotBeAskedIsNoAnswerAndNotRemembered(t *testing.T) {
	c := newCluster()
	h := newHandler(t, c)
	c.broken = true
	response := get(h, root+"component-definition", "t-eve")
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" || strings.Contains(string(response.Body), "connection") {
		t.Error(response.StatusCode)
	}
	c.broken = false
	if got := get(h, root+"component-definition", "t-eve").StatusCode; got != 200 {
		t.Error(got)
	}
}

func TestAFloodOfTokensDoesNotGrowTheMemory(t *testing.T) {
	r := newReviews(func(context.Context, string) (User, error) { return User{}, ErrUnauthenticated }, nil, func() time.Time { return start })
	for i := range reviewLimit + 100 {
		if _, err := r.user(t.Context(), strings.Repeat("x", i%100)+string(rune('a'+i%26))+time.Duration(i).String()); !errors.Is(err, ErrUnauthenticated) {
			t.Fatal(err)
		}
	}
	if len(r.known) > reviewLimit {
		t.Errorf("%d answers are held", len(r.known))
	}
}

func TestAnUnchangedDocumentIsNotSentAgain(t *testing.T) {
	h := newHandler(t, newCluster())
	for _, path := range []string{"component-definition", "assessment-plan", "assessment-results", "assessment-results?view=rules", "verdicts"} {
		for _, coding := range []string{"identity", "gzip"} {
			first := get(h, root+path, "t-root", "Accept-Encoding", coding)
			tag := first.Header.Get("ETag")
			again := get(h, root+path, "t-root", "If-None-Match", `"other", `+tag)
			if text := again.Body; tag == "" || again.StatusCode != http.StatusNotModified || len(text) != 0 {
				t.Errorf("%s by %s: tag %s, then %d with %d bytes", path, coding, tag, again.StatusCode, len(text))
			}
		}
	}
	if a, b := get(h, root+"assessment-results", "t-root"), get(h, root+"assessment-results?format=yaml", "t-root"); a.Header.Get("ETag") == b.Header.Get("ETag") {
		t.Error("JSON and YAML share a tag")
	}
}

func TestTheSameDocumentIsSentInEachForm(t *testing.T) {
	h := newHandler(t, newCluster())
	path := root + "assessment-results?namespace=tenant-a"
	plain := get(h, path, "t-root").Body
	zipped := get(h, path, "t-root", "Accept-Encoding", "br, gzip;q=0.8")
	if zipped.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal("not compressed")
	}
	reader, err := gzip.NewReader(bytes.NewReader(zipped.Body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil || string(text) != string(plain) {
		t.Error("gzip holds something else", err)
	}
	if refused := get(h, path, "t-root", "Accept-Encoding", "gzip;q=0"); refused.Header.Get("Content-Encoding") != "" {
		t.Error("compressed for a reader who refuses it")
	}
	for _, yamlPath := range [][]string{{path + "&format=yaml"}, {path, "Accept", "application/yaml"}, {path, "Accept", "text/yaml;q=0.9, */*"}} {
		response := get(h, yamlPath[0], "t-root", yamlPath[1:]...)
		if kind := response.Header.Get("Content-Type"); kind != "application/yaml" {
			t.Errorf("%v: %s", yamlPath, kind)
		}
		converted, err := yaml.YAMLToJSON(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if errors.Join(json.Unmarshal(converted, &a), json.Unmarshal(plain, &b)) != nil || cmp.Diff(a, b) != "" {
			t.Errorf("%v: YAML holds something else", yamlPath)
		}
	}
}

func TestTheVerdictsAreThoseThatTheResultsVouchFor(t *testing.T) {
	h := newHandler(t, newCluster())
	var doc o.OscalModels
	if err := json.Unmarshal(get(h, root+"assessment-results?namespace=tenant-a", "t-root").Body, &doc); err != nil {
		t.Fatal(err)
	}
	for _, resource := range *doc.AssessmentResults.BackMatter.Resources {
		link := (*resource.Rlinks)[0]
		response := get(h, root+link.Href, "t-root")
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", link.Href, response.StatusCode)
		}
		if link.Hashes == nil {
			continue
		}
		if got := sum(response.Body); got != (*link.Hashes)[0].Value {
			t.Errorf("%s has SHA-256 %s, the document says %s", link.Href, got, (*link.Hashes)[0].Value)
		}
	}
}

func TestADocumentSaysWhatItsScopeRestsOn(t *testing.T) {
	h := newHandler(t, newCluster())
	for path, want := range map[string]string{
		"assessment-results?namespace=tenant-a": "assumed of tenant-a: UDSVirtualMachine", "assessment-results": "assumed of tenant-a: UDSVirtualMachine",
		"assessment-plan?namespace=tenant-a": "assumed of tenant-a: UDSVirtualMachine",
	} {
		if body := string(get(h, root+path, "t-root").Body); !strings.Contains(body, want) {
			t.Errorf("%s: nothing of %q in it", path, want)
		}
	}
}

func TestADocumentThatTheCheckRefusesIsAnErrorWithoutDetails(t *testing.T) {
	c := newCluster()
	bad := func(context.Context, Request) (Content, error) {
		return Content{ETag: "x", Write: func(w io.Writer) error {
			_, err := io.WriteString(w, "half of a document")
			return errors.Join(err, errors.New("refused: something inside"))
		}}, nil
	}
	response := get(NewHandler(bad, TokenReviews(c.client), SubjectAccessReviews(c.client)), root+"assessment-results", "t-root")
	text := string(response.Body)
	if response.StatusCode != http.StatusInternalServerError || strings.Contains(text, "half") || strings.Contains(text, "inside") || response.Header.Get("ETag") != "" {
		t.Errorf("%d %q", response.StatusCode, text)
	}
}

func TestAYAMLThatIsTooLargeSaysWhatToAskFor(t *testing.T) {
	c := newCluster()
	large := func(context.Context, Request) (Content, error) {
		return Content{ETag: "x", Write: func(w io.Writer) error {
			_, err := w.Write(make([]byte, oscal.YAMLLimit+1))
			return err
		}}, nil
	}
	response := get(NewHandler(large, TokenReviews(c.client), SubjectAccessReviews(c.client)), root+"assessment-results?format=yaml", "t-root")
	if text := string(response.Body); response.StatusCode != http.StatusNotAcceptable || !strings.Contains(text, "ask for JSON") {
		t.Errorf("%d %q", response.StatusCode, text)
	}
}
