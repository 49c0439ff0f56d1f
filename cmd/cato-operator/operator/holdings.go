package operator

import (
	"time"

	"cato.dev/cato/controllers/account"
	"cato.dev/cato/controllers/disk"
	"cato.dev/cato/controllers/hotplug"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/snapshot"
)

// holdings wires the reconcilers of keys, accounts, Disks and snapshots.
func (p *parts) holdings() error {
	deps := lifecycle.Deps{
		Client: p.mgr.GetClient(), Uncached: p.mgr.GetAPIReader(), Gatherer: p.gatherer, Judge: p.judge,
		Record: p.record, Events: p.mgr.GetEventRecorder("cato-operator"), Now: time.Now,
	}
	if err := account.SetupWithManager(p.mgr, deps, p.options.Workers); err != nil {
		return err
	}
	plugs, err := hotplug.New(p.mgr.GetConfig())
	if err != nil {
		return err
	}
	if err := disk.New(deps, plugs).SetupWithManager(p.mgr, p.options.Workers); err != nil {
		return err
	}
	if err := snapshot.NewInstances(deps).SetupWithManager(p.mgr, p.options.Workers); err != nil {
		return err
	}
	return snapshot.NewDisks(deps).SetupWithManager(p.mgr, p.options.Workers, p.gatherer.Capabilities.VolumeSnapshots)
}
