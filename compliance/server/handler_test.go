package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/oscal"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

var start = time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)

// cluster is an API server that knows three tokens: everything, tenant-a only, and one that may read nothing.
type cluster struct {
	client  *fake.Clientset
	asked   []string // reviews, in order
	broken  bool
	granted bool // whether ada's right stands
}

func newCluster() *cluster {
	c := &cluster{client: fake.NewClientset(), granted: true}
	c.client.PrependReactor("create", "tokenreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authenticationv1.TokenReview).DeepCopy()
		c.asked = append(c.asked, "token")
		if c.broken {
			return true, nil, errors.New("no connection")
		}
		name, known := map[string]string{"t-root": "root", "t-ada": "ada", "t-eve": "eve"}[review.Spec.Token]
		review.Status = authenticationv1.TokenReviewStatus{Authenticated: known, User: authenticationv1.UserInfo{
			Username: name, UID: "uid-" + name, Groups: []string{"readers"}, Extra: map[string]authenticationv1.ExtraValue{"scope": {"x"}},
		}}
		return true, review, nil
	})
	c.client.PrependReactor("create", "subjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview).DeepCopy()
		a := review.Spec.ResourceAttributes
		c.asked = append(c.asked, "access "+review.Spec.User+" "+a.Verb+" "+a.Group+"/"+a.Resource+"/"+a.Subresource+" in "+a.Namespace)
		carried := review.Spec.UID == "uid-"+review.Spec.User && len(review.Spec.Groups) == 1 && len(review.Spec.Extra["scope"]) == 1
		review.Status.Allowed = carried && (review.Spec.User == "root" || review.Spec.User == "ada" && c.granted && a.Namespace == "tenant-a")
		return true, review, nil
	})
	return c
}

// source is a posture of one machine in tenant-a.
func source(t *testing.T) Source {
	t.Helper()
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	store, err := posture.Open("", start)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	rule := &engine.Rule{
		ID: "NET-001", Package: "cato.rules.network.default_deny", Title: "Denied unless allowed", Description: "The union of policies.",
		Topic: "network-isolation", Severity: "high", Subjects: []string{"UDSVirtualMachine"}, Judges: []string{engine.Live}, Method: "TEST",
		Controls: []engine.Control{{ID: "sc-7", Statements: []string{"sc-7_smt.a"}, Objectives: []string{"sc-7_obj.a-4"}, Coverage: "partial"}},
	}
	subject := posture.Subject{APIVersion: "uds.dev/v1alpha1", Kind: "UDSVirtualMachine", Namespace: "tenant-a", Name: "vm-1", UID: "u1"}
	if _, err := store.Record(subject, engine.Live, []engine.Verdict{{Rule: rule, Value: engine.Pass, Revision: "r1"}}, start); err != nil {
		t.Fatal(err)
	}
	return Source{
		Store: store, Modified: func() time.Time { return start }, Now: func() time.Time { return start.Add(time.Minute) },
		Assumptions: func(_ context.Context, namespace string, kinds []string) ([]string, error) {
			return []string{"assumed of " + namespace + ": " + strings.Join(kinds, ", ")}, nil
		},
		System: func() oscal.System {
			return oscal.System{Cluster: "c1", Interval: time.Hour, Catalog: c, Rules: []*engine.Rule{rule}, Revision: "r1"}
		},
	}
}

func newHandler(t *testing.T, c *cluster) *Handler {
	t.Helper()
	return NewHandler(FromPosture(source(t)), TokenReviews(c.client), SubjectAccessReviews(c.client))
}

// answer is a response that was read whole.
type answer struct {
	StatusCode int
	Header     http.Header
	Body       []byte
}

func get(h http.Handler, path, token string, headers ...string) answer {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.Bytes()}
}
