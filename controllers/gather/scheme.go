package gather

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	instancetypev1beta1 "kubevirt.io/api/instancetype/v1beta1"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	cniv1 "cato.dev/cato/api/cni/v1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	volumesnapshotv1 "cato.dev/cato/api/volumesnapshot/v1"
)

// Scheme knows every kind that is read or written.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, networkingv1.AddToScheme, rbacv1.AddToScheme, storagev1.AddToScheme,
		kubevirtv1.AddToScheme, instancetypev1beta1.AddToScheme, cdiv1beta1.AddToScheme,
		snapshotv1beta1.AddToScheme, volumesnapshotv1.AddToScheme,
		addControllerRevisions, cniv1.AddToScheme, virtfoundryv1alpha1.AddToScheme, udsv1alpha1.AddToScheme, catov1alpha1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

// addControllerRevisions adds of the group apps only what is used: revisions
// hold the instancetype that a machine was pinned to, one DaemonSet makes the
// host bridges.
func addControllerRevisions(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(appsv1.SchemeGroupVersion, &appsv1.ControllerRevision{}, &appsv1.ControllerRevisionList{}, &appsv1.DaemonSet{}, &appsv1.DaemonSetList{})
	metav1.AddToGroupVersion(scheme, appsv1.SchemeGroupVersion)
	return nil
}
