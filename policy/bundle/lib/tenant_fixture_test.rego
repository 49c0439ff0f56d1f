# METADATA
# title: A tenant with the defaults
# description: |
#   A schema-complete document of a virtfoundry.io Tenant with its namespace, in order for every rule. `good` has
#   TCP 80 and 443 for importer pods only, `open_web` the five rules of old, which let every pod there.
package cato.lib.tenant_fixture_test

good := {
	"moment": "live",
	"now": "2026-11-20T09:00:00Z",
	"request": [],
	"subject": {
		"apiVersion": "virtfoundry.io/v1alpha1",
		"kind": "Tenant",
		"namespace": "",
		"name": "acme-corp",
		"uid": "0b1d3c5e-0000-4000-8000-000000000011",
	},
	"object": {
		"tenant": [_tenant],
		"machine": [],
		"instance": [],
		"template": [],
		"offering": [],
		"network": [],
		"vpc": [],
		"address": [],
		"securityGroup": [],
		"disk": [],
		"diskSnapshot": [],
		"instanceSnapshot": [],
		"sshKey": [],
		"user": [],
		"role": [],
		"apiKey": [],
		"platform": [],
		"deleting": false,
	},
	"namespace": [_namespace],
	"network": {"launchers": [], "policies": [_default_deny, _importers], "nics": []},
	"fabric": {
		"tenants": [],
		"networks": [],
		"vpcs": [],
		"attachments": [],
		"sharing": [],
		"claims": [],
		"pool": [],
		"users": [],
		"wanted": [],
		"nicClaims": [],
	},
	"volume": {
		"instances": [],
		"machines": [],
		"disks": [],
		"claims": [],
		"uses": [],
		"classes": [],
		"snapshotClasses": [],
		"snapshots": [],
	},
	"accounts": {"roles": [], "tenants": [], "users": [], "secrets": []},
	"bridges": [],
	"guest": {"osType": "", "seeded": [], "userData": [], "accessCredentials": [], "otherSeeds": []},
	"disks": [],
	"origins": [],
	"foreign": [],
	"images": [],
	"compute": {"placements": []},
	"quotas": [_quota],
	"limits": [_limits],
	"cluster": {"cdiUploadChecksum": false, "cdiOverhead": "0.060", "volumeSnapshots": true},
	"params": _params,
	"exceptions": [],
	"gaps": {},
}

# METADATA
# description: The same with the five default rules of VirtFoundry's own operator and no policy for importers.
open_web := json.patch(good, [{"op": "replace", "path": "/network/policies", "value": [object.union(_default_deny, {
	"egressRules": array.concat(_default_deny.egressRules, [_web("NetworkPolicy/virtfoundry-default-deny spec.egress[4]", [])]),
})]}])

# METADATA
# description: As it is planned before the Tenant exists.
planned := json.patch(good, [
	{"op": "replace", "path": "/moment", "value": "plan"},
	{"op": "replace", "path": "/subject/uid", "value": ""},
	{"op": "replace", "path": "/namespace/0/uid", "value": ""},
	{"op": "replace", "path": "/namespace/0/owners/0/uid", "value": ""},
	{"op": "replace", "path": "/object/tenant/0/createdAt", "value": ""},
	{"op": "replace", "path": "/object/tenant/0/ownsNamespace", "value": false},
])

_tenant := {
	"slug": "acme",
	"slugLength": 4,
	"namespaceName": "virtfoundry-tenant-acme",
	"createdAt": "2026-11-20T08:00:00Z",
	"deleting": false,
	"ownsNamespace": true,
	"rivals": [],
}

_namespace := {
	"name": "virtfoundry-tenant-acme",
	"uid": "0b1d3c5e-0000-4000-8000-000000000012",
	"labels": {
		"app.kubernetes.io/managed-by": "virtfoundry-operator",
		"app.kubernetes.io/part-of": "virtfoundry",
		"kubernetes.io/metadata.name": "virtfoundry-tenant-acme",
		"virtfoundry.io/tenant": "acme",
	},
	"owners": [{
		"group": "virtfoundry.io",
		"kind": "Tenant",
		"name": "acme-corp",
		"uid": "0b1d3c5e-0000-4000-8000-000000000011",
		"controller": true,
	}],
	"terminating": false,
}

_default_deny := {
	"ref": {
		"path": "NetworkPolicy/virtfoundry-default-deny spec",
		"namespace": "virtfoundry-tenant-acme",
		"uid": "0b1d3c5e-0000-4000-8000-000000000013",
		"resourceVersion": "7",
	},
	"name": "virtfoundry-default-deny",
	"uid": "0b1d3c5e-0000-4000-8000-000000000013",
	"pods": [],
	"selects": [],
	"maySelect": [],
	"ingress": true,
	"egress": true,
	"ingressRules": [_everywhere_in("NetworkPolicy/virtfoundry-default-deny spec.ingress[0]", _own)],
	"egressRules": [
		{
			"path": "NetworkPolicy/virtfoundry-default-deny spec.egress[0]",
			"anyPeer": false,
			"peers": [_dns],
			"anyPort": false,
			"ports": [_port("UDP", 53), _port("TCP", 53)],
		},
		_everywhere_in("NetworkPolicy/virtfoundry-default-deny spec.egress[1]", _own),
		_everywhere_in("NetworkPolicy/virtfoundry-default-deny spec.egress[2]", _named("kubevirt")),
		_everywhere_in("NetworkPolicy/virtfoundry-default-deny spec.egress[3]", _named("cdi")),
	],
}

