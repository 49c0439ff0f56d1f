package assessment

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1 "k8s.io/api/core/v1"

	"cato.dev/cato/controllers/gather"
)

const policiesResource = "networkpolicies.networking.k8s.io"

// clock is a time that a test moves.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

// staleReader answers what it once read, as a cache whose watch has stopped.
type staleReader struct {
	client.Reader
	policies *networkingv1.NetworkPolicyList // nil: not stale
}

func (s *staleReader) List(ctx context.Context, into client.ObjectList, opts ...client.ListOption) error {
	if list, ok := into.(*networkingv1.NetworkPolicyList); ok && s.policies != nil {
		s.policies.DeepCopyInto(list)
		return nil
	}
	return s.Reader.List(ctx, into, opts...)
}

// probed is a Freshness of NetworkPolicies that acts as an account.
type probed struct {
	*Freshness
	cache   *staleReader
	clock   *clock
	changes int
}

func newProbed(t *testing.T, name string, rules ...rbacv1.PolicyRule) *probed {
	t.Helper()
	scheme, err := gather.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	config := account(t, name, rules...)
	api, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	p := &probed{cache: &staleReader{Reader: cluster.Client}, clock: &clock{time.Now()}}
	set := clientset(t, config)
	p.Freshness = &Freshness{
		Client: set, API: api, Cache: p.cache, Secrets: NewSecretCache(set, (&heard{}).notify), Posture: memory(t), Now: p.clock.read, Overrulers: &Overrulers{},
		Watches: []Watch{{
			Resource: policiesResource, GVR: networkingv1.SchemeGroupVersion.WithResource("networkpolicies"),
			GVK: networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"), List: func() client.ObjectList { return &networkingv1.NetworkPolicyList{} },
		}},
		Changed: func(context.Context) { p.changes++ },
		blind:   map[string]string{}, proved: map[string]time.Time{},
	}
	return p
}

func policyRule(verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{"networking.k8s.io"}, Resources: []string{"networkpolicies"}, Verbs: verbs}
}

func setRules(t *testing.T, name string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	role := &rbacv1.ClusterRole{}
	if err := cluster.Client.Get(t.Context(), client.ObjectKey{Name: name}, role); err != nil {
		t.Fatal(err)
	}
	role.Rules = rules
	if err := cluster.Client.Update(t.Context(), role); err != nil {
		t.Fatal(err)
	}
}

