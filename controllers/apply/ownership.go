package apply

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Ours tells whether a live object is the child that desired describes: its
// controller has the uid of desired's, or we wrote it and its controller
// reference is gone or damaged (the field managers tell who wrote).
func Ours(desired, live client.Object) bool {
	want, have := metav1.GetControllerOf(desired), metav1.GetControllerOf(live)
	if want == nil {
		return false
	}
	for _, ref := range live.GetOwnerReferences() {
		if ref.UID == want.UID {
			return true
		}
	}
	if !written(live) {
		return false
	}
	return have == nil || have.Kind == want.Kind && have.Name == want.Name
}

func written(live client.Object) bool {
	return slices.ContainsFunc(live.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return f.Manager == FieldManager })
}

// strayController tells whether live has an owner reference that stands in the
// way of ours: of the same uid with other fields, or another controller.
func strayController(desired, live client.Object) bool {
	want := metav1.GetControllerOf(desired)
	for _, ref := range live.GetOwnerReferences() {
		controls := ref.Controller != nil && *ref.Controller
		if ref.UID != want.UID && controls || ref.UID == want.UID && !reflect.DeepEqual(ref, *want) {
			return true
		}
	}
	return false
}
