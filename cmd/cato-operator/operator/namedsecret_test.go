package operator

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type recorded struct{ queries []string }

func (r *recorded) RoundTrip(request *http.Request) (*http.Response, error) {
	r.queries = append(r.queries, request.URL.RawQuery)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func TestOnlyListsAndWatchesOfThatNamespacesSecretsAreNarrowed(t *testing.T) {
	const secrets = "https://api/api/v1/namespaces/virtfoundry-system/secrets"
	next := &recorded{}
	transport := &namedSecretTransport{next: next, path: "/api/v1/namespaces/virtfoundry-system/secrets", name: "cato-webhook-cert"}
	for _, r := range []struct{ method, url string }{
		{http.MethodGet, secrets + "?limit=500"},
		{http.MethodGet, secrets + "?watch=true&fieldSelector=metadata.name%3Dplatform"},
		{http.MethodGet, secrets + "/cato-webhook-cert"},
		{http.MethodPost, secrets},
		{http.MethodGet, "https://api/api/v1/namespaces/mission-a/secrets"},
		{http.MethodGet, "https://api/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"},
	} {
		request, err := http.NewRequestWithContext(context.Background(), r.method, r.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := request.URL.String()
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		if request.URL.String() != before {
			t.Errorf("the caller's request was changed: %s", request.URL)
		}
	}
	want := []string{
		"fieldSelector=metadata.name%3Dcato-webhook-cert&limit=500",
		"fieldSelector=metadata.name%3Dcato-webhook-cert&watch=true",
		"", "", "", "",
	}
	if d := cmp.Diff(want, next.queries); d != "" {
		t.Error(d)
	}
}
