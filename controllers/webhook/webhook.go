// Package webhook judges custom resources when they are sent, together with
// the children that would be written for them: by the rules that the
// reconcilers ask before they write.
package webhook

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// Path is where the handler is served, for all kinds.
const Path = "/validate"

// The configuration fails open: the reconcilers ask the same rules before they
// write, so an operator that is away delays a refusal and never skips it.
//
// +kubebuilder:webhookconfiguration:mutating=false,name=cato-webhook
// +kubebuilder:webhook:serviceName=cato-webhook,serviceNamespace=virtfoundry-system,path=/validate,mutating=false,failurePolicy=ignore,sideEffects=None,admissionReviewVersions=v1,timeoutSeconds=5,groups=virtfoundry.io,resources=tenants,verbs=create;update,versions=v1alpha1,name=tenants.cato.dev
// +kubebuilder:webhook:serviceName=cato-webhook,serviceNamespace=virtfoundry-system,path=/validate,mutating=false,failurePolicy=ignore,sideEffects=None,admissionReviewVersions=v1,timeoutSeconds=5,groups=virtfoundry.io,resources=instances;offerings;templates,verbs=create;update,versions=v1alpha1,name=instances.cato.dev
// +kubebuilder:webhook:serviceName=cato-webhook,serviceNamespace=virtfoundry-system,path=/validate,mutating=false,failurePolicy=ignore,sideEffects=None,admissionReviewVersions=v1,timeoutSeconds=5,groups=uds.dev,resources=udsvirtualmachines,verbs=create;update,versions=v1alpha1,name=udsvirtualmachines.cato.dev
// +kubebuilder:webhook:serviceName=cato-webhook,serviceNamespace=virtfoundry-system,path=/validate,mutating=false,failurePolicy=ignore,sideEffects=None,admissionReviewVersions=v1,timeoutSeconds=5,groups=cato.dev,resources=complianceprofiles,verbs=create;update,versions=v1alpha1,name=complianceprofiles.cato.dev
// +kubebuilder:webhook:serviceName=cato-webhook,serviceNamespace=virtfoundry-system,path=/validate,mutating=false,failurePolicy=ignore,sideEffects=None,admissionReviewVersions=v1,timeoutSeconds=5,groups=virtfoundry.io,resources=networks;vpcs;ipaddresses;securitygroups;disks,verbs=create;update,versions=v1alpha1,name=networks.cato.dev

// Handler answers admission requests.
type Handler struct {
	Gatherer *gather.Gatherer
	Secrets  client.Reader // uncached: user data is read when it is judged
	Judge    *decide.Judge
	Decoder  admission.Decoder
}

// Handle implements admission.Handler.
func (h *Handler) Handle(ctx context.Context, req admission.Request) admission.Response {
	if req.Operation == admissionv1.Delete {
		return h.deletion(ctx, req)
	}
	if req.Operation != admissionv1.Create && req.Operation != admissionv1.Update {
		return admission.Allowed("")
	}
	switch (schema.GroupKind{Group: req.Kind.Group, Kind: req.Kind.Kind}) {
	case virtfoundryv1alpha1.GroupVersion.WithKind("Tenant").GroupKind():
		return answer(ctx, h, req, &virtfoundryv1alpha1.Tenant{}, &virtfoundryv1alpha1.Tenant{}, h.tenant)
	case virtfoundryv1alpha1.GroupVersion.WithKind("Instance").GroupKind():
		return answer(ctx, h, req, &virtfoundryv1alpha1.Instance{}, &virtfoundryv1alpha1.Instance{}, h.instance)
	case virtfoundryv1alpha1.GroupVersion.WithKind("Template").GroupKind():
		return answer(ctx, h, req, &virtfoundryv1alpha1.Template{}, &virtfoundryv1alpha1.Template{}, h.template)
	case virtfoundryv1alpha1.GroupVersion.WithKind("Offering").GroupKind():
		return answer(ctx, h, req, &virtfoundryv1alpha1.Offering{}, &virtfoundryv1alpha1.Offering{}, h.offering)
	case udsv1alpha1.GroupVersion.WithKind("UDSVirtualMachine").GroupKind():
		return answer(ctx, h, req, &udsv1alpha1.UDSVirtualMachine{}, &udsv1alpha1.UDSVirtualMachine{}, h.machine)
	case virtfoundryv1alpha1.GroupVersion.WithKind("Network").GroupKind():
		return answer(ctx, h, req, &virtfoundryv1alpha1.Network{}, &virtfoundryv1alpha1.Network{}, h.network)
	case virtfoundryv1alpha1.GroupVersion.WithKind("IPAddress").GroupKind():
		return answer(ctx, h, req, &virtfoundryv1alpha1.IPAddress{}, &virtfoundryv1alpha1.IPAddress{}, h.address)
	case virtfoundryv1alpha1.GroupVersion.WithKind("SecurityGroup").GroupKind():
		return answer(ctx, h, req, &virtfoundryv1alpha1.SecurityGroup{}, &virtfoundryv1alpha1.SecurityGroup{}, h.securityGroup)
	case virtfoundryv1alpha1.GroupVersion.WithKind("VPC").GroupKind():
		return answer(ctx, h, req, &virtfoundryv1alpha1.VPC{}, &virtfoundryv1alpha1.VPC{}, h.vpc)
	case virtfoundryv1alpha1.GroupVersion.WithKind("Disk").GroupKind():
		return answer(ctx, h, req, &virtfoundryv1alpha1.Disk{}, &virtfoundryv1alpha1.Disk{}, h.disk)
	case catov1alpha1.GroupVersion.WithKind("ComplianceProfile").GroupKind():
		return answer(ctx, h, req, &catov1alpha1.ComplianceProfile{}, &catov1alpha1.ComplianceProfile{}, h.profile)
	default:
		return admission.Allowed("")
	}
}

