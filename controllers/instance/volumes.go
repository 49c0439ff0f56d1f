package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/outcome"
)

// mark records on each DataVolume what it is made from, and keeps the one that exists as it was made: a Template that
// has changed since is for new Instances, and nothing is imported again behind a user's back. It refuses where one was
// edited as well, since what it was made from is then not known.
func mark(found *observed, planned *children.Instance) outcome.Decision {
	for _, volume := range planned.DataVolumes {
		made := sourceOf(volume.Spec)
		volume.Annotations[virtfoundryv1alpha1.AnnotationMadeFrom] = made
		live := liveVolume(found, volume.Name)
		if live == nil || live.Annotations[virtfoundryv1alpha1.AnnotationMadeFrom] == made || !metav1.IsControlledBy(live, found.Instance) {
			continue // to be made, to be put right, or another's, which is found when it is written
		}
		difference, err := apply.Needed(apply.Child{Desired: volume, Live: live})
		switch {
		case err != nil || !outcome.Touches(difference.Drifted, "spec"):
			continue
		case live.Generation > 1:
			return outcome.Decision{
				Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonSourceChanged,
				Message: fmt.Sprintf("DataVolume %s/%s was edited after it was made, and is not what the Template says (%v differ): delete the Instance and make a new one, or set the Template back", live.Namespace, live.Name, difference.Drifted),
			}
		}
		volume.Spec = *live.Spec.DeepCopy()
		volume.Annotations[virtfoundryv1alpha1.AnnotationMadeFrom] = live.Annotations[virtfoundryv1alpha1.AnnotationMadeFrom]
	}
	return outcome.Allowed()
}

// volumes lists the DataVolumes as they are to be.
func volumes(found *observed, planned *children.Instance) []apply.Child {
	list := []apply.Child{}
	for _, volume := range planned.DataVolumes {
		child := apply.Child{Desired: volume}
		if live := liveVolume(found, volume.Name); live != nil {
			child.Live = live
		}
		list = append(list, child)
	}
	return list
}

func liveVolume(found *observed, name string) *cdiv1beta1.DataVolume {
	for i := range found.DataVolumes {
		if dv := &found.DataVolumes[i]; dv.Namespace == found.Instance.Namespace && dv.Name == name {
			return dv
		}
	}
	return nil
}

func sourceOf(spec cdiv1beta1.DataVolumeSpec) string {
	text, err := json.Marshal(spec)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// importing says how far the imports are that a guest waits for; empty when all are done.
func importing(found *observed, planned *children.Instance) (message string, failed bool) {
	if planned == nil {
		return "", false
	}
	for _, volume := range planned.DataVolumes {
		live := liveVolume(found, volume.Name)
		switch {
		case live == nil:
			return "DataVolume " + volume.Name + " is being made", false
		case live.Status.Phase == cdiv1beta1.Succeeded:
		case live.Status.Phase == cdiv1beta1.Failed:
			return "the import of DataVolume " + volume.Name + " has failed: its conditions say why", true
		default:
			return fmt.Sprintf("the guest waits for DataVolume %s (phase %q, %s done)%s", volume.Name, live.Status.Phase, progress(live), stuck(live)), false
		}
	}
	return "", false
}

func progress(volume *cdiv1beta1.DataVolume) string {
	if volume.Status.Progress == "" {
		return "nothing"
	}
	return string(volume.Status.Progress)
}

// stuck is what CDI says of an import that it tries again.
func stuck(volume *cdiv1beta1.DataVolume) string {
	for _, c := range volume.Status.Conditions {
		if c.Type == cdiv1beta1.DataVolumeRunning && c.Status == corev1.ConditionFalse && c.Message != "" && volume.Status.RestartCount > 0 {
			return ": " + c.Message
		}
	}
	return ""
}
