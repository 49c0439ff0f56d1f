package stack

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// StandInSentence says what StandIn does, for every document and output that
// rests on it.
const StandInSentence = "No CDI and no KubeVirt run here: a stand-in sets DataVolumes to Succeeded, binds claims and reports VirtualMachines and their instances as running. No image is fetched and no guest boots."

// standInOwner is the field manager of what the stand-in writes.
const standInOwner = "stand-in"

// standInInterval is how soon the stand-in sees a new object.
const standInInterval = 100 * time.Millisecond

// StandIn does what CDI and KubeVirt would report, until the context ends: each
// DataVolume has succeeded with a bound claim, except an upload, which waits;
// each machine that is to run has an instance that runs.
func (s *Stack) StandIn(ctx context.Context) {
	ticker := time.NewTicker(standInInterval)
	defer ticker.Stop()
	for {
		s.importAll(ctx)
		s.runAll(ctx)
		s.dropVolumes(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Stack) importAll(ctx context.Context) {
	var volumes cdiv1beta1.DataVolumeList
	if s.Client.List(ctx, &volumes) != nil {
		return // the control plane is going, or busy: the next tick tries again
	}
	for i := range volumes.Items {
		volume := &volumes.Items[i]
		upload := volume.Spec.Source != nil && volume.Spec.Source.Upload != nil
		phase := cdiv1beta1.Succeeded
		if upload {
			phase = cdiv1beta1.UploadReady
		}
		if volume.Status.Phase == phase || volume.DeletionTimestamp != nil {
			continue
		}
		if !upload && s.bindClaim(ctx, volume) != nil {
			continue
		}
		before := volume.DeepCopy()
		volume.Status.Phase, volume.Status.ClaimName = phase, volume.Name
		volume.Status.Progress = "100.0%"
		_ = s.Client.Status().Patch(ctx, volume, client.MergeFrom(before), client.FieldOwner(standInOwner)) // met again at the next tick
	}
}

// bindClaim makes the claim as CDI does, with its default overhead.
func (s *Stack) bindClaim(ctx context.Context, volume *cdiv1beta1.DataVolume) error {
	if volume.Spec.Storage == nil {
		return fmt.Errorf("DataVolume %s/%s has no spec.storage", volume.Namespace, volume.Name)
	}
	request := volume.Spec.Storage.Resources.Requests[corev1.ResourceStorage]
	const mebi = 1 << 20
	aligned := (request.Value() + mebi - 1) / mebi * mebi
	size := *resource.NewQuantity((aligned*106+99)/100, resource.BinarySI)
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: volume.Namespace, Name: volume.Name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(volume, cdiv1beta1.SchemeGroupVersion.WithKind("DataVolume"))},
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: volume.Spec.Storage.StorageClassName,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
			VolumeName:       "stand-in-" + string(volume.UID),
		},
	}
	if err := client.IgnoreAlreadyExists(s.Client.Create(ctx, claim, client.FieldOwner(standInOwner))); err != nil {
		return err
	}
	if err := s.Client.Get(ctx, client.ObjectKeyFromObject(claim), claim); err != nil {
		return err
	}
	if !metav1.IsControlledBy(claim, volume) {
		return fmt.Errorf("claim %s/%s is of a DataVolume before this one: the garbage collector takes it", claim.Namespace, claim.Name)
	}
	if err := s.makeVolume(ctx, claim, size); err != nil {
		return err
	}
	before := claim.DeepCopy()
	claim.Status = corev1.PersistentVolumeClaimStatus{
		Phase: corev1.ClaimBound, AccessModes: claim.Spec.AccessModes, Capacity: corev1.ResourceList{corev1.ResourceStorage: size},
	}
	return s.Client.Status().Patch(ctx, claim, client.MergeFrom(before), client.FieldOwner(standInOwner))
}

// makeVolume makes what the claim is bound to: without it the controller of
// volumes takes the binding back.
func (s *Stack) makeVolume(ctx context.Context, claim *corev1.PersistentVolumeClaim, size resource.Quantity) error {
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName, Labels: map[string]string{standInOwner: "true"}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{corev1.ResourceStorage: size}, AccessModes: claim.Spec.AccessModes, VolumeMode: claim.Spec.VolumeMode,
			ClaimRef:                      &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			PersistentVolumeSource:        corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "stand-in.cato.dev", VolumeHandle: claim.Spec.VolumeName}},
		},
	}
	if claim.Spec.StorageClassName != nil {
		volume.Spec.StorageClassName = *claim.Spec.StorageClassName
	}
	return client.IgnoreAlreadyExists(s.Client.Create(ctx, volume, client.FieldOwner(standInOwner)))
}

// dropVolumes takes the volumes away whose claims are gone.
func (s *Stack) dropVolumes(ctx context.Context) {
	var volumes corev1.PersistentVolumeList
	if s.Client.List(ctx, &volumes, client.MatchingLabels{standInOwner: "true"}) != nil {
		return
	}
	for i := range volumes.Items {
		if phase := volumes.Items[i].Status.Phase; phase == corev1.VolumeReleased || phase == corev1.VolumeFailed {
			_ = s.Client.Delete(ctx, &volumes.Items[i]) // met again at the next tick
		}
	}
}
