package account

import (
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/lifecycle"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

func deps(t *testing.T) lifecycle.Deps {
	t.Helper()
	return lifecycle.Deps{
		Client: cluster.Client, Uncached: cluster.Client, Judge: fixture.Judge(t, nil), Events: &fixture.Events{}, Now: time.Now,
		Gatherer: gather.FromReader(cluster.Client, time.Now),
	}
}

// judged stores an object, has it reconciled and reads it again.
func judged[T client.Object](t *testing.T, r reconcile.Reconciler, object T) (T, reconcile.Result) {
	t.Helper()
	if object.GetUID() == "" {
		create(t, object)
	}
	result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	return object, result
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func is(t *testing.T, conditions []metav1.Condition, kind string, status metav1.ConditionStatus, parts ...string) {
	t.Helper()
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil || c.Status != status {
		t.Errorf("condition %s: %+v, want %s; all: %+v", kind, c, status, conditions)
		return
	}
	for _, part := range parts {
		if !strings.Contains(c.Message, part) {
			t.Errorf("condition %s does not say %q: %s", kind, part, c.Message)
		}
	}
}

func sshKey(namespace, name, line string) *virtfoundryv1alpha1.SSHKey {
	return &virtfoundryv1alpha1.SSHKey{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: virtfoundryv1alpha1.SSHKeySpec{PublicKey: line}}
}

const (
	ed25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE5F0zDang6Ms/Suf2lBAe3rvPFp57lReOHzOn1aApmg a@b"
	rsa1024 = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQCs/AxaNBvTZwTEA520J6gs2p9/MolKrHY4vrm+sQwHEtPfXJMz33/I9NAzDr5r4v9YfcttknsvIpFXqXiYsXEPOkYPBsfb9pLeRvM9upZ9m7BXpvKsdFSnoYYs+VHE7Zg514IqVec+l78DB7/BdmCqsMtA5Mqt6pqxhvyFgiRsIQ== a@b"
)

func TestAnSSHKeyGetsItsFingerprintAndAWeakOneFails(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "keys")
	r := NewSSHKeys(deps(t))
	good, result := judged(t, r, sshKey(namespace, "good", ed25519))
	is(t, good.Status.Conditions, "Ready", metav1.ConditionTrue)
	is(t, good.Status.Conditions, "Compliant", metav1.ConditionTrue)
	if good.Status.Fingerprint != "SHA256:rLK/D+odHzU/rA8emtJJboiFtUHeCKxiOyeLusqI454" || good.Status.Phase != virtfoundryv1alpha1.PhaseReady || result.RequeueAfter != 0 {
		t.Errorf("status %+v, back after %s", good.Status, result.RequeueAfter)
	}
	version := good.ResourceVersion
	if again, _ := judged(t, r, good); again.ResourceVersion != version {
		t.Error("a settled key is written again")
	}
	weak, _ := judged(t, r, sshKey(namespace, "weak", rsa1024))
	is(t, weak.Status.Conditions, "Ready", metav1.ConditionFalse, "KEY-001", "1024 bits")
	if weak.Status.Fingerprint != "SHA256:h28zyyFoaPIbn+5+Y/oaVkQ37NCkiXiLx3aJxwlJ5p0" || weak.Status.Phase != virtfoundryv1alpha1.PhaseFailed {
		t.Errorf("status %+v", weak.Status)
	}
	weak.Spec.PublicKey = ed25519
	if err := cluster.Client.Update(t.Context(), weak); err != nil {
		t.Fatal(err)
	}
	mended, _ := judged(t, r, weak)
	is(t, mended.Status.Conditions, "Ready", metav1.ConditionTrue)
	if meta.FindStatusCondition(mended.Status.Conditions, "Stalled") != nil || mended.Status.Fingerprint != good.Status.Fingerprint {
		t.Errorf("status %+v", mended.Status)
	}
}

func TestFindingsOfAccountsAreToldAndNothingIsMade(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "accounts")
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: virtfoundryv1alpha1.SystemNamespace}})
	users, roles, apiKeys := NewUsers(deps(t)), NewRoles(deps(t)), NewAPIKeys(deps(t))
	alice, _ := judged(t, users, &virtfoundryv1alpha1.User{ObjectMeta: metav1.ObjectMeta{Name: "alice"}, Spec: virtfoundryv1alpha1.UserSpec{
		Username: "alice", RoleRef: virtfoundryv1alpha1.LocalObjectRef{Name: "operator"}, TenantRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "accounts"}, SecretRef: virtfoundryv1alpha1.SecretKeyRef{Name: "vf-user-alice"},
	}})
	is(t, alice.Status.Conditions, "Ready", metav1.ConditionTrue)
	is(t, alice.Status.Conditions, "Compliant", metav1.ConditionFalse, "ACC-003", "Role operator", "ACC-004", "vf-user-alice does not exist")

	wild, _ := judged(t, roles, &virtfoundryv1alpha1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "operator"}, Spec: virtfoundryv1alpha1.RoleSpec{Permissions: []string{"instances:*"}}})
	is(t, wild.Status.Conditions, "Compliant", metav1.ConditionFalse, "ACC-002", "instances:*")
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: virtfoundryv1alpha1.SystemNamespace, Name: "vf-user-alice"}, Data: map[string][]byte{"password_hash": []byte("hunter2")}})
	alice, _ = judged(t, users, alice)
	is(t, alice.Status.Conditions, "Compliant", metav1.ConditionTrue)

	ci := &virtfoundryv1alpha1.APIKey{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "ci"}, Spec: virtfoundryv1alpha1.APIKeySpec{
		UserRef: virtfoundryv1alpha1.LocalObjectRef{Name: "alice"}, Name: "ci", Prefix: "vf_", SecretRef: virtfoundryv1alpha1.SecretKeyRef{Name: "vf-apikey-ci"},
	}}
	ci, result := judged(t, apiKeys, ci)
	is(t, ci.Status.Conditions, "Compliant", metav1.ConditionFalse, "ACC-001", "never ends", "ACC-002", "spec.scopes is empty", "ACC-004")
	if result.RequeueAfter != afterFinding {
		t.Errorf("back after %s", result.RequeueAfter)
	}
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "vf-apikey-ci"}, Data: map[string][]byte{"secret_hash": []byte("hunter2")}})
	ci.Spec.Scopes, ci.Spec.ExpiresAt = []string{"instances:read"}, virtfoundryv1alpha1.Timestamp(time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	if err := cluster.Client.Update(t.Context(), ci); err != nil {
		t.Fatal(err)
	}
	ci, result = judged(t, apiKeys, ci)
	is(t, ci.Status.Conditions, "Compliant", metav1.ConditionTrue)
	if result.RequeueAfter < 59*time.Minute || result.RequeueAfter > time.Hour+time.Second {
		t.Errorf("the end of the key wakes nobody: back after %s", result.RequeueAfter)
	}
	for _, c := range append(alice.Status.Conditions, ci.Status.Conditions...) {
		if strings.Contains(c.Message, "hunter2") {
			t.Error("a condition holds a hash")
		}
	}
}
