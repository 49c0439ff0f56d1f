# METADATA
# title: A tenant's networks
# description: |
#   Schema-complete documents of a Network, a VPC, an IPAddress and a SecurityGroup of one tenant, in order for every
#   rule.
package cato.lib.fabric_fixture_test

import data.cato.lib.tenant_fixture_test.good as tenant

_of(kind, name, object_, fabric) := json.patch(tenant, [
	{"op": "replace", "path": "/subject", "value": {
		"apiVersion": "virtfoundry.io/v1alpha1",
		"kind": kind,
		"namespace": "virtfoundry-tenant-acme",
		"name": name,
		"uid": "0b1d3c5e-0000-4000-8000-000000000031",
	}},
	{"op": "replace", "path": "/object", "value": object.union(tenant.object, object.union({"tenant": []}, object_))},
	{"op": "replace", "path": "/fabric", "value": object.union(tenant.fabric, object.union({"tenants": [_tenant]}, fabric))},
	{"op": "replace", "path": "/params/clusterRanges", "value": ["10.244.0.0/16", "10.96.0.0/12"]},
])

_tenant := {
	"name": "acme-corp",
	"uid": "0b1d3c5e-0000-4000-8000-000000000011",
	"slug": "acme",
	"deleting": false,
}

_prefix := {"cidr": "10.0.1.0/24", "network": "10.0.1.0", "broadcast": "10.0.1.255"}

network := _of(
	"Network", "web", {"network": [{
		"type": "isolated",
		"cidr": "10.0.1.0/24",
		"prefix": [_prefix],
		"problem": "",
		"gateway": "10.0.1.1",
		"gatewayValid": true,
		"vpc": "production",
		"holds": true,
		"createdAt": "2026-11-20T08:00:00Z",
		"deleting": false,
	}]},
	{
		"networks": [neighbour],
		"vpcs": [{"name": "production", "cidr": "10.0.0.0/16", "valid": true, "deleting": false}],
		"attachments": [attachment],
	},
)

neighbour := {
	"namespace": "virtfoundry-tenant-acme",
	"name": "db",
	"type": "isolated",
	"cidr": "10.0.2.0/24",
	"valid": true,
	"vpc": "production",
	"holds": true,
	"createdAt": "2026-11-20T07:00:00Z",
	"deleting": false,
}

attachment := {
	"namespace": "virtfoundry-tenant-acme",
	"name": "web",
	"uid": "0b1d3c5e-0000-4000-8000-000000000032",
	"type": "bridge",
	"bridge": "virtfoundry-br0",
	"vlan": 100,
	"defaultVLAN": false,
	"reach": "own",
	"problem": "",
}

# METADATA
# description: The platform's network, without a range of its own.
shared := json.patch(network, [
	{"op": "replace", "path": "/subject/namespace", "value": "virtfoundry-system"},
	{"op": "replace", "path": "/object/network/0", "value": object.union(network.object.network[0], {
		"type": "shared",
		"cidr": "",
		"prefix": [],
		"gateway": "",
		"vpc": "",
	})},
	{"op": "replace", "path": "/fabric", "value": tenant.fabric},
])

vpc := _of(
	"VPC", "production", {"vpc": [{
		"cidr": "10.0.0.0/16",
		"prefix": [{"cidr": "10.0.0.0/16", "network": "10.0.0.0", "broadcast": "10.0.255.255"}],
		"problem": "",
		"createdAt": "2026-11-20T08:00:00Z",
		"deleting": false,
	}]},
	{"networks": [neighbour]},
)

address := _of(
	"IPAddress", "10-0-1-10", {"address": [{
		"network": "web",
		"address": "10.0.1.10",
		"valid": true,
		"lock": "10-0-1-10",
		"createdAt": "2026-11-20T08:00:00Z",
		"deleting": false,
	}]},
	{
		"networks": [object.union(neighbour, {"name": "web", "cidr": "10.0.1.0/24"})],
		"pool": [{
			"cidr": "10.0.1.0/24",
			"prefix": [_prefix],
			"gateway": "10.0.1.1",
			"within": ["10.0.1.8/29", "10.0.1.16/28"],
			"reserved": [{"text": "10.0.1.20 to 10.0.1.23", "reason": "load balancer", "cidrs": ["10.0.1.20/30"]}],
			"problem": "",
		}],
	},
)

# METADATA
# description: A group that lets TCP 8000 to 8080 in from a granted block, and nothing out.
group := json.patch(
	_of(
		"SecurityGroup", "https", {"securityGroup": [{
			"policy": "sg-0b1d3c5e",
			"label": "virtfoundry.io/sg-0b1d3c5e",
			"rules": [rule],
		}]},
		{},
	),
	[
		{"op": "replace", "path": "/network/policies", "value": [policy, tenant.network.policies[0]]},
		{"op": "replace", "path": "/params/grants/securityGroups", "value": [grant]},
	],
)

rule := {
	"path": "spec.rules[0]",
	"direction": "ingress",
	"protocol": "tcp",
	"from": 8000,
	"to": 8080,
	"cidr": "192.0.2.0/24",
	"valid": true,
}

grant := {"selects": true, "reason": "customers", "cidrs": ["192.0.2.0/24"]}

policy := {
	"ref": {
		"path": "NetworkPolicy/sg-0b1d3c5e spec",
		"namespace": "virtfoundry-tenant-acme",
		"uid": "0b1d3c5e-0000-4000-8000-000000000033",
		"resourceVersion": "7",
	},
	"name": "sg-0b1d3c5e",
	"uid": "0b1d3c5e-0000-4000-8000-000000000033",
	"pods": [{"key": "virtfoundry.io/sg-0b1d3c5e", "operator": "In", "values": ["true"]}],
	"selects": [],
	"maySelect": [],
	"ingress": true,
	"egress": true,
	"ingressRules": [let_in],
	"egressRules": [],
}

let_in := {
	"path": "NetworkPolicy/sg-0b1d3c5e spec.ingress[0]",
	"anyPeer": false,
	"peers": [{
		"path": "ipBlock",
		"cidr": "192.0.2.0/24",
		"except": [],
		"ownNamespace": false,
		"anyNamespace": false,
		"namespaces": [],
		"anyPod": false,
		"pods": [],
		"namespaceOnly": false,
	}],
	"anyPort": false,
	"ports": [{"protocol": "TCP", "number": 8000, "end": 8080, "name": ""}],
}
