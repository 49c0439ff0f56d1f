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
// edited as well, or lacks the record, since what it was made from is then not known. The record may be forged by who
// writes in the namespace, so it decides on writes alone: what a disk holds is evidence by rule IMG-002 only, which
// goes by the Template.
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
			return sourceChanged(live, "was edited after it was made", difference.Drifted)
		case live.Annotations[virtfoundryv1alpha1.AnnotationMadeFrom] == "":
			return sourceChanged(live, "was made by another than Cato", difference.Drifted)
		}
		volume.Spec = *live.Spec.DeepCopy()
		volume.Annotations[virtfoundryv1alpha1.AnnotationMadeFrom] = live.Annotations[virtfoundryv1alpha1.AnnotationMadeFrom]
	}
	return outcome.Allowed()
}

func sourceChanged(live *cdiv1beta1.DataVolume, how string, differ []string) outcome.Decision {
	return outcome.Decision{
		Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonSourceChanged,
		Message: fmt.Sprintf("DataVolume %s/%s %s, and is not what the Template says (%v differ): delete the Instance and make a new one, or set the Template back", live.Namespace, live.Name, how, differ),
	}
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

// imported says how far the imports are that a guest waits for; True where all are done, and where there are none.
func imported(found *observed, planned *children.Instance) outcome.Decision {
	no := func(reason, message string) outcome.Decision {
		return outcome.Decision{Status: metav1.ConditionFalse, Reason: reason, Message: message}
	}
	if planned == nil {
		return outcome.Unknown("what is to be imported is not known")
	}
	for _, volume := range planned.DataVolumes {
		live := liveVolume(found, volume.Name)
		switch {
		case live == nil:
			return no(virtfoundryv1alpha1.ReasonImporting, "DataVolume "+volume.Name+" is being made")
		case !metav1.IsControlledBy(live, found.Instance):
			return outcome.Unknown("DataVolume " + volume.Name + " is another's: what it holds is not known")
		case live.Status.Phase == cdiv1beta1.Succeeded:
		case live.Status.Phase == cdiv1beta1.Failed:
			return no(virtfoundryv1alpha1.ReasonImportFailed, "the import of DataVolume "+volume.Name+" has failed, and the guest does not start from it"+said(live))
		default:
			message := fmt.Sprintf("the guest waits for DataVolume %s (phase %q, %s done)", volume.Name, live.Status.Phase, progress(live))
			if live.Status.RestartCount > 0 { // CDI tries again what has failed
				message += said(live)
			}
			return no(virtfoundryv1alpha1.ReasonImporting, message)
		}
	}
	return outcome.Decision{Status: metav1.ConditionTrue, Reason: virtfoundryv1alpha1.ReasonImported, Message: "CDI has filled every volume"}
}

func progress(volume *cdiv1beta1.DataVolume) string {
	if volume.Status.Progress == "" {
		return "nothing"
	}
	return string(volume.Status.Progress)
}

// said is what CDI says of an import that does not run.
func said(volume *cdiv1beta1.DataVolume) string {
	for _, c := range volume.Status.Conditions {
		if c.Type == cdiv1beta1.DataVolumeRunning && c.Status == corev1.ConditionFalse && c.Message != "" {
			return ": " + c.Message
		}
	}
	return ""
}
