package assessment

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// heard collects what a cache tells of changed Secrets.
type heard struct {
	mu    sync.Mutex
	names []string
	text  string
}

func (h *heard) notify(secret *corev1.Secret) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.names = append(h.names, secret.Name)
	h.text += fmt.Sprintf("%+v", secret)
}

func (h *heard) count(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(h.names), func(n string) bool { return n != name }))
}

const sentinel = "correct-horse-battery-staple"

func userData(namespace, name, text string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: at(namespace, name), Data: map[string][]byte{"userdata": []byte(text), "token": []byte(sentinel)}}
}

func TestASecretIsKeptAsFactsAndNoValueOfItIsKeptOrTold(t *testing.T) {
	namespaceNamed(t, "kept")
	secret := create(t, userData("kept", "seed", "#cloud-config\nssh_pwauth: false\npassword: "+sentinel+"\nchpasswd: {users: [{name: ops, password: "+sentinel+"}]}\n"))
	told := &heard{}
	secrets := NewSecretCache(clientset(t, cluster.RESTConfig()), told.notify)
	defer secrets.Close("kept")
	found, err := secrets.Lookup(t.Context(), types.NamespacedName{Namespace: "kept", Name: "seed"})
	if err != nil {
		t.Fatal(err)
	}
	if found.Name != "seed" || found.UID != string(secret.UID) || found.ResourceVersion != secret.ResourceVersion {
		t.Errorf("the facts are not the Secret's: %+v", found)
	}
	if _, err := secrets.Lookup(t.Context(), types.NamespacedName{Namespace: "kept", Name: "absent"}); !apierrors.IsNotFound(err) {
		t.Errorf("a Secret that does not exist: %v", err)
	}
	eventually(t, "it is told", func() bool { return told.count("seed") > 0 })
	secret.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": sentinel}
	if err := cluster.Client.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the change is told", func() bool { return told.count("seed") > 1 })
	held := told.text
	for _, object := range secrets.opened("kept").informer.GetStore().List() {
		decoded, ok := object.(*decodedSecret)
		if !ok {
			t.Fatalf("the cache holds a %T", object)
		}
		held += fmt.Sprintf("%+v %+v", decoded.ObjectMeta, decoded.facts)
	}
	for _, value := range []string{sentinel, "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5LXN0YXBsZQ"} {
		if strings.Contains(held, value) {
			t.Errorf("a value is held or told: %s", held)
		}
	}
}

func TestANamespaceThatMayNotBeReadIsForbiddenAndRememberedUntilItMay(t *testing.T) {
	namespaceNamed(t, "refused")
	create(t, userData("refused", "seed", "#cloud-config\n"))
	secrets := NewSecretCache(clientset(t, account(t, "secret-reader")), (&heard{}).notify)
	key := types.NamespacedName{Namespace: "refused", Name: "seed"}
	_, err := secrets.Lookup(t.Context(), key)
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "may not list Secrets in namespace refused") {
		t.Errorf("want the missing verb and the namespace: %v", err)
	}
	if !secrets.Refused("refused") || !slices.Equal(secrets.Namespaces(), []string{"refused"}) {
		t.Errorf("a refused namespace is not asked for again: %v", secrets.Namespaces())
	}
	mayReadSecrets(t, "refused", "secret-reader")
	eventually(t, "the Secret is read with the right", func() bool {
		_, err = secrets.Lookup(t.Context(), key)
		return err == nil
	})
	defer secrets.Close("refused")
	if secrets.Refused("refused") {
		t.Error("a namespace that is read counts as refused")
	}
}

func TestLooksAtTheSameTimeShareOneInformer(t *testing.T) {
	namespaceNamed(t, "quick")
	create(t, userData("quick", "seed", "#cloud-config\n"))
	secrets := NewSecretCache(clientset(t, cluster.RESTConfig()), (&heard{}).notify)
	defer secrets.Close("quick")
	var group sync.WaitGroup
	for range 8 { // one informer serves all that look at the same time
		group.Go(func() {
			if _, err := secrets.Lookup(t.Context(), types.NamespacedName{Namespace: "quick", Name: "seed"}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := secrets.Namespaces(); !slices.Equal(got, []string{"quick"}) {
		t.Errorf("namespaces: %v", got)
	}
	secrets.Close("quick")
	if got := secrets.Namespaces(); len(got) != 0 {
		t.Errorf("a closed namespace stays: %v", got)
	}
}