// answer decodes a request and judges it, unless the update changes nothing
// that is judged: a finalizer or a status must never be held up by a rule.
func answer[T client.Object](ctx context.Context, h *Handler, req admission.Request, object, old T, judge func(context.Context, admission.Request, T) admission.Response) admission.Response {
	if err := h.Decoder.Decode(req, object); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if req.Operation == admissionv1.Update {
		if err := h.Decoder.DecodeRaw(req.OldObject, old); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		unchanged := object.GetDeletionTimestamp() != nil ||
			reflect.DeepEqual(specOf(object), specOf(old)) && reflect.DeepEqual(object.GetAnnotations(), old.GetAnnotations()) && !relabelled(object, old)
		if unchanged {
			return admission.Allowed("")
		}
	}
	return judge(ctx, req, object)
}

func specOf(object client.Object) any {
	switch o := object.(type) {
	case *virtfoundryv1alpha1.Tenant:
		return o.Spec
	case *virtfoundryv1alpha1.Instance:
		return o.Spec
	case *virtfoundryv1alpha1.Template:
		return o.Spec
	case *virtfoundryv1alpha1.Offering:
		return o.Spec
	case *udsv1alpha1.UDSVirtualMachine:
		return o.Spec
	case *catov1alpha1.ComplianceProfile:
		return o.Spec
	case *virtfoundryv1alpha1.Network:
		return o.Spec
	case *virtfoundryv1alpha1.IPAddress:
		return o.Spec
	case *virtfoundryv1alpha1.SecurityGroup:
		return o.Spec
	case *virtfoundryv1alpha1.VPC:
		return o.Spec
	case *virtfoundryv1alpha1.Disk:
		return o.Spec
	default:
		return object
	}
}

func (h *Handler) tenant(ctx context.Context, req admission.Request, tenant *virtfoundryv1alpha1.Tenant) admission.Response {
	gathered, err := h.Gatherer.Tenant(ctx, tenant, facts.Admission)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	gathered.Request = requestOf(req)
	judgement, _, err := h.Judge.Tenant(ctx, gathered, facts.Admission)
	if err != nil {
		return h.childless(ctx, gathered, err)
	}
	return respond(judgement)
}

func (h *Handler) machine(ctx context.Context, req admission.Request, machine *udsv1alpha1.UDSVirtualMachine) admission.Response {
	gathered, err := h.Gatherer.UDSVirtualMachine(ctx, machine, facts.Admission)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	gathered.Request = requestOf(req)
	userData, err := h.Judge.UserData(ctx, h.Secrets, gathered)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	judgement, _, err := h.Judge.Machine(ctx, gathered, userData, facts.Admission)
	if err != nil {
		return h.childless(ctx, gathered, err)
	}
	return respond(judgement)
}

// childless denies an object of which no children can be made, in the words of
// the rules that fail on the object itself; the cause, where none does.
func (h *Handler) childless(ctx context.Context, gathered *facts.Gathered, cause error) admission.Response {
	judgement := h.Judge.Verdicts(ctx, gathered)
	if refusals := judgement.Refusals(); len(refusals) > 0 {
		return denied(decide.Explain(refusals))
	}
	return denied(cause.Error())
}

func requestOf(req admission.Request) *facts.Request {
	return &facts.Request{Operation: string(req.Operation), User: req.UserInfo.Username, Groups: append([]string{}, req.UserInfo.Groups...)}
}

// respond denies what a rule that enforces fails, and warns of what could not
// be determined (decision 3).
func respond(judgement decide.Judgement) admission.Response {
	if refusals := judgement.Refusals(); len(refusals) > 0 {
		return denied(decide.Explain(refusals))
	}
	response := admission.Allowed("")
	for _, v := range judgement.Warnings() {
		response.Warnings = append(response.Warnings, fmt.Sprintf("%s is %s: %s", v.Rule.ID, v.Value, v.Why))
	}
	return response
}

func denied(message string) admission.Response {
	response := admission.Denied(message)
	response.Result.Reason = metav1.StatusReasonForbidden
	return response
}
