package webhook

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// instance judges an Instance with the children that would be written for it.
// What only waits for another object (a Network that is being made, a Secret)
// is warned of, since the reconciler waits for it too.
func (h *Handler) instance(ctx context.Context, req admission.Request, instance *virtfoundryv1alpha1.Instance) admission.Response {
	gathered, err := h.Gatherer.Instance(ctx, instance, facts.Admission)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	gathered.Request = requestOf(req)
	userData := gather.UserData{}
	if gathered.Named.Tenant != nil {
		if userData, err = gather.ReadSeed(ctx, h.Secrets, instance, decide.BootTemplate(gathered)); err != nil {
			return admission.Errored(http.StatusInternalServerError, err)
		}
	}
	plan := h.Judge.Instance(ctx, gathered, userData, facts.Admission)
	response := respond(plan.Judgement)
	if !response.Allowed {
		return response
	}
	switch {
	case plan.Problem != nil && !plan.Waits:
		return denied(plan.Problem.Error())
	case plan.Problem != nil:
		response.Warnings = append(response.Warnings, plan.Problem.Error())
	}
	if plan.Dedicated.Asked && !plan.Dedicated.Given {
		response.Warnings = append(response.Warnings, "the guest will run without dedicated processors: "+h.Judge.Remedy(decide.DedicatedCPU))
	}
	return h.adoption(ctx, gathered, response)
}

// adoption warns of a VirtualMachine of the Instance's name that it will not
// take over: the reconciler decides on that, since it may be gone by then.
func (h *Handler) adoption(ctx context.Context, gathered *facts.Gathered, response admission.Response) admission.Response {
	vm := gathered.VirtualMachine
	if vm == nil || metav1.IsControlledBy(vm, gathered.Instance) {
		return response
	}
	if given := outcome.OfGrant(ctx, h.Judge, decide.AdoptMachine, decide.AsAsked(gathered)); given.Status != metav1.ConditionTrue {
		response.Warnings = append(response.Warnings, "VirtualMachine "+client.ObjectKeyFromObject(vm).String()+" exists and is left alone: "+given.Message)
	}
	return response
}

func (h *Handler) template(ctx context.Context, req admission.Request, template *virtfoundryv1alpha1.Template) admission.Response {
	gathered, err := h.Gatherer.Template(ctx, template, facts.Admission)
	return h.asIs(ctx, req, gathered, err)
}

func (h *Handler) offering(ctx context.Context, req admission.Request, offering *virtfoundryv1alpha1.Offering) admission.Response {
	gathered, err := h.Gatherer.Offering(ctx, offering, facts.Admission)
	return h.asIs(ctx, req, gathered, err)
}

// asIs judges an object for which nothing is written.
func (h *Handler) asIs(ctx context.Context, req admission.Request, gathered *facts.Gathered, err error) admission.Response {
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	gathered.Request = requestOf(req)
	return respond(h.Judge.Verdicts(ctx, gathered))
}

// relabelled tells whether labels changed of a kind of which a label is judged.
func relabelled(object, old client.Object) bool {
	if _, isOffering := object.(*virtfoundryv1alpha1.Offering); !isOffering {
		return false
	}
	return object.GetLabels()[virtfoundryv1alpha1.LabelPlatformOwned] != old.GetLabels()[virtfoundryv1alpha1.LabelPlatformOwned]
}
