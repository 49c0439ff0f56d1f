package assessment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/controllers/gather"
)

// ProbeInterval is how often each watch is proved. The API server checks a
// right only when a request starts: an open watch outlives a withdrawn right
// by minutes, so the right itself is asked for.
const ProbeInterval = 10 * time.Second

// silence is how long a watch may go unproved (some probes failed) before what
// it shows is no longer taken for true.
const silence = 35 * time.Second

// A watch that was blind is compared with the API server's list so often, with
// a pause between.
const (
	comparisons        = 3
	betweenComparisons = 300 * time.Millisecond
)

// Watch is one watched resource.
type Watch struct {
	Resource string // plural.group, as gather names it
	GVR      schema.GroupVersionResource
	List     func() client.ObjectList
	GVK      schema.GroupVersionKind
}

// Freshness proves the watches behind the verdicts, over and over.
type Freshness struct {
	Client  kubernetes.Interface
	API     client.Reader // uncached
	Cache   client.Reader
	Secrets *SecretCache
	Posture *posture.Store
	Watches []Watch
	// Overrulers is looked at with the watches.
	Overrulers *Overrulers
	// Changed is called when what cannot be trusted has become more or less.
	Changed func(context.Context)
	Now     func() time.Time

	mu     sync.RWMutex
	blind  map[string]string    // resource, or resource/namespace -> reason
	proved map[string]time.Time // when each was last proved
}

// Blind tells why a resource cannot be trusted as read, or "".
func (f *Freshness) Blind(resource, namespace string) string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if reason := f.blind[resource]; reason != "" {
		return reason
	}
	return f.blind[resource+"/"+namespace]
}

// Missing tells why evidence of a namespace, or of the cluster around it, cannot
// be trusted, sorted; none when all of it can.
func (f *Freshness) Missing(namespace string) []string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	reasons := []string{}
	for key, reason := range f.blind {
		if _, of, namespaced := strings.Cut(key, "/"); !namespaced || of == namespace {
			reasons = append(reasons, reason)
		}
	}
	slices.Sort(reasons)
	return reasons
}

