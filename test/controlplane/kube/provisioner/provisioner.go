// Package provisioner makes volumes: a claim becomes a folder of the machine.
// It behaves as an external provisioner with support for clones does: it waits
// for the scheduler where the class says so, leaves claims of a populator alone
// and copies the source of a clone.
package provisioner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Name is the provisioner's name in StorageClasses.
const Name = "hostpath.test.cato.dev"

// Annotations that Kubernetes' volume controllers and provisioners agree on.
const (
	provisionerAnnotation  = "volume.kubernetes.io/storage-provisioner"
	selectedNodeAnnotation = "volume.kubernetes.io/selected-node"
	provisionedAnnotation  = "pv.kubernetes.io/provisioned-by"
)

// again is how long after a failure it is tried again.
const again = time.Second

// Provisioner makes and deletes volumes.
type Provisioner struct {
	client  kubernetes.Interface
	dir     string
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	classes storagelisters.StorageClassLister
	changed chan struct{}
}

// New follows the claims and volumes of a factory that is not started yet, and
// keeps volumes in dir.
func New(client kubernetes.Interface, factory informers.SharedInformerFactory, dir string) (*Provisioner, error) {
	claims, volumes := factory.Core().V1().PersistentVolumeClaims(), factory.Core().V1().PersistentVolumes()
	classes := factory.Storage().V1().StorageClasses()
	p := &Provisioner{
		client: client, dir: dir,
		claims: claims.Lister(), volumes: volumes.Lister(), classes: classes.Lister(),
		changed: make(chan struct{}, 1),
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { p.note() },
		UpdateFunc: func(any, any) { p.note() },
		DeleteFunc: func(any) { p.note() },
	}
	for _, informer := range []cache.SharedIndexInformer{claims.Informer(), volumes.Informer(), classes.Informer()} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return nil, fmt.Errorf("follow volumes: %w", err)
		}
	}
	return p, nil
}

// note asks for another round.
func (p *Provisioner) note() {
	select {
	case p.changed <- struct{}{}:
	default: // one is asked for already
	}
}

// Run makes and deletes volumes until the context ends.
func (p *Provisioner) Run(ctx context.Context) error {
	for {
		failed, err := p.round(ctx)
		if err != nil {
			return err
		}
		var retry <-chan time.Time
		if failed {
			retry = time.After(again)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-p.changed:
		case <-retry:
		}
	}
}

// round looks at all claims and volumes once.
func (p *Provisioner) round(ctx context.Context) (failed bool, err error) {
	claims, err := p.claims.List(labels.Everything())
	if err != nil {
		return false, fmt.Errorf("list claims: %w", err)
	}
	for _, claim := range claims {
		if err := p.provision(ctx, claim); err != nil && ctx.Err() == nil {
			failed = true
			klog.FromContext(ctx).Error(err, "make a volume", "claim", claim.Namespace+"/"+claim.Name)
		}
	}
	volumes, err := p.volumes.List(labels.Everything())
	if err != nil {
		return false, fmt.Errorf("list volumes: %w", err)
	}
	for _, volume := range volumes {
		if err := p.remove(ctx, volume); err != nil && ctx.Err() == nil {
			failed = true
			klog.FromContext(ctx).Error(err, "remove a volume", "volume", volume.Name)
		}
	}
	return failed, nil
}

// provision makes the volume of a claim that waits for one from here.
func (p *Provisioner) provision(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	if claim.Status.Phase != corev1.ClaimPending || claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil ||
		claim.Annotations[provisionerAnnotation] != Name || claim.Spec.StorageClassName == nil {
		return nil
	}
	if claim.Spec.VolumeMode != nil && *claim.Spec.VolumeMode == corev1.PersistentVolumeBlock {
		return fmt.Errorf("volumeMode Block is not supported by %s: a volume is a folder", Name)
	}
	class, err := p.classes.Get(*claim.Spec.StorageClassName)
	if err != nil {
		return err
	}
	waits := class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
	if waits && claim.Annotations[selectedNodeAnnotation] == "" {
		return nil
	}
	name := "pvc-" + string(claim.UID)
	if _, err := p.volumes.Get(name); err == nil {
		return nil // made already, and about to be bound
	}
	path := filepath.Join(p.dir, name)
	if source := claim.Spec.DataSourceRef; source != nil {
		if source.APIGroup != nil && *source.APIGroup != "" || source.Kind != "PersistentVolumeClaim" {
			return nil // a populator's
		}
		done, err := p.clone(ctx, claim, source.Name, path)
		if !done || err != nil {
			return err
		}
	} else if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	_, err = p.client.CoreV1().PersistentVolumes().Create(ctx, volumeOf(claim, class, name, path), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// volumeOf is the PersistentVolume for a claim.
func volumeOf(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, name, path string) *corev1.PersistentVolume {
	kind := corev1.HostPathDirectory
	reclaim := corev1.PersistentVolumeReclaimDelete
	if class.ReclaimPolicy != nil {
		reclaim = *class.ReclaimPolicy
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{provisionedAnnotation: Name}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes:                   claim.Spec.AccessModes,
			VolumeMode:                    claim.Spec.VolumeMode,
			PersistentVolumeReclaimPolicy: reclaim,
			StorageClassName:              class.Name,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path, Type: &kind}},
		},
	}
}

// remove deletes a volume of this provisioner that nobody claims any more.
func (p *Provisioner) remove(ctx context.Context, volume *corev1.PersistentVolume) error {
	if volume.Status.Phase != corev1.VolumeReleased || volume.Annotations[provisionedAnnotation] != Name ||
		volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete || volume.Spec.HostPath == nil {
		return nil
	}
	if err := os.RemoveAll(volume.Spec.HostPath.Path); err != nil {
		return err
	}
	err := p.client.CoreV1().PersistentVolumes().Delete(ctx, volume.Name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
