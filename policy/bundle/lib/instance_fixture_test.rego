# METADATA
# title: An instance of a tenant
# description: |
#   A schema-complete document of a virtfoundry.io Instance that runs in the namespace of the tenant of the tenant's
#   fixture, on an isolated Network of its own, as the operator writes it. Tests of rules change what they are about.
package cato.lib.instance_fixture_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.tenant_fixture_test as tenant

good := object.union(tenant.good, {
	"subject": {
		"kind": "Instance",
		"namespace": "virtfoundry-tenant-acme",
		"name": "web",
		"uid": "0b1d3c5e-0000-4000-8000-000000000021",
	},
	"object": {"tenant": [], "instance": [_instance]},
	"network": {
		"launchers": [_launcher("template", "VirtualMachine/web"), _launcher("instance", "VirtualMachineInstance/web")],
		"policies": [_selecting(policy) | some policy in tenant.good.network.policies; policy.pods == []],
		"nics": [
			_nic("template", "VirtualMachine/web spec.template.spec.domain.devices.interfaces[0]"),
			_nic("instance", "VirtualMachineInstance/web spec.domain.devices.interfaces[0]"),
		],
	},
	"guest": machine.good.guest,
	"disks": [_disk, object.union(machine.good.disks[1], {"path": "VirtualMachine/web spec.template.spec.domain.devices.disks[1]"})],
	"images": [{
		"path": "VirtualMachine/web spec.template.spec.volumes[0].containerDisk.image",
		"launcher": "template",
		"use": "disk",
		"image": image,
	}],
	"compute": machine.good.compute,
})

# METADATA
# description: The image that the fixture's Template names.
image := {
	"text": $"quay.io/containerdisks/ubuntu@sha256:{_digest}",
	"valid": true,
	"problem": "",
	"registry": "quay.io",
	"path": ["containerdisks", "ubuntu"],
	"tag": "",
	"algorithm": "sha256",
	"digest": _digest,
}

# METADATA
# description: A Template by itself, as admission sees it.
template := object.union(tenant.good, {
	"subject": {
		"kind": "Template",
		"namespace": "virtfoundry-tenant-acme",
		"name": "ubuntu",
		"uid": "0b1d3c5e-0000-4000-8000-000000000022",
	},
	"object": {"tenant": [], "template": [_template]},
	"network": {"policies": []},
	"images": [{"path": "spec.image", "launcher": "template", "use": "disk", "image": image}],
	"quotas": [],
	"limits": [],
})

# METADATA
# description: An Offering by itself.
offering := object.union(template, {
	"subject": {"kind": "Offering", "namespace": "", "name": "medium", "uid": "0b1d3c5e-0000-4000-8000-000000000023"},
	"object": {"template": [], "offering": [_offering]},
	"namespace": [],
	"images": [],
})

# METADATA
# description: The document with other fields of its Instance.
with_instance(changes) := object.union(good, {"object": {"instance": [object.union(_instance, changes)]}})

_digest := "9f2c4b1e7d3a5860c1f4e2b7a9d806354e6b1c2d3f40516273849aabbccddeef"

_offering := {
	"name": "medium",
	"uid": "0b1d3c5e-0000-4000-8000-000000000023",
	"platformOwned": true,
	"cores": 2,
	"memoryBytes": 4294967296,
	"dedicatedCPU": false,
}

_template := {
	"path": "Template/virtfoundry-tenant-acme/ubuntu",
	"namespace": "virtfoundry-tenant-acme",
	"name": "ubuntu",
	"uid": "0b1d3c5e-0000-4000-8000-000000000022",
	"platform": false,
	"shadows": false,
	"sourceType": "container",
	"osType": "linux",
	"image": [image],
	"url": "",
}

_instance := {
	"powerState": "Running",
	"tenant": [{
		"name": "acme-corp",
		"uid": "0b1d3c5e-0000-4000-8000-000000000011",
		"slug": "acme",
		"namespaceName": "virtfoundry-tenant-acme",
		"deleting": false,
	}],
	"offeringName": "medium",
	"offering": [_offering],
	"cores": 2,
	"memoryBytes": 4294967296,
	"templateName": "ubuntu",
	"templates": [_template],
	"dedicatedCPU": false,
	"podNetwork": false,
	"nics": [{
		"path": "spec.nics[0]",
		"name": "lan",
		"network": "web",
		"found": true,
		"in": "virtfoundry-tenant-acme",
		"type": "isolated",
		"nad": "virtfoundry-tenant-acme/web",
		"numbered": true,
		"claim": "web-lan",
		"asked": "",
	}],
	"existing": [{
		"name": "web",
		"uid": "0b1d3c5e-0000-4000-8000-000000000024",
		"labels": {"app.kubernetes.io/part-of": "virtfoundry", "virtfoundry.io/instance": "web"},
		"owners": [{
			"group": "virtfoundry.io",
			"kind": "Instance",
			"name": "web",
			"uid": "0b1d3c5e-0000-4000-8000-000000000021",
			"controller": true,
		}],
	}],
}

_launcher(name, path) := {"name": name, "path": path, "labels": {
	"virtfoundry.io/vm": "web",
	"kubevirt.io": "virt-launcher",
	"kubevirt.io/domain": "web",
	"vm.kubevirt.io/name": "web",
}}

_selecting(policy) := object.union(policy, {"selects": ["template", "instance"]})

_nic(launcher, path) := {
	"name": "lan",
	"launcher": launcher,
	"path": path,
	"binding": "bridge",
	"network": "virtfoundry-tenant-acme/web",
}

_disk := object.union(machine.good.disks[0], {
	"name": "containerdisk",
	"volumeKind": "containerDisk",
	"virtualBytes": null,
	"image": [image],
	"lineage": [],
	"claim": [],
})
