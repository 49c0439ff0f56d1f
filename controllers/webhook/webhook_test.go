package webhook_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/webhook"
)

// stored is what the cluster holds already.
const stored = `
apiVersion: v1
kind: Namespace
metadata: {name: ns, labels: {team: red}}
---
apiVersion: v1
kind: Namespace
metadata: {name: virtfoundry-tenant-taken}
---
apiVersion: cato.dev/v1alpha1
kind: ComplianceProfile
metadata: {name: red}
spec: {base: uds, scope: {namespaceSelector: {matchLabels: {team: red}}}}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Tenant
metadata: {name: first, uid: "1", creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {name: First, slug: used}
`

const (
	tenant  = "apiVersion: virtfoundry.io/v1alpha1\nkind: Tenant\nmetadata: {name: acme}\nspec: {name: Acme, slug: acme}\n"
	machine = `
apiVersion: uds.dev/v1alpha1
kind: UDSVirtualMachine
metadata: {name: web, namespace: ns}
spec:
  memory: 4Gi
  sourceType: http
  url: https://images.example/a
  checksum: sha256:1c07402df0875df0e98ab47eced10405f060751becadb1db37bb37c0444bff67
  diskSize: 20Gi
`
	profile = "apiVersion: cato.dev/v1alpha1\nkind: ComplianceProfile\nmetadata: {name: new}\nspec: {base: uds, scope: {namespaceSelector: {matchLabels: {team: blue}}}}\n"
)

func newHandler(t *testing.T, more string) *webhook.Handler {
	t.Helper()
	files, err := gather.NewFiles()
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Add("stored.yaml", strings.NewReader(stored+more)); err != nil {
		t.Fatal(err)
	}
	scheme, err := gather.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	return &webhook.Handler{
		Gatherer: gather.FromReader(files, time.Now), Secrets: files, Judge: fixture.Judge(t, nil), Decoder: admission.NewDecoder(scheme),
	}
}

// raw turns YAML into the JSON of a request.
func raw(t *testing.T, text string) runtime.RawExtension {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return runtime.RawExtension{Raw: data}
}

// request asks for an operation on an object; old is empty for a creation.
func request(t *testing.T, operation admissionv1.Operation, object, old string) admission.Request {
	t.Helper()
	r := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Operation: operation, Object: raw(t, object)}}
	if old != "" {
		r.OldObject = raw(t, old)
	}
	var kind metav1.TypeMeta
	if err := json.Unmarshal(r.Object.Raw, &kind); err != nil {
		t.Fatal(err)
	}
	group, version, _ := strings.Cut(kind.APIVersion, "/")
	r.Kind = metav1.GroupVersionKind{Group: group, Version: version, Kind: kind.Kind}
	return r
}

