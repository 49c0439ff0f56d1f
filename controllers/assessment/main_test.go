package assessment

import (
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/controllers/internal/fixture"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

// patience bounds a wait for what happens in milliseconds.
const patience = time.Minute

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	return object
}

func namespaceNamed(t *testing.T, name string) {
	t.Helper()
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

func memory(t *testing.T) *posture.Store {
	t.Helper()
	store, err := posture.Open("", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// account is a ServiceAccount of its own with these rules in the whole cluster.
func account(t *testing.T, name string, rules ...rbacv1.PolicyRule) *rest.Config {
	t.Helper()
	create(t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}})
	create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules})
	create(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: name}},
	})
	config, err := cluster.ConfigFor(t.Context(), "default", name)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func clientset(t *testing.T, config *rest.Config) kubernetes.Interface {
	t.Helper()
	set, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// mayReadSecrets binds the right to a namespace's Secrets to the account.
func mayReadSecrets(t *testing.T, namespace, account string) *rbacv1.RoleBinding {
	t.Helper()
	name := account + "-secrets"
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get", "list", "watch"}},
	}}
	if err := client.IgnoreAlreadyExists(cluster.Client.Create(t.Context(), role)); err != nil {
		t.Fatal(err)
	}
	return create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: account}},
	})
}
