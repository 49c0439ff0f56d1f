package facts

import (
	"reflect"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

func createdAt(at metav1.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// fills tells whether the claim is the DataVolume's own: CDI makes it its
// controller, with populators too, and a namesake of another uid is another import.
func fills(dv *cdiv1beta1.DataVolume, claim *corev1.PersistentVolumeClaim) bool {
	return claim != nil && dv.UID != "" && metav1.IsControlledBy(claim, dv)
}

// Annotations by which CDI 1.65 takes a claim for filled without an import
// (pkg/controller/common/util.go and pkg/controller/datavolume/controller-base.go).
const (
	prePopulated     = "cdi.kubevirt.io/storage.prePopulated"
	checkStaticClaim = "cdi.kubevirt.io/storage.checkStaticVolume"
	allowAdoption    = "cdi.kubevirt.io/allowClaimAdoption"
	createdFor       = "cdi.kubevirt.io/createdForDataVolume"
)

// filledElsewhere tells whether the claim may hold what no import of this
// DataVolume brought. Adoption leaves a claim that CDI made for it as it is.
func (l lineages) filledElsewhere(dv *cdiv1beta1.DataVolume, claim *corev1.PersistentVolumeClaim) bool {
	if _, found := dv.Annotations[prePopulated]; found {
		return true
	}
	if _, found := dv.Annotations[checkStaticClaim]; found {
		return true
	}
	adopts := l.adopts
	if text, found := dv.Annotations[allowAdoption]; found {
		said, err := strconv.ParseBool(text)
		adopts = said && err == nil
	}
	return adopts && (claim == nil || claim.Annotations[createdFor] != string(dv.UID))
}

// startsEmpty tells whether a disk holds nothing until the guest writes to it.
func (l lineages) startsEmpty(volume *kubevirtv1.VolumeSource, namespace string) bool {
	name := ClaimName(volume)
	dv := l.volumes[namespace+"/"+name]
	return name != "" && dv != nil && dv.Spec.Source != nil && dv.Spec.Source.Blank != nil
}

// sources counts the sources that a DataVolume names: more than one is none, since CDI refuses it.
func sources(dv *cdiv1beta1.DataVolume) int {
	count := 0
	if dv.Spec.SourceRef != nil {
		count++
	}
	if dv.Spec.Source == nil {
		return count
	}
	each := reflect.ValueOf(*dv.Spec.Source)
	for i := range each.NumField() {
		if !each.Field(i).IsNil() {
			count++
		}
	}
	return count
}