func edited(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

func TestARequestIsJudgedByWhatItChanges(t *testing.T) {
	handler := newHandler(t, "")
	bad := edited(machine, "checksum: sha256:1c07402df0875df0e98ab47eced10405f060751becadb1db37bb37c0444bff67", "checksum: ''")
	const created, updated = admissionv1.Create, admissionv1.Update
	for name, c := range map[string]struct {
		operation   admissionv1.Operation
		object, old string
		denied      []string // parts of the message; nil where it is allowed
	}{
		"a good machine":                 {operation: created, object: machine},
		"a good Tenant":                  {operation: created, object: tenant},
		"a good profile":                 {operation: created, object: profile},
		"a machine without a checksum":   {operation: created, object: bad, denied: []string{"IMG-001", "spec.checksum is empty", "Give spec.checksum as sha256:"}},
		"a disk from inside":             {operation: created, object: edited(machine, "https://images.example/a", "http://169.254.169.254/a"), denied: []string{"SRC-001", "link-local"}},
		"another namespace's Secret":     {operation: created, object: edited(machine, "memory: 4Gi", "memory: 4Gi\n  guest: {userDataSecretRef: {name: s, namespace: kube-system}}"), denied: []string{"SRC-002", "Secret kube-system/s"}},
		"a profile that cannot be read":  {operation: created, object: edited(profile, "{base: uds,", "{base: uds, parameters: {allowedSourceHosts: ['a b']},"), denied: []string{"allowedSourceHosts[0]", "a b", "write a name"}},
		"a change to that":               {operation: updated, object: bad, old: machine, denied: []string{"IMG-001"}},
		"a machine that cannot be made":  {operation: created, object: edited(machine, "memory: 4Gi", "memory: 1e1.5"), denied: []string{"CRB-001", "spec.memory", `"1e1.5"`, "4Gi"}},
		"an update that changes nothing": {operation: updated, object: bad, old: bad},
		"a finalizer":                    {operation: updated, object: edited(bad, "namespace: ns}", "namespace: ns, finalizers: [uds.dev/finalizer], labels: {a: b}}"), old: bad},
		"an annotation":                  {operation: updated, object: edited(bad, "namespace: ns}", "namespace: ns, annotations: {a: b}}"), old: bad, denied: []string{"IMG-001"}},
		"one that is being deleted":      {operation: updated, object: edited(bad, "namespace: ns}", `namespace: ns, deletionTimestamp: "2026-01-01T00:00:00Z"}`), old: machine},
		"a deletion":                     {operation: admissionv1.Delete, object: bad},
		"a slug that is used":            {operation: created, object: edited(tenant, "slug: acme", "slug: used"), denied: []string{"slug"}},
		"a namespace of somebody else":   {operation: created, object: edited(tenant, "slug: acme", "slug: taken"), denied: []string{"NS-001", "virtfoundry-tenant-taken"}},
		"a slug that is no name":         {operation: created, object: edited(tenant, "slug: acme", "slug: Acme_"), denied: []string{"slug"}},
		"a kind of nobody":               {operation: created, object: edited(bad, "UDSVirtualMachine", "Other")},
		"another group's Tenant":         {operation: created, object: edited(tenant, "virtfoundry.io", "other.example", "slug: acme", "slug: Acme_")},
		"a profile where one holds":      {operation: created, object: edited(profile, "team: blue", "team: red"), denied: []string{"new", "spec.scope", "red already holds for UDSVirtualMachine in namespace ns", "narrow"}},
		"a profile for everywhere":       {operation: created, object: edited(profile, ", scope: {namespaceSelector: {matchLabels: {team: blue}}}", ""), denied: []string{"in namespace ns"}},
		"a profile for other kinds":      {operation: created, object: edited(profile, "{base: uds, scope: {namespaceSelector: {matchLabels: {team: blue}}}}", "{base: virtfoundry}")},
		"the profile itself":             {operation: updated, object: edited(profile, "name: new", "name: red", "team: blue", "team: red"), old: edited(profile, "name: new", "name: red")},
		"a profile that holds nowhere":   {operation: created, object: edited(profile, "matchLabels: {team: blue}", "matchExpressions: [{key: team, operator: Like, values: [b]}]"), denied: []string{"namespaceSelector", "Like"}},
	} {
		got := handler.Handle(t.Context(), request(t, c.operation, c.object, c.old))
		if got.Allowed != (c.denied == nil) {
			t.Errorf("%s: allowed is %t: %s", name, got.Allowed, got.Result.Message)
			continue
		}
		for _, part := range c.denied {
			if !strings.Contains(got.Result.Message, part) {
				t.Errorf("%s: %q does not say %q", name, got.Result.Message, part)
			}
		}
		if c.denied != nil && (got.Result.Reason != metav1.StatusReasonForbidden || got.Result.Code != 403) {
			t.Errorf("%s: %d %s", name, got.Result.Code, got.Result.Reason)
		}
	}
}

func TestWhatIsNoObjectOfItsKindIsABadRequest(t *testing.T) {
	handler := newHandler(t, "")
	for name, edit := range map[string]func(*admission.Request){
		"no JSON": func(r *admission.Request) { r.Object.Raw = []byte("{") },
		"another type": func(r *admission.Request) {
			r.Object.Raw = []byte(`{"apiVersion":"uds.dev/v1alpha1","kind":"UDSVirtualMachine","spec":[]}`)
		},
		"no old object": func(r *admission.Request) { r.Operation = admissionv1.Update },
	} {
		r := request(t, admissionv1.Create, machine, "")
		edit(&r)
		if got := handler.Handle(t.Context(), r); got.Allowed || got.Result.Code != 400 {
			t.Errorf("%s: allowed %t, %+v", name, got.Allowed, got.Result)
		}
	}
}

func TestWhatCannotBeDeterminedIsAWarning(t *testing.T) {
	secret := edited(machine, "memory: 4Gi", "memory: 4Gi\n  guest: {userDataSecretRef: {name: later}}")
	got := newHandler(t, "").Handle(t.Context(), request(t, admissionv1.Create, secret, ""))
	if !got.Allowed || !strings.Contains(strings.Join(got.Warnings, "\n"), "is unknown: guest.userData: Secret ns/later") {
		t.Errorf("allowed %t with the warnings %q", got.Allowed, got.Warnings)
	}
}

func TestUserDataIsJudgedAndNotRepeated(t *testing.T) {
	more := "\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: later, namespace: ns}\nstringData: {userdata: \"#cloud-config\\nruncmd: ['echo root:hunter2 | chpasswd']\\n\"}\n"
	secret := edited(machine, "memory: 4Gi", "memory: 4Gi\n  guest: {userDataSecretRef: {name: later}}")
	got := newHandler(t, more).Handle(t.Context(), request(t, admissionv1.Create, secret, ""))
	text, err := json.Marshal(got)
	if err != nil || got.Allowed || strings.Contains(string(text), "hunter2") {
		t.Errorf("allowed %t: %s (%v)", got.Allowed, text, err)
	}
}

func TestAModeOfTheProfileSoftensARule(t *testing.T) {
	bad := edited(machine, "checksum: sha256:1c07402df0875df0e98ab47eced10405f060751becadb1db37bb37c0444bff67", "checksum: ''", "namespace: ns", "namespace: soft")
	for mode, warned := range map[string]bool{"warn": true, "audit": false} {
		more := "\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: soft, labels: {mode: soft}}\n---\napiVersion: cato.dev/v1alpha1\nkind: ComplianceProfile\nmetadata: {name: soft}\n" +
			"spec: {base: uds, scope: {namespaceSelector: {matchLabels: {mode: soft}}}, parameters: {rules: [{id: IMG-001, mode: " + mode + "}]}}\n"
		got := newHandler(t, more).Handle(t.Context(), request(t, admissionv1.Create, bad, ""))
		if found := strings.Contains(strings.Join(got.Warnings, "\n"), "IMG-001 is fail"); !got.Allowed || found != warned {
			t.Errorf("%s: allowed %t with the warnings %q: %s", mode, got.Allowed, got.Warnings, got.Result.Message)
		}
	}
}
