package operator

import (
	"time"

	"cato.dev/cato/controllers/account"
	"cato.dev/cato/controllers/lifecycle"
)

// holdings wires the reconcilers of keys, accounts, Disks and snapshots.
func (p *parts) holdings() error {
	deps := lifecycle.Deps{
		Client: p.mgr.GetClient(), Uncached: p.mgr.GetAPIReader(), Gatherer: p.gatherer, Judge: p.judge,
		Record: p.record, Events: p.mgr.GetEventRecorder("cato-operator"), Now: time.Now,
	}
	return account.SetupWithManager(p.mgr, deps, p.options.Workers)
}
