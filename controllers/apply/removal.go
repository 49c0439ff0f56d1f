package apply

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// removals is a merge patch that takes away what live has at the exact paths and
// desired has not; nil when there is nothing. An apply leaves fields that others
// own, and those that our own create made: maps are merged.
func removals(desired, live map[string]any, exact []string) map[string]any {
	patch := map[string]any{}
	for _, path := range exact {
		want, wanted := lookup(desired, path).(map[string]any)
		have, had := lookup(live, path).(map[string]any)
		if !wanted || !had {
			continue
		}
		if gone := beyond(want, have); len(gone) > 0 {
			put(patch, strings.Split(path, "."), gone)
		}
	}
	if len(patch) == 0 {
		return nil
	}
	return patch
}

// beyond maps each key that only have has to null, at every depth.
func beyond(want, have map[string]any) map[string]any {
	gone := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(have)) {
		value, wanted := want[key]
		if !wanted {
			gone[key] = nil
			continue
		}
		inner, isMap := value.(map[string]any)
		current, wasMap := have[key].(map[string]any)
		if !isMap || !wasMap {
			continue
		}
		if below := beyond(inner, current); len(below) > 0 {
			gone[key] = below
		}
	}
	return gone
}

func put(into map[string]any, path []string, value map[string]any) {
	for _, key := range path[:len(path)-1] {
		next, found := into[key].(map[string]any)
		if !found {
			next = map[string]any{}
			into[key] = next
		}
		into = next
	}
	into[path[len(path)-1]] = value
}

// takeAway sends the removals, never to another object of the name.
func takeAway(ctx context.Context, c client.Client, child Child, patch map[string]any) error {
	patch["metadata"] = identity(child)
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	object, ok := child.Live.DeepCopyObject().(client.Object)
	if !ok {
		return nil
	}
	return c.Patch(ctx, object, client.RawPatch(types.MergePatchType, text), client.FieldOwner(FieldManager))
}

// identity is the metadata of a merge patch that leaves the object marked and
// owned as it is to be: the guards judge each write by what it leaves.
func identity(child Child) map[string]any {
	metadata := map[string]any{"uid": string(child.Live.GetUID()), "resourceVersion": child.Live.GetResourceVersion()}
	if labels := child.Desired.GetLabels(); len(labels) > 0 {
		metadata["labels"] = labels
	}
	want, refs := metav1.GetControllerOf(child.Desired), child.Live.GetOwnerReferences()
	if want != nil && !slices.ContainsFunc(refs, func(ref metav1.OwnerReference) bool { return ref.UID == want.UID }) {
		metadata["ownerReferences"] = append(slices.Clone(refs), *want)
	}
	return metadata
}
