# METADATA
# title: What a tenant holds beside machines and networks
# description: |
#   Schema-complete documents of an SSHKey, a Disk, its snapshots and the accounts of one tenant, in order for every
#   rule.
package cato.lib.holding_fixture_test

import data.cato.lib.tenant_fixture_test.good as tenant

_of(kind, name, object_, rest) := json.patch(tenant, array.concat(
	[
		{"op": "replace", "path": "/subject", "value": {
			"apiVersion": "virtfoundry.io/v1alpha1",
			"kind": kind,
			"namespace": "virtfoundry-tenant-acme",
			"name": name,
			"uid": "0b1d3c5e-0000-4000-8000-000000000041",
		}},
		{"op": "replace", "path": "/object", "value": object.union(tenant.object, object.union({"tenant": []}, object_))},
	],
	rest,
))

ssh_key := _of(
	"SSHKey", "alice", {"sshKey": [{
		"type": "ssh-ed25519",
		"bits": null,
		"fingerprint": "SHA256:GeYwxQQcEaXHRHNWBRCHkYmyrIdQcmRa9pUVhUqQSrc",
		"valid": true,
		"problem": "",
	}]},
	[],
)

rsa_key := json.patch(ssh_key, [
	{"op": "replace", "path": "/object/sshKey/0/type", "value": "ssh-rsa"},
	{"op": "replace", "path": "/object/sshKey/0/bits", "value": 3072},
])

user := json.patch(
	_of(
		"User", "alice", {"user": [{
			"role": "operator",
			"tenant": "acme-corp",
			"places": ["virtfoundry-tenant-acme", "virtfoundry-system"],
			"secret": {"namespace": "virtfoundry-system", "name": "vf-user-alice", "key": "password_hash"},
		}]},
		[{"op": "replace", "path": "/accounts", "value": object.union(tenant.accounts, {
			"roles": [{"namespace": "virtfoundry-tenant-acme", "name": "operator", "deleting": false}],
			"tenants": [_tenant],
			"secrets": [{"namespace": "virtfoundry-system", "name": "vf-user-alice", "keys": ["password_hash"]}],
		})}],
	),
	[{"op": "replace", "path": "/subject/namespace", "value": ""}, {"op": "replace", "path": "/namespace", "value": []}],
)

_tenant := {
	"name": "acme-corp",
	"uid": "0b1d3c5e-0000-4000-8000-000000000011",
	"slug": "acme",
	"deleting": false,
}

role := _of("Role", "operator", {"role": [{"system": false, "permissions": [permission]}]}, [])

permission := {"path": "spec.permissions[0]", "text": "instances:read", "parts": ["instances", "read"]}

api_key := _of(
	"APIKey", "alice-ci", {"apiKey": [{
		"user": "alice",
		"scopes": [object.union(permission, {"path": "spec.scopes[0]"})],
		"expiresAt": "2027-06-30T00:00:00Z",
		"lifetime": 19152000,
		"left": 19148400,
		"expires": true,
		"valid": true,
		"secret": {"namespace": "virtfoundry-tenant-acme", "name": "vf-apikey-alice-ci", "key": "secret_hash"},
	}]},
	[{"op": "replace", "path": "/accounts", "value": object.union(tenant.accounts, {
		"users": [{"name": "alice", "tenant": "acme-corp", "deleting": false}],
		"secrets": [{"namespace": "virtfoundry-tenant-acme", "name": "vf-apikey-alice-ci", "keys": ["secret_hash"]}],
	})}],
)

disk := _of(
	"Disk", "data", {"disk": [{
		"bytes": 21474836480,
		"class": "",
		"instance": "web",
		"claim": "data",
		"deleting": false,
	}]},
	[_tenancy, {"op": "replace", "path": "/volume", "value": object.union(tenant.volume, {
		"instances": [_instance],
		"machines": [_machine],
		"claims": [_claim],
		"uses": [{"kind": "VirtualMachine", "name": "web", "volume": "disk-0b1d3c5e", "hotPlugged": true}],
		"classes": [class, object.union(class, {"name": "fast"})],
	})}],
)

disk_snapshot := _of("DiskSnapshot", "before", {"diskSnapshot": [{"source": "data", "deleting": false}]}, [_tenancy, {"op": "replace", "path": "/volume", "value": object.union(tenant.volume, {
	"disks": [{"name": "data", "uid": "0b1d3c5e-0000-4000-8000-000000000041", "claim": "data", "deleting": false}],
	"claims": [object.union(_claim, {"class": "fast"})],
	"classes": [object.union(class, {"name": "fast"})],
	"snapshotClasses": [{"name": "kept", "driver": "driver.example.com", "default": false}],
	"snapshots": [_snapshot("DiskSnapshot", {"sourceKind": "PersistentVolumeClaim", "source": "data", "class": "kept", "deletionPolicy": ""})],
})}])

instance_snapshot := _of("InstanceSnapshot", "before", {"instanceSnapshot": [{"source": "web", "deleting": false}]}, [_tenancy, {"op": "replace", "path": "/volume", "value": object.union(tenant.volume, {
	"instances": [_instance],
	"machines": [_machine],
	"snapshots": [_snapshot("InstanceSnapshot", {"sourceKind": "VirtualMachine", "source": "web", "class": "", "deletionPolicy": "Delete"})],
})}])

class := {
	"name": "longhorn",
	"provisioner": "driver.example.com",
	"default": false,
	"expandable": false,
	"late": false,
}

_tenancy := {"op": "replace", "path": "/fabric", "value": object.union(tenant.fabric, {"tenants": [_tenant]})}

_owner(kind, name, uid) := [{"group": "virtfoundry.io", "kind": kind, "name": name, "uid": uid, "controller": true}]

_instance := {"name": "web", "uid": "0b1d3c5e-0000-4000-8000-000000000042", "deleting": false}

_machine := {
	"name": "web",
	"uid": "0b1d3c5e-0000-4000-8000-000000000043",
	"owners": _owner("Instance", "web", "0b1d3c5e-0000-4000-8000-000000000042"),
}

_claim := {
	"name": "data",
	"uid": "0b1d3c5e-0000-4000-8000-000000000044",
	"owners": _owner("Disk", "data", "0b1d3c5e-0000-4000-8000-000000000041"),
	"class": "longhorn",
	"modes": ["ReadWriteOnce"],
	"bytes": 21474836480,
	"capacity": 21474836480,
	"phase": "Bound",
}

_snapshot(kind, rest) := object.union(rest, {
	"name": "before",
	"uid": "0b1d3c5e-0000-4000-8000-000000000045",
	"owners": _owner(kind, "before", "0b1d3c5e-0000-4000-8000-000000000041"),
	"ready": true,
	"problem": "",
})
