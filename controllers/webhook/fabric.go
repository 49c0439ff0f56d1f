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

func (h *Handler) address(ctx context.Context, req admission.Request, address *virtfoundryv1alpha1.IPAddress) admission.Response {
	gathered, err := h.Gatherer.IPAddress(ctx, address, facts.Admission)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	gathered.Request = requestOf(req)
	return respond(h.Judge.AsPlanned(ctx, gathered, facts.Admission))
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