_importers := {
	"ref": {
		"path": "NetworkPolicy/virtfoundry-importer-egress spec",
		"namespace": "virtfoundry-tenant-acme",
		"uid": "0b1d3c5e-0000-4000-8000-000000000014",
		"resourceVersion": "7",
	},
	"name": "virtfoundry-importer-egress",
	"uid": "0b1d3c5e-0000-4000-8000-000000000014",
	"pods": [{"key": "cdi.kubevirt.io", "operator": "In", "values": ["importer"]}],
	"selects": [],
	"maySelect": [],
	"ingress": false,
	"egress": true,
	"ingressRules": [],
	"egressRules": [_web("NetworkPolicy/virtfoundry-importer-egress spec.egress[0]", [_public_v4, _public_v6])],
}

_everywhere_in(path, peer) := {"path": path, "anyPeer": false, "peers": [peer], "anyPort": true, "ports": []}

_web(path, peers) := {
	"path": path,
	"anyPeer": peers == [],
	"peers": peers,
	"anyPort": false,
	"ports": [_port("TCP", 80), _port("TCP", 443)],
}

_port(protocol, number) := {"protocol": protocol, "number": number, "end": null, "name": ""}

_own := {
	"path": "podSelector",
	"cidr": "",
	"except": [],
	"ownNamespace": true,
	"anyNamespace": false,
	"namespaces": [],
	"anyPod": true,
	"pods": [],
	"namespaceOnly": false,
}

_named(namespace) := object.union(_own, {
	"path": "namespaceSelector",
	"ownNamespace": false,
	"namespaces": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": [namespace]}],
	"namespaceOnly": true,
})

_dns := object.union(_named("kube-system"), {
	"anyPod": false,
	"pods": [{"key": "k8s-app", "operator": "In", "values": ["kube-dns"]}],
	"namespaceOnly": false,
})

_public_v4 := object.union(_own, {"path": "ipBlock", "ownNamespace": false, "cidr": "0.0.0.0/0", "except": [
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.168.0.0/16",
]})

_public_v6 := object.union(_own, {
	"path": "ipBlock",
	"ownNamespace": false,
	"cidr": "::/0",
	"except": ["::1/128", "64:ff9b::/96", "fc00::/7", "fe80::/10"],
})

_amount(resource, milli, text) := {"resource": resource, "milli": milli, "text": text}

_caps := [
	_amount("limits.cpu", 40000, "40"),
	_amount("limits.memory", 85899345920000, "80Gi"),
	_amount("persistentvolumeclaims", 20000, "20"),
	_amount("pods", 50000, "50"),
	_amount("requests.cpu", 20000, "20"),
	_amount("requests.memory", 42949672960000, "40Gi"),
	_amount("services", 20000, "20"),
]

_max := [_amount("cpu", 8000, "8"), _amount("memory", 17179869184000, "16Gi")]

_default := [_amount("cpu", 1000, "1"), _amount("memory", 1073741824000, "1Gi")]

_default_request := [_amount("cpu", 100, "100m"), _amount("memory", 134217728000, "128Mi")]

_quota := {
	"name": "virtfoundry-default",
	"uid": "0b1d3c5e-0000-4000-8000-000000000015",
	"scoped": false,
	"hard": _caps,
}

_limits := {
	"name": "virtfoundry-default",
	"uid": "0b1d3c5e-0000-4000-8000-000000000016",
	"items": [{
		"path": "LimitRange/virtfoundry-default spec.limits[0]",
		"type": "Container",
		"max": _max,
		"default": _default,
		"defaultRequest": _default_request,
	}],
}

_params := {
	"profile": "virtfoundry",
	"imagePrefixes": [{"text": "quay.io/containerdisks/", "registry": "quay.io", "path": ["containerdisks"]}],
	"sourceHosts": [],
	"tenantHTTPEgress": "importers",
	"networkPolicyEnforcement": "assumed",
	"allowUnverifiedDisk": false,
	"dns": [{"namespace": "kube-system", "pods": {"k8s-app": "kube-dns"}}],
	"kubevirtNamespace": "kubevirt",
	"cdiNamespace": "cdi",
	"maxCores": 256,
	"minMemory": 67108864,
	"memoryBounds": "64Mi to 1Ti",
	"maxMemory": 1099511627776,
	"quota": _caps,
	"limitMax": _max,
	"limitDefault": _default,
	"limitDefaultRequest": _default_request,
	"clusterRanges": [],
	"defaultClass": "auto",
	"snapshotClass": "",
	"grants": {"dedicatedCPU": [], "egress": [], "secondaryNetworks": [], "crossNamespaceSources": [], "sharedNetworks": [], "securityGroups": []},
}