// Start implements manager.Runnable: it probes until the context ends.
func (f *Freshness) Start(ctx context.Context) error {
	f.mu.Lock()
	f.blind, f.proved = map[string]string{}, map[string]time.Time{}
	for _, w := range f.Watches {
		f.proved[w.Resource] = f.Now()
	}
	f.mu.Unlock()
	ticker := time.NewTicker(ProbeInterval)
	defer ticker.Stop()
	for {
		f.Probe(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Probe proves every watch once, all at the same time: one that the API server
// is slow to answer for holds up no other.
func (f *Freshness) Probe(ctx context.Context) {
	var changed atomic.Bool
	var group sync.WaitGroup
	for _, w := range f.Watches {
		group.Go(func() {
			if f.settle(ctx, w.Resource, "", f.prove(ctx, w)) {
				changed.Store(true)
			}
		})
	}
	group.Go(func() {
		others, seen := f.Overrulers.look(ctx, f.Client)
		if f.settle(ctx, gather.OverrulingResource, "", seen) || others {
			changed.Store(true)
		}
	})
	for _, namespace := range f.Secrets.Namespaces() {
		group.Go(func() {
			if f.probeSecrets(ctx, namespace) {
				changed.Store(true)
			}
		})
	}
	group.Wait()
	if changed.Load() && ctx.Err() == nil {
		f.Changed(ctx)
	}
}

// outcome of one proof: blind for a reason, proved, or neither (an error).
type outcome struct {
	text string
	err  error
}

func (f *Freshness) prove(ctx context.Context, w Watch) outcome {
	verb, err := MissingVerb(ctx, f.Client, "", w.GVR.Group, w.GVR.Resource)
	if err != nil {
		return outcome{err: err}
	}
	if verb != "" {
		return outcome{text: fmt.Sprintf("the right to %s %s is missing", verb, w.Resource)}
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(w.GVK.GroupVersion().WithKind(w.GVK.Kind + "List"))
	if f.Blind(w.Resource, "") == "" {
		return outcome{err: f.API.List(ctx, list, client.Limit(1))}
	}
	// What was blind is trusted again only once the cache has caught up. Objects
	// change between the two lists, so the comparison has a few tries.
	for range comparisons {
		if same, err := f.caughtUp(ctx, w, list); same || err != nil {
			return outcome{err: err}
		}
		select {
		case <-ctx.Done():
			return outcome{err: ctx.Err()}
		case <-time.After(betweenComparisons):
		}
	}
	return outcome{text: f.Blind(w.Resource, "")}
}

// caughtUp compares the cache with what the API server lists.
func (f *Freshness) caughtUp(ctx context.Context, w Watch, live *metav1.PartialObjectMetadataList) (bool, error) {
	if err := f.API.List(ctx, live); err != nil {
		return false, err
	}
	cached := w.List()
	if err := f.Cache.List(ctx, cached, client.UnsafeDisableDeepCopy); err != nil {
		return false, err
	}
	versions := map[types.UID]string{}
	err := meta.EachListItem(cached, func(object runtime.Object) error {
		accessor, err := meta.Accessor(object)
		if err == nil {
			versions[accessor.GetUID()] = accessor.GetResourceVersion()
		}
		return err
	})
	if err != nil || len(versions) != len(live.Items) {
		return false, err
	}
	for i := range live.Items {
		if versions[live.Items[i].UID] != live.Items[i].ResourceVersion {
			return false, nil
		}
	}
	return true, nil
}

// probeSecrets proves the watch of one namespace's Secrets and tells whether
// its machines have to be judged again.
func (f *Freshness) probeSecrets(ctx context.Context, namespace string) bool {
	err := f.Cache.Get(ctx, client.ObjectKey{Name: namespace}, &corev1.Namespace{})
	if apierrors.IsNotFound(err) {
		f.forget(namespace)
		return false
	}
	proof := f.proveSecrets(ctx, namespace)
	changed := f.settle(ctx, "secrets", namespace, proof)
	switch {
	case proof.text != "":
		f.Secrets.Refuse(namespace)
	case proof.err == nil && (changed || f.Secrets.Refused(namespace)):
		// What a watch missed meanwhile is read anew: the next look starts another.
		f.Secrets.Close(namespace)
		changed = true
	}
	return changed
}

func (f *Freshness) proveSecrets(ctx context.Context, namespace string) outcome {
	verb, err := MissingVerb(ctx, f.Client, namespace, "", "secrets")
	if err != nil {
		return outcome{err: err}
	}
	if verb != "" {
		return outcome{text: fmt.Sprintf("the right to %s secrets in namespace %s is missing", verb, namespace)}
	}
	_, err = f.Client.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	return outcome{err: err}
}

// settle keeps the outcome and tells whether trust has changed.
func (f *Freshness) settle(ctx context.Context, resource, namespace string, o outcome) bool {
	key := resource
	if namespace != "" {
		key += "/" + namespace
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.blind[key]
	if _, known := f.proved[key]; !known {
		f.proved[key] = f.Now() // silence counts from the first look
	}
	switch {
	case o.err == nil && o.text == "":
		f.proved[key] = f.Now()
		delete(f.blind, key)
		f.Posture.ConfirmIn(resource, namespace, f.Now())
	case o.text != "":
		f.blind[key] = o.text
	case f.Now().Sub(f.proved[key]) > silence:
		f.blind[key] = fmt.Sprintf("%s could not be read since %s: %v", key, f.proved[key].UTC().Format(time.RFC3339), o.err)
	}
	after := f.blind[key]
	switch {
	case before == "" && after != "":
		log.FromContext(ctx).Info("what is watched can no longer be trusted", "resource", key, "reason", after)
	case before != "" && after == "":
		log.FromContext(ctx).Info("what is watched is trusted again", "resource", key)
	}
	return (before == "") != (after == "")
}

// forget drops a namespace that is gone, with the age of its evidence.
func (f *Freshness) forget(namespace string) {
	f.Secrets.Close(namespace)
	f.Posture.Unwatch("secrets", namespace)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.blind, "secrets/"+namespace)
	delete(f.proved, "secrets/"+namespace)
}

// NeedLeaderElection tells the manager that only the leader judges.
func (f *Freshness) NeedLeaderElection() bool { return true }
