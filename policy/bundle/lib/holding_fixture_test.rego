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
