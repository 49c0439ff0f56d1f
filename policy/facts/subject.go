package facts

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubevirtv1 "kubevirt.io/api/core/v1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// subject is the object that is judged; meta is nil where nothing was gathered.
type subject struct {
	kind schema.GroupVersionKind
	meta *metav1.ObjectMeta
}

// SubjectOf names what is judged.
func SubjectOf(g *Gathered) Subject {
	s := subjectOf(g)
	if s.meta == nil {
		return Subject{}
	}
	named := Subject{APIVersion: s.kind.GroupVersion().String(), Kind: s.kind.Kind, Namespace: s.meta.Namespace, Name: s.meta.Name, UID: string(s.meta.UID)}
	if s.kind.Kind == KindTenant {
		named.Namespace = "" // whatever a file says: it lies in none
	}
	return named
}

// deleting tells whether the deletion of the subject was asked for.
func (s subject) deleting() bool { return s.meta != nil && s.meta.DeletionTimestamp != nil }

// subjectOf is the custom resource that was gathered, or the VirtualMachine that none describes.
func subjectOf(g *Gathered) subject {
	for _, of := range []func() (string, *metav1.ObjectMeta){
		func() (string, *metav1.ObjectMeta) { return fabricSubject(&g.Fabric) },
		func() (string, *metav1.ObjectMeta) { return volumeSubject(&g.Volume) },
		func() (string, *metav1.ObjectMeta) { return accountSubject(&g.Accounts) },
	} {
		if kind, meta := of(); meta != nil {
			return subject{virtfoundryv1alpha1.GroupVersion.WithKind(kind), meta}
		}
	}
	switch {
	case g.Host.File != nil:
		return subject{corev1.SchemeGroupVersion.WithKind(KindPlatform), &g.Host.File.ObjectMeta}
	case g.Tenant != nil:
		return subject{virtfoundryv1alpha1.GroupVersion.WithKind(KindTenant), &g.Tenant.ObjectMeta}
	case g.Machine != nil:
		return subject{udsv1alpha1.GroupVersion.WithKind(KindUDSVirtualMachine), &g.Machine.ObjectMeta}
	case g.Instance != nil:
		return subject{virtfoundryv1alpha1.GroupVersion.WithKind(KindInstance), &g.Instance.ObjectMeta}
	case g.Template != nil:
		return subject{virtfoundryv1alpha1.GroupVersion.WithKind(KindTemplate), &g.Template.ObjectMeta}
	case g.Offering != nil:
		return subject{virtfoundryv1alpha1.GroupVersion.WithKind(KindOffering), &g.Offering.ObjectMeta}
	case g.VirtualMachine != nil:
		return subject{kubevirtv1.GroupVersion.WithKind(KindVirtualMachine), &g.VirtualMachine.ObjectMeta}
	default:
		return subject{}
	}
}
