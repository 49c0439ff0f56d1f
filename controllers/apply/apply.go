// Package apply brings one child object to what is desired. It writes only what
// differs, takes nothing over that another made, and leaves what others added.
package apply

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
)

// FieldManager is the name under which every child is written.
const FieldManager = catov1alpha1.FieldManager

// Outcome is what an apply did.
type Outcome string

// The outcomes. Recreated is an update of a field that cannot be changed.
const (
	Unchanged Outcome = "unchanged"
	Created   Outcome = "created"
	Updated   Outcome = "updated"
	Recreated Outcome = "recreated"
)

// Result tells what was done and which owned fields had drifted.
type Result struct {
	Outcome Outcome
	Drifted []string
}

// ErrOwnedByOther tells that an object of the child's name exists that is not
// ours; nothing was written.
var ErrOwnedByOther = errors.New("is owned by another")

// Child is one object to bring about.
type Child struct {
	Desired client.Object // complete: kind, name, labels, controller reference
	Live    client.Object // as read; nil when it does not exist
	// Exact are the dotted paths that are ours as a whole: an entry that another
	// added there is drift. Elsewhere only the fields of Desired are compared.
	Exact []string
	// Immutable are the dotted paths that the API refuses to change: when one has
	// drifted the object is deleted and created again.
	Immutable []string
	// Adopt allows an object without a controller to be taken over; a grant decides.
	Adopt bool
}

// Needed tells what Apply would do, without doing it. It fails with
// ErrOwnedByOther when an object of that name is not ours.
func Needed(child Child) (Result, error) {
	result, _, err := needed(child)
	return result, err
}

func needed(child Child) (Result, map[string]any, error) {
	kind := child.Desired.GetObjectKind().GroupVersionKind().Kind
	desired, err := document(child.Desired, kind)
	if err != nil {
		return Result{}, nil, err
	}
	if isNil(child.Live) {
		return Result{Outcome: Created}, desired, nil
	}
	if !Ours(child.Desired, child.Live) && (!child.Adopt || metav1.GetControllerOf(child.Live) != nil) {
		return Result{}, nil, fmt.Errorf("%s %w: delete it, or rename the resource that wants this name", describe(child.Desired), ErrOwnedByOther)
	}
	live, err := document(child.Live, kind) // what is read does not always say its kind
	if err != nil {
		return Result{}, nil, err
	}
	drifted := Differences(desired, live, child.Exact)
	switch {
	case len(drifted) == 0:
		return Result{Outcome: Unchanged}, desired, nil
	case within(drifted, child.Immutable):
		return Result{Outcome: Recreated, Drifted: drifted}, desired, nil
	default:
		return Result{Outcome: Updated, Drifted: drifted}, desired, nil
	}
}

// Apply brings the child about. A conflict or an AlreadyExists means that the
// live object was read too early: try again.
func Apply(ctx context.Context, c client.Client, child Child) (Result, error) {
	result, desired, err := needed(child)
	if err != nil {
		return result, err
	}
	switch result.Outcome {
	case Created:
		return result, create(ctx, c, desired)
	case Updated:
		return result, update(ctx, c, desired, child)
	case Recreated:
		return result, recreate(ctx, c, desired, child.Live)
	default:
		return result, nil
	}
}

// create is a plain create under our name and not an apply, which would take
// over an object that somebody else made meanwhile.
func create(ctx context.Context, c client.Client, desired map[string]any) error {
	object := &unstructured.Unstructured{Object: desired}
	unstructured.RemoveNestedField(object.Object, "metadata", "resourceVersion")
	unstructured.RemoveNestedField(object.Object, "metadata", "uid")
	return c.Create(ctx, object, client.FieldOwner(FieldManager))
}

func update(ctx context.Context, c client.Client, desired map[string]any, child Child) error {
	object := &unstructured.Unstructured{Object: desired}
	object.SetUID(child.Live.GetUID()) // never another object of this name
	if strayController(child.Desired, child.Live) {
		if err := replaceOwners(ctx, c, child); err != nil {
			return err
		}
		object.SetResourceVersion("")
	}
	live, err := document(child.Live, object.GetKind())
	if err != nil {
		return err
	}
	if patch := removals(desired, live, child.Exact); patch != nil {
		if err := takeAway(ctx, c, child, patch); err != nil {
			return err
		}
		object.SetResourceVersion("")
	}
	err = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner(FieldManager), client.ForceOwnership)
	if madeAnew(err) {
		return apierrors.NewConflict(schema.GroupResource{Group: object.GroupVersionKind().Group, Resource: object.GetKind()}, object.GetName(), err)
	}
	return err
}

// madeAnew tells whether an apply was refused because of the uid: the API server
// calls that an invalid change of the field, although it is a read too early.
func madeAnew(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return false
	}
	return slices.ContainsFunc(status.Status().Details.Causes, func(cause metav1.StatusCause) bool { return cause.Field == "metadata.uid" })
}

// replaceOwners rewrites the owner references whole: they are keyed by uid, so
// an apply would put ours beside a forged one.
func replaceOwners(ctx context.Context, c client.Client, child Child) error {
	patched, ok := child.Live.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%s cannot be copied", describe(child.Live))
	}
	patched.SetOwnerReferences(child.Desired.GetOwnerReferences())
	labels := map[string]string{}
	maps.Copy(labels, child.Live.GetLabels())
	maps.Copy(labels, child.Desired.GetLabels()) // the guards judge each write by what it leaves
	patched.SetLabels(labels)
	unchanged := client.MergeFromWithOptions(child.Live, client.MergeFromWithOptimisticLock{}) // never another object of this name
	return c.Patch(ctx, patched, unchanged, client.FieldOwner(FieldManager))
}

func recreate(ctx context.Context, c client.Client, desired map[string]any, live client.Object) error {
	uid := live.GetUID()
	err := c.Delete(ctx, live, client.Preconditions{UID: &uid})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return create(ctx, c, desired)
}

func describe(object client.Object) string {
	kind := object.GetObjectKind().GroupVersionKind().Kind
	if object.GetNamespace() == "" {
		return kind + " " + object.GetName()
	}
	return kind + " " + object.GetNamespace() + "/" + object.GetName()
}
