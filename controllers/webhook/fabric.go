package webhook

import (
	"context"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

func (h *Handler) network(ctx context.Context, req admission.Request, network *virtfoundryv1alpha1.Network) admission.Response {
	gathered, err := h.Gatherer.Network(ctx, network, facts.Admission)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	gathered.Request = requestOf(req)
	judgement, _, err := h.Judge.Network(ctx, gathered, 0, facts.Admission)
	if err != nil {
		return h.childless(ctx, gathered, err)
	}
	return respond(judgement)
}

func (h *Handler) vpc(ctx context.Context, req admission.Request, vpc *virtfoundryv1alpha1.VPC) admission.Response {
	gathered, err := h.Gatherer.VPC(ctx, vpc, facts.Admission)
	return h.asIs(ctx, req, gathered, err)
}

// disk judges a Disk with the claim that would be written for it.
func (h *Handler) disk(ctx context.Context, req admission.Request, disk *virtfoundryv1alpha1.Disk) admission.Response {
	gathered, err := h.Gatherer.Disk(ctx, disk, facts.Admission)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	gathered.Request = requestOf(req)
	judgement, _ := h.Judge.Disk(ctx, gathered, facts.Admission)
	return respond(judgement)
}

func (h *Handler) address(ctx context.Context, req admission.Request, address *virtfoundryv1alpha1.IPAddress) admission.Response {
	gathered, err := h.Gatherer.IPAddress(ctx, address, facts.Admission)
	return h.asIs(ctx, req, gathered, err)
}

func (h *Handler) securityGroup(ctx context.Context, req admission.Request, group *virtfoundryv1alpha1.SecurityGroup) admission.Response {
	gathered, err := h.Gatherer.SecurityGroup(ctx, group, facts.Admission)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	gathered.Request = requestOf(req)
	judgement, _, err := h.Judge.SecurityGroup(ctx, gathered, facts.Admission)
	if err != nil {
		return h.childless(ctx, gathered, err)
	}
	return respond(judgement)
}
