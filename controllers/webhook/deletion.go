package webhook

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// +kubebuilder:webhook:serviceName=cato-webhook,serviceNamespace=virtfoundry-system,path=/validate,mutating=false,failurePolicy=ignore,sideEffects=None,admissionReviewVersions=v1,timeoutSeconds=5,groups=virtfoundry.io,resources=templates;offerings;sshkeys;networks;vpcs,verbs=delete,versions=v1alpha1,name=deletions.cato.dev

// deletion judges a request to delete an object, as the object will be with it. With the webhook away it goes; the
// finalizers of Networks and VPCs hold those all the same.
func (h *Handler) deletion(ctx context.Context, req admission.Request) admission.Response {
	switch (schema.GroupKind{Group: req.Kind.Group, Kind: req.Kind.Kind}) {
	case virtfoundryv1alpha1.GroupVersion.WithKind(facts.KindTemplate).GroupKind():
		return deleted(ctx, h, req, &virtfoundryv1alpha1.Template{}, h.Gatherer.Template)
	case virtfoundryv1alpha1.GroupVersion.WithKind(facts.KindOffering).GroupKind():
		return deleted(ctx, h, req, &virtfoundryv1alpha1.Offering{}, h.Gatherer.Offering)
	case virtfoundryv1alpha1.GroupVersion.WithKind(facts.KindSSHKey).GroupKind():
		return deleted(ctx, h, req, &virtfoundryv1alpha1.SSHKey{}, h.Gatherer.SSHKey)
	case virtfoundryv1alpha1.GroupVersion.WithKind(facts.KindNetwork).GroupKind():
		return deleted(ctx, h, req, &virtfoundryv1alpha1.Network{}, h.Gatherer.Network)
	case virtfoundryv1alpha1.GroupVersion.WithKind(facts.KindVPC).GroupKind():
		return deleted(ctx, h, req, &virtfoundryv1alpha1.VPC{}, h.Gatherer.VPC)
	default:
		return admission.Allowed("")
	}
}

func deleted[T client.Object](ctx context.Context, h *Handler, req admission.Request, object T, gather func(context.Context, T, facts.Moment) (*facts.Gathered, error)) admission.Response {
	if err := h.Decoder.DecodeRaw(req.OldObject, object); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if object.GetDeletionTimestamp() != nil {
		return admission.Allowed("") // it was deleted before
	}
	object.SetDeletionTimestamp(&metav1.Time{Time: h.Gatherer.Now()})
	gathered, err := gather(ctx, object, facts.Admission)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	gathered.Request = requestOf(req)
	return respond(h.Judge.Deletion(ctx, gathered))
}
