package assessment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"cato.dev/cato/controllers/gather"
)

// +kubebuilder:rbac:groups=policy.networking.k8s.io,resources=adminnetworkpolicies;clusternetworkpolicies,verbs=list

// Overrulers keeps the policies that allow traffic before any NetworkPolicy is
// asked. Their kinds are served by some clusters only and may come at any time,
// and there are few of them, so they are listed and not watched.
type Overrulers struct {
	mu    sync.RWMutex
	found []gather.Overruler
}

// List returns those of the last look.
func (o *Overrulers) List() []gather.Overruler {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.found
}

// look lists them anew and tells whether they have changed.
func (o *Overrulers) look(ctx context.Context, clients kubernetes.Interface) (changed bool, seen outcome) {
	found, seen := overrulersOf(ctx, clients.Discovery().RESTClient())
	if seen.err != nil || seen.text != "" {
		return false, seen
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	changed = !slices.EqualFunc(o.found, found, sameOverruler)
	o.found = found
	return changed, seen
}

func sameOverruler(a, b gather.Overruler) bool {
	return a.Name == b.Name && a.Namespaces.String() == b.Namespaces.String()
}

func overrulersOf(ctx context.Context, api rest.Interface) ([]gather.Overruler, outcome) {
	var group metav1.APIGroup
	err := api.Get().AbsPath("/apis/" + gather.OverrulingGroup).Do(ctx).Into(&group)
	if apierrors.IsNotFound(err) {
		return nil, outcome{}
	}
	if err != nil {
		return nil, outcome{err: err}
	}
	found := []gather.Overruler{}
	for _, version := range group.Versions {
		for _, kind := range gather.OverrulingKinds() {
			plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
			resource := plural.Resource
			data, err := api.Get().AbsPath("/apis/"+version.GroupVersion+"/"+resource).SetHeader("Accept", "application/json").DoRaw(ctx)
			switch {
			case apierrors.IsNotFound(err): // this version does not serve it
				continue
			case apierrors.IsForbidden(err):
				return nil, outcome{text: fmt.Sprintf("the right to list %s.%s is missing", resource, gather.OverrulingGroup)}
			case err != nil:
				return nil, outcome{err: err}
			}
			var list unstructured.UnstructuredList
			if err := list.UnmarshalJSON(data); err != nil {
				return nil, outcome{err: fmt.Errorf("list of %s: %w", resource, err)}
			}
			for i := range list.Items {
				text, err := list.Items[i].MarshalJSON()
				if err != nil {
					return nil, outcome{err: err}
				}
				if o, allows := gather.ReadOverruler(schema.GroupKind{Group: gather.OverrulingGroup, Kind: kind}, text); allows {
					found = append(found, o)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b gather.Overruler) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(found, sameOverruler), outcome{}
}
