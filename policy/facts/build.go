package facts

import (
	"reflect"
	"slices"
	"time"

	kubevirtv1 "kubevirt.io/api/core/v1"
)

// The kinds of subjects.
const (
	KindTenant            = "Tenant"
	KindInstance          = "Instance"
	KindTemplate          = "Template"
	KindOffering          = "Offering"
	KindUDSVirtualMachine = "UDSVirtualMachine"
	KindVirtualMachine    = "VirtualMachine"
)

// Build makes the document of what was gathered. It never fails: what cannot
// be told is a gap, and a user's value that does not parse is a fact about it.
func Build(g *Gathered) Input {
	in := Input{
		Moment: string(g.Moment), Now: g.Now.UTC().Format(time.RFC3339), Request: []Request{},
		Subject: SubjectOf(g), Object: buildObject(g),
		Namespace: buildNamespace(g.Namespace), Quotas: buildQuotas(g.ResourceQuotas), Limits: buildLimits(g.LimitRanges),
		Cluster: Cluster{CDIUploadChecksum: g.Cluster.CDIUploadChecksum, VolumeSnapshots: volumeSnapshots(g), CDIOverhead: newOverheads(g.CDIConfig).global.FloatString(3)},
		Params:  buildParams(g), Exceptions: []Exception{}, Gaps: map[string]string{},
	}
	for path, reason := range g.Gaps {
		in.Gaps[path] = reason
	}
	if g.Request != nil {
		in.Request = []Request{*g.Request}
	}
	gap := func(path, reason string) {
		if _, known := in.Gaps[path]; !known {
			in.Gaps[path] = reason
		}
	}
	var root *int64
	for i := range in.Object.Machine {
		root = in.Object.Machine[i].DiskSize.Value
	}
	in.Object.Deleting = subjectOf(g).deleting()
	in.Fabric = buildFabric(g, &in.Object)
	in.Volume = buildVolume(&g.Volume, &in.Object)
	if _, meta := volumeSubject(&g.Volume); meta != nil {
		in.Fabric.Tenants = tenantRefs(g.Volume.Tenants)
	}
	in.Accounts = buildAccounts(&g.Accounts, g.Now, &in.Object)
	in.Object.Platform, in.Bridges = platformWish(&g.Host), bridgeMakers(g.Host.Sets)
	forms := formsOf(g)
	namespace := in.Subject.Namespace
	in.Network = buildNetwork(g, forms, namespace)
	in.Disks = buildDisks(g, forms, namespace, root)
	in.Origins = buildOrigins(g, namespace)
	in.Foreign = buildForeign(g, in.Network.NICs, namespace)
	in.Images = imagesOf(g, forms, in.Disks)
	in.Guest = buildGuest(g, forms, namespace, gap)
	in.Compute = buildCompute(g, forms, gap)
	if RunsMachine(in.Subject.Kind) && !slices.ContainsFunc(forms, func(f form) bool { return f.launcher == fromTemplate }) {
		missingMachine(in.Subject, gap)
	}
	return in
}

// missingMachine marks as undetermined what only the VirtualMachine tells: an
// absent machine has no interfaces and no disks, which must not read as a safe one.
func missingMachine(s Subject, gap func(path, reason string)) {
	reason := "VirtualMachine " + s.Namespace + "/" + s.Name + " with a template does not exist"
	for _, path := range []string{"network.launchers", "network.nics", "guest", "disks", "images", "compute"} {
		gap(path, reason)
	}
}

func buildCompute(g *Gathered, forms []form, gap func(path, reason string)) Compute {
	c := Compute{Placements: []Placement{}}
	for _, f := range forms {
		p := Placement{Launcher: f.launcher, Path: f.object + " " + f.path + ".domain.cpu.dedicatedCpuPlacement"}
		if cpu := f.spec.Domain.CPU; cpu != nil {
			p.Dedicated = cpu.DedicatedCPUPlacement
		}
		c.Placements = append(c.Placements, p)
	}
	if g.VirtualMachine == nil || g.VirtualMachine.Spec.Instancetype == nil {
		return c
	}
	ref := g.VirtualMachine.Spec.Instancetype
	if g.Instancetype == nil {
		gap("compute", "the instancetype "+instancetypeName(ref)+" that the machine names could not be read")
		return c
	}
	p := Placement{Launcher: fromTemplate, Path: "instancetype " + instancetypeName(ref) + " spec.cpu.dedicatedCPUPlacement"}
	if dedicated := g.Instancetype.CPU.DedicatedCPUPlacement; dedicated != nil {
		p.Dedicated = *dedicated
	}
	c.Placements = append(c.Placements, p)
	return c
}

func instancetypeName(ref *kubevirtv1.InstancetypeMatcher) string {
	if ref.Name != "" {
		return ref.Name
	}
	return "inferred from " + ref.InferFromVolume
}

// same compares two facts by value.
func same[T any](a, b T) bool { return reflect.DeepEqual(a, b) }
