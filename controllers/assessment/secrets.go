package assessment

import (
	"context"
	"fmt"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"cato.dev/cato/policy/facts"
)

// decodedSecret is what the cache keeps of a Secret: no value of any key.
type decodedSecret struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	facts facts.Secret
}

// DeepCopyObject implements runtime.Object. The facts are never changed.
func (s *decodedSecret) DeepCopyObject() runtime.Object {
	c := *s
	s.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	return &c
}

// SecretCache watches Secrets in the namespaces whose machines name one, each
// by an informer of its own: a manager's cache fixes its namespaces at its
// start and would need the right to every Secret of the cluster.
type SecretCache struct {
	client kubernetes.Interface
	notify func(*corev1.Secret)
	mu     sync.Mutex
	open   map[string]*namespaceSecrets
}

type namespaceSecrets struct {
	informer cache.SharedIndexInformer
	stop     context.CancelFunc
}

// NewSecretCache returns a cache that tells notify of each Secret that changed,
// by its metadata alone.
func NewSecretCache(client kubernetes.Interface, notify func(*corev1.Secret)) *SecretCache {
	return &SecretCache{client: client, notify: notify, open: map[string]*namespaceSecrets{}}
}

// Lookup returns a Secret's facts. The first look into a namespace starts its
// informer; a namespace whose Secrets may not be read is a Forbidden error.
func (s *SecretCache) Lookup(ctx context.Context, key types.NamespacedName) (facts.Secret, error) {
	secrets, err := s.namespace(ctx, key.Namespace)
	if err != nil {
		return facts.Secret{}, err
	}
	found, exists, err := secrets.informer.GetStore().GetByKey(key.String())
	if err != nil {
		return facts.Secret{}, err
	}
	secret, ok := found.(*decodedSecret)
	if !exists || !ok {
		return facts.Secret{}, apierrors.NewNotFound(corev1.Resource("secrets"), key.String())
	}
	return secret.facts, nil
}

func (s *SecretCache) namespace(ctx context.Context, name string) (*namespaceSecrets, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opened := s.open[name]; opened != nil {
		return opened, nil
	}
	if verb, err := MissingVerb(ctx, s.client, name, "", "secrets"); err != nil {
		return nil, err
	} else if verb != "" {
		return nil, apierrors.NewForbidden(corev1.Resource("secrets"), "", fmt.Errorf("the operator may not %s Secrets in namespace %s", verb, name))
	}
	running, stop := context.WithCancel(context.Background())
	opened := &namespaceSecrets{informer: s.newInformer(name), stop: stop}
	go opened.informer.RunWithContext(running)
	waiting, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if !cache.WaitForCacheSync(waiting.Done(), opened.informer.HasSynced) {
		stop()
		return nil, fmt.Errorf("the Secrets of namespace %s could not be listed within 10 s", name)
	}
	s.open[name] = opened
	return opened, nil
}

func (s *SecretCache) newInformer(namespace string) cache.SharedIndexInformer {
	secrets := s.client.CoreV1().Secrets(namespace)
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return secrets.List(ctx, o) },
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return secrets.Watch(ctx, o)
		},
	}, &corev1.Secret{}, 0, cache.Indexers{})
	// Neither call can fail before the informer runs.
	_ = informer.SetTransform(decodeSecret)
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: s.changed,
		UpdateFunc: func(before, after any) {
			if old, ok := before.(*decodedSecret); ok {
				if now, ok := after.(*decodedSecret); ok && old.ResourceVersion == now.ResourceVersion {
					return
				}
			}
			s.changed(after)
		},
		DeleteFunc: s.changed,
	})
	return informer
}

// decodeSecret keeps the facts of a Secret and lets go of its values.
func decodeSecret(object any) (any, error) {
	secret, ok := object.(*corev1.Secret)
	if !ok {
		return object, nil
	}
	meta := metav1.ObjectMeta{
		Namespace: secret.Namespace, Name: secret.Name, UID: secret.UID,
		ResourceVersion: secret.ResourceVersion, OwnerReferences: secret.OwnerReferences, Labels: secret.Labels,
	}
	return &decodedSecret{ObjectMeta: meta, facts: facts.DecodeSecret(secret)}, nil
}

func (s *SecretCache) changed(object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	if secret, ok := object.(*decodedSecret); ok {
		s.notify(&corev1.Secret{ObjectMeta: *secret.ObjectMeta.DeepCopy()})
	}
}

// Namespaces are those with a running informer.
func (s *SecretCache) Namespaces() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.open))
	for name := range s.open {
		names = append(names, name)
	}
	return names
}

// Close stops the informer of a namespace: it is gone, or may not be read.
func (s *SecretCache) Close(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opened := s.open[namespace]; opened != nil {
		opened.stop()
		delete(s.open, namespace)
	}
}

// MissingVerb asks the API server which of the verbs that a watch needs is not
// given to us for a resource; empty when none is missing.
func MissingVerb(ctx context.Context, client kubernetes.Interface, namespace, group, resource string) (string, error) {
	for _, verb := range []string{"list", "watch"} {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Group: group, Resource: resource},
		}}
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return "", err
		}
		if !answer.Status.Allowed {
			return verb, nil
		}
	}
	return "", nil
}
