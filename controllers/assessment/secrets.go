package assessment

import (
	"context"
	"fmt"
	"maps"
	"slices"
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
	s.DeepCopyInto(&c.ObjectMeta)
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
	refuse map[string]bool // namespaces that were asked for and may not be read
}

type namespaceSecrets struct {
	informer cache.SharedIndexInformer
	stop     context.CancelFunc
}

// syncTimeout bounds the wait for the first list of a namespace's Secrets.
const syncTimeout = 10 * time.Second

// NewSecretCache returns a cache that tells notify of each Secret that changed,
// by its metadata alone.
func NewSecretCache(client kubernetes.Interface, notify func(*corev1.Secret)) *SecretCache {
	return &SecretCache{client: client, notify: notify, open: map[string]*namespaceSecrets{}, refuse: map[string]bool{}}
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

// namespace returns the running informer of a namespace. Nobody waits for the
// API server with the lock held: one slow namespace must not hold up the others.
func (s *SecretCache) namespace(ctx context.Context, name string) (*namespaceSecrets, error) {
	opened := s.opened(name)
	if opened == nil {
		verb, err := MissingVerb(ctx, s.client, name, "", "secrets")
		if err != nil {
			return nil, err
		}
		if verb != "" {
			s.Refuse(name)
			return nil, apierrors.NewForbidden(corev1.Resource("secrets"), "", fmt.Errorf("the operator may not %s Secrets in namespace %s", verb, name))
		}
		opened = s.start(name)
	}
	waiting, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	if !cache.WaitForCacheSync(waiting.Done(), opened.informer.HasSynced) {
		return nil, fmt.Errorf("the Secrets of namespace %s could not be listed within %s", name, syncTimeout)
	}
	return opened, nil
}

func (s *SecretCache) opened(name string) *namespaceSecrets {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[name]
}

func (s *SecretCache) start(name string) *namespaceSecrets {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opened := s.open[name]; opened != nil {
		return opened
	}
	running, stop := context.WithCancel(context.Background())
	opened := &namespaceSecrets{informer: s.newInformer(name), stop: stop}
	go opened.informer.RunWithContext(running)
	s.open[name] = opened
	delete(s.refuse, name)
	return opened
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
		s.notify(&corev1.Secret{ObjectMeta: *secret.DeepCopy()})
	}
}

// Namespaces are those with a running informer and those that were refused.
func (s *SecretCache) Namespaces() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(s.open)), maps.Keys(s.refuse)))))
}

// Refuse stops the informer of a namespace whose Secrets may not be read, and
// remembers that they are wanted.
func (s *SecretCache) Refuse(namespace string) {
	s.Close(namespace)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse[namespace] = true
}

// Refused tells whether a namespace is wanted and may not be read.
func (s *SecretCache) Refused(namespace string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuse[namespace]
}

// Close stops the informer of a namespace and forgets it until the next look.
func (s *SecretCache) Close(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opened := s.open[namespace]; opened != nil {
		opened.stop()
		delete(s.open, namespace)
	}
	delete(s.refuse, namespace)
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
