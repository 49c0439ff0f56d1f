# METADATA
# title: The platform's configuration
# description: |
#   Schema-complete documents of ConfigMap virtfoundry-platform: with both networks, with DHCP, and with both switched off, in
#   order for every rule.
package cato.lib.bridges_fixture_test

import data.cato.lib.tenant_fixture_test.good as tenant

_of(platform, bridges) := json.patch(tenant, [
	{"op": "replace", "path": "/moment", "value": "live"},
	{"op": "replace", "path": "/subject", "value": {
		"apiVersion": "v1",
		"kind": "ConfigMap",
		"namespace": "virtfoundry-system",
		"name": "virtfoundry-platform",
		"uid": "0b1d3c5e-0000-4000-8000-000000000061",
	}},
	{"op": "replace", "path": "/object", "value": object.union(tenant.object, {"tenant": [], "platform": [platform]})},
	{"op": "replace", "path": "/bridges", "value": bridges},
])

both := _of(_wish, [maker])

planned := object.union(both, {"moment": "plan"})

serving := _of(object.union(_wish, {"dhcp": true}), [object.union(maker, {"containers": [public, isolated, dhcp]})])

off := _of(object.union(_wish, {"bridges": []}), [])

awaited := _of(_wish, [])

_wish := {
	"namespace": "kube-system",
	"bridges": [
		{"network": "public", "bridge": "vf-pub0", "uplink": "eth1"},
		{"network": "isolated", "bridge": "virtfoundry-br0", "uplink": ""},
	],
	"dhcp": false,
}

maker := {
	"path": "DaemonSet kube-system/virtfoundry-bridge-setup",
	"namespace": "kube-system",
	"uid": "0b1d3c5e-0000-4000-8000-000000000062",
	"hostNetwork": true,
	"hostPID": false,
	"hostIPC": false,
	"token": false,
	"volumes": [{"name": "leases", "kind": "emptyDir"}],
	"others": [],
	"containers": [public, isolated],
}

public := _container("public", "bridge", {"variables": _variables("vf-pub0", "eth1")})

isolated := _container("isolated", "bridge", {"variables": _variables("virtfoundry-br0", "")})

dhcp := _container("dhcp", "dhcp", {
	"arguments": [
		"--interface=vf-pub0",
		"--dhcp-option=option:router,10.0.50.254",
		"--dhcp-option=option:dns-server,10.0.50.254",
		"--dhcp-range=10.0.50.10,10.0.50.99,255.255.255.0,1h",
	],
	"adds": ["NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"],
})

_container(name, runs, rest) := object.union(
	{
		"path": $"DaemonSet kube-system/virtfoundry-bridge-setup container {name}",
		"runs": runs,
		"arguments": [],
		"variables": [],
		"image": _image,
		"adds": ["NET_ADMIN"],
		"dropsAll": true,
		"privileged": false,
		"escalates": false,
		"readOnly": true,
		"seccomp": "RuntimeDefault",
		"others": [],
	},
	rest,
)

_image := {
	"text": "docker.io/library/alpine:3.22.1@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1",
	"valid": true,
	"problem": "",
	"registry": "docker.io",
	"path": ["library", "alpine"],
	"tag": "3.22.1",
	"algorithm": "sha256",
	"digest": "4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1",
}

_variables(bridge, uplink) := array.concat(
	[{"name": name, "value": value, "from": ""} | some name, value in {"BRIDGE": bridge, "UPLINK": uplink, "ADDRESS": "", "PREFIX_LENGTH": "", "INTERVAL": "15"}],
	[{"name": "HOST_IP", "value": "", "from": "status.hostIP"}],
)
