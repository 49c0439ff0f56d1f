package operator

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	cniv1 "cato.dev/cato/api/cni/v1"
	"cato.dev/cato/controllers/address"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/network"
	"cato.dev/cato/controllers/securitygroup"
	"cato.dev/cato/controllers/vpc"
)

// fabric wires the reconcilers of the tenants' networks.
func (p *parts) fabric() error {
	deps := lifecycle.Deps{
		Client: p.mgr.GetClient(), Uncached: p.mgr.GetAPIReader(), Gatherer: p.gatherer, Judge: p.judge,
		Record: p.record, Events: p.mgr.GetEventRecorder("cato-operator"), Now: time.Now,
	}
	if err := network.New(deps).SetupWithManager(p.mgr, p.options.Workers, servesAttachments(p.mgr)); err != nil {
		return err
	}
	if err := vpc.New(deps).SetupWithManager(p.mgr, p.options.Workers); err != nil {
		return err
	}
	if err := address.New(deps).SetupWithManager(p.mgr, p.options.Workers); err != nil {
		return err
	}
	return securitygroup.New(deps).SetupWithManager(p.mgr, p.options.Workers)
}

// servesAttachments tells whether Multus is installed. Without it the operator
// runs all the same; Networks say that their attachment cannot be made, and the
// operator is to be started again once Multus is there.
func servesAttachments(mgr ctrl.Manager) bool {
	_, err := mgr.GetRESTMapper().RESTMapping(schema.GroupKind{Group: cniv1.GroupVersion.Group, Kind: cniv1.KindNetworkAttachmentDefinition}, cniv1.GroupVersion.Version)
	return err == nil
}