func TestAWithdrawnVerbBlindsAndIsTrustedAgainOnlyWhenTheCacheHasCaughtUp(t *testing.T) {
	namespaceNamed(t, "probed")
	p := newProbed(t, "prober", policyRule("list", "watch"))
	eventually(t, "the right is seen", func() bool { p.Probe(t.Context()); return p.Blind(policiesResource, "probed") == "" })
	confirmed := p.Posture.OldestEvidence()[policiesResource]
	if confirmed.IsZero() {
		t.Fatal("a proof leaves no evidence")
	}
	for _, tc := range []struct{ missing, left string }{{"watch", "list"}, {"list", "watch"}} {
		before := p.changes
		setRules(t, "prober", policyRule(tc.left))
		want := "the right to " + tc.missing + " " + policiesResource + " is missing"
		eventually(t, want, func() bool { p.Probe(t.Context()); return p.Blind(policiesResource, "probed") == want })
		p.clock.now = p.clock.now.Add(time.Minute)
		p.Probe(t.Context())
		if p.changes != before+1 {
			t.Errorf("without %s: %d changes of trust, want one", tc.missing, p.changes-before)
		}
		if got := p.Posture.OldestEvidence()[policiesResource]; !got.Before(p.clock.now) {
			t.Errorf("the evidence is confirmed at %s although it is blind", got)
		}
		// What the cache shows is older than what stands.
		p.cache.policies = &networkingv1.NetworkPolicyList{}
		create(t, &networkingv1.NetworkPolicy{ObjectMeta: at("probed", "unseen-"+tc.missing)})
		setRules(t, "prober", policyRule("list", "watch"))
		eventually(t, "the right is back", func() bool {
			verb, err := MissingVerb(t.Context(), p.Client, "", "networking.k8s.io", "networkpolicies")
			return err == nil && verb == ""
		})
		p.Probe(t.Context())
		if p.Blind(policiesResource, "probed") == "" {
			t.Error("a cache that misses a policy is trusted")
		}
		var all networkingv1.NetworkPolicyList
		if err := cluster.Client.List(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		all.Items[0].ResourceVersion = "1" // seen, but not as it is
		p.cache.policies = &all
		p.Probe(t.Context())
		if p.Blind(policiesResource, "probed") == "" {
			t.Error("a cache with an older version is trusted")
		}
		p.cache.policies = nil
		p.Probe(t.Context())
		if got := p.Blind(policiesResource, "probed"); got != "" {
			t.Errorf("blind although the cache has caught up: %s", got)
		}
		if got := p.Posture.OldestEvidence()[policiesResource]; !got.Equal(p.clock.now.UTC()) {
			t.Errorf("the evidence is of %s, want %s", got, p.clock.now)
		}
	}
}

func TestAnErrorIsForgivenForAWhileAndThenBlinds(t *testing.T) {
	p := &probed{clock: &clock{noon}}
	p.Freshness = &Freshness{Now: p.clock.read, Posture: memory(t), blind: map[string]string{}, proved: map[string]time.Time{}}
	failed := outcome{err: errors.New("connection refused")}
	if p.settle(t.Context(), policiesResource, "", outcome{}) {
		t.Error("a proof of what was trusted changes trust")
	}
	p.clock.now = noon.Add(silence)
	if p.settle(t.Context(), policiesResource, "", failed) || p.Blind(policiesResource, "") != "" {
		t.Error("blind before the silence was too long")
	}
	p.clock.now = noon.Add(silence + time.Second)
	if !p.settle(t.Context(), policiesResource, "", failed) {
		t.Error("trust does not change after the silence")
	}
	if got := p.Blind(policiesResource, "any"); !strings.Contains(got, "since 2026-11-20T12:00:00Z: connection refused") {
		t.Errorf("the reason is %q", got)
	}
	if p.settle(t.Context(), policiesResource, "", failed) {
		t.Error("blind twice is no change")
	}
	if !p.settle(t.Context(), policiesResource, "", outcome{}) || p.Blind(policiesResource, "") != "" {
		t.Error("a proof does not give trust back")
	}
	// A namespace that is first looked at while the API server is away.
	if p.settle(t.Context(), "secrets", "mission", failed) || p.Blind("secrets", "mission") != "" {
		t.Error("the first look at a namespace counts as long silence")
	}
	if !p.settle(t.Context(), "secrets", "mission", outcome{text: "the right is missing"}) || p.Blind("secrets", "other") != "" {
		t.Error("one namespace's Secrets blind another's")
	}
}

func TestSecretsOfANamespaceAreBlindWithoutTheRightReadAnewWithItAndForgottenWithTheNamespace(t *testing.T) {
	namespaceNamed(t, "sealed")
	create(t, userData("sealed", "seed", "#cloud-config\n"))
	p := newProbed(t, "sealer", policyRule("list", "watch"))
	key := types.NamespacedName{Namespace: "sealed", Name: "seed"}
	if _, err := p.Secrets.Lookup(t.Context(), key); err == nil {
		t.Fatal("read without the right")
	}
	binding := mayReadSecrets(t, "sealed", "sealer")
	eventually(t, "the machines are judged again once the right is there", func() bool { p.Probe(t.Context()); return p.changes > 0 && p.Blind("secrets", "sealed") == "" })
	if _, err := p.Secrets.Lookup(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	p.Probe(t.Context())
	if p.Posture.OldestEvidence()["secrets"].IsZero() {
		t.Error("Secrets that are watched have no age")
	}
	if err := cluster.Client.Delete(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	const want = "the right to list secrets in namespace sealed is missing"
	eventually(t, want, func() bool { p.Probe(t.Context()); return p.Blind("secrets", "sealed") == want })
	if p.Secrets.opened("sealed") != nil {
		t.Error("an informer without the right runs on")
	}
	mayReadSecrets(t, "sealed", "sealer")
	eventually(t, "trusted again", func() bool { p.Probe(t.Context()); return p.Blind("secrets", "sealed") == "" })
	if _, err := p.Secrets.Lookup(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Client.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "sealed"}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the informer is stopped, and no evidence ages", func() bool {
		p.Probe(t.Context())
		return len(p.Secrets.Namespaces()) == 0 && p.Posture.OldestEvidence()["secrets"].IsZero() && p.Blind("secrets", "sealed") == ""
	})
}
