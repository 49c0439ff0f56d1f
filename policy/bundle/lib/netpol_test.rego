package cato.lib.netpol_test

import data.cato.lib.netpol

_in(key, values) := {"key": key, "operator": "In", "values": values}

_pods(requirements) := {
	"path": "spec.egress[0].to[0]",
	"cidr": "",
	"except": [],
	"ownNamespace": true,
	"anyNamespace": false,
	"namespaces": [],
	"anyPod": requirements == [],
	"pods": requirements,
	"namespaceOnly": false,
}

_namespaces(requirements) := object.union(_pods([]), {
	"ownNamespace": false,
	"anyNamespace": requirements == [],
	"namespaces": requirements,
	"namespaceOnly": true,
})

_block(cidr) := object.union(_pods([]), {"cidr": cidr, "ownNamespace": false, "anyPod": false})

_port(protocol, number, end, name) := {"protocol": protocol, "number": number, "end": end, "name": name}

_rule(peers, ports) := {"path": "p", "anyPeer": peers == [], "peers": peers, "anyPort": ports == [], "ports": ports}

_nothing := [_in("a", ["x"]), _in("a", ["y"])]

test_contradictory_selectors_are_nobody if {
	netpol.nobody(_pods(_nothing))
	netpol.nobody(_namespaces(_nothing))
	not netpol.nobody(_pods([]))
	not netpol.nobody(_namespaces([_in("a", ["x"])]))
	not netpol.nobody(object.union(_block("10.0.0.0/8"), {"pods": _nothing, "namespaces": _nothing}))
}

test_a_rule_is_closed_when_each_peer_is_nobody if {
	netpol.closed(_rule([_pods(_nothing), _namespaces(_nothing)], []))
	not netpol.closed(_rule([_pods(_nothing), _pods([])], []))
	not netpol.closed(_rule([], []))
	not netpol.closed({"anyPeer": false, "peers": []})
	not netpol.closed({"anyPeer": false})
}

test_namespaces_of_a_peer if {
	netpol.namespaces(_pods([]), "mine") == {"mine"}
	netpol.namespaces(_namespaces([_in("kubernetes.io/metadata.name", ["a", "b"])]), "mine") == {"a", "b"}
}

test_namespaces_that_are_not_named if {
	every peer in [_namespaces([]), _namespaces([_in("name", ["a"])]), _block("0.0.0.0/0"), _block("10.0.0.1/32")] {
		not netpol.namespaces(peer, "mine")
	}
	not netpol.namespaces(_pods([]), "")
	not netpol.namespaces(_pods([]), null)
}

_dns := [{"namespace": "kube-system", "pods": {"k8s-app": "kube-dns"}}]

_system(pods) := object.union(
	_namespaces([_in("kubernetes.io/metadata.name", ["kube-system"])]),
	{"pods": pods, "anyPod": pods == [], "namespaceOnly": pods == []},
)

test_dns_peer if {
	netpol.dns_peer(_system([_in("k8s-app", ["kube-dns"])]), "mine") with input.params.dns as _dns
	netpol.dns_peer(_system([_in("k8s-app", ["kube-dns"]), _in("zone", ["a"])]), "mine") with input.params.dns as _dns
	netpol.dns_peer(_pods([_in("k8s-app", ["kube-dns"])]), "kube-system") with input.params.dns as _dns
}

test_not_a_dns_peer if {
	every peer in [
		_system([]),
		_system([_in("k8s-app", ["kube-dns", "other"])]),
		_pods([_in("k8s-app", ["kube-dns"])]),
		_namespaces([]),
		_block("10.96.0.10/32"),
		object.union(_system([_in("k8s-app", ["kube-dns"])]), {"namespaces": [_in("kubernetes.io/metadata.name", ["kube-system", "x"])]}),
	] {
		not netpol.dns_peer(peer, "mine") with input.params.dns as _dns
	}
}

test_dns_without_pods_is_nobodys if {
	not netpol.dns_peer(_system([_in("k8s-app", ["kube-dns"])]), "mine") with input.params.dns as [{"namespace": "kube-system", "pods": {}}]
	not netpol.dns_peer(_system([_in("k8s-app", ["kube-dns"])]), "mine") with input.params.dns as []
}

test_dns_ports if {
	netpol.dns_ports(_rule([], [_port("UDP", 53, null, ""), _port("TCP", 53, 53, "")]))
	not netpol.dns_ports(_rule([], []))
	not netpol.dns_ports({"anyPort": false, "ports": []})
}

test_not_dns_ports if {
	every port in [
		_port("SCTP", 53, null, ""),
		_port("UDP", 53, 54, ""),
		_port("UDP", 1, 65535, ""),
		_port("UDP", null, null, ""),
		_port("UDP", null, null, "dns"),
		_port("TCP", 853, null, ""),
		{"protocol": "UDP", "number": 53, "name": ""},
	] {
		not netpol.dns_ports(_rule([], [_port("UDP", 53, null, ""), port]))
	}
}

test_web_ports if {
	netpol.web_ports(_rule([], [_port("TCP", 80, null, ""), _port("TCP", 443, 443, "")]))
	every port in [_port("TCP", 80, 443, ""), _port("UDP", 443, null, ""), _port("TCP", null, null, "https"), _port("TCP", null, null, "")] {
		not netpol.web_ports(_rule([], [port]))
	}
	not netpol.web_ports(_rule([], []))
}

test_ports_within if {
	permitted := [_port("TCP", 8000, 8080, ""), _port("UDP", null, null, "")]
	every port in [
		_port("TCP", 8000, null, ""),
		_port("TCP", 8001, 8080, ""),
		_port("UDP", 1, 65535, ""),
		_port("UDP", null, null, ""),
		_port("UDP", null, null, "any"),
	] {
		netpol.ports_within(_rule([], [port]), permitted)
	}
	netpol.ports_within(_rule([], []), [])
}

test_ports_that_are_not_within if {
	permitted := [_port("TCP", 8000, 8080, ""), _port("UDP", 1, null, "")]
	every port in [
		_port("TCP", 7999, 8080, ""),
		_port("TCP", 8080, 8081, ""),
		_port("TCP", 8080, 10, ""),
		_port("TCP", null, null, ""),
		_port("TCP", null, null, "http"),
		_port("UDP", null, null, ""),
		_port("SCTP", 8000, null, ""),
	] {
		not netpol.ports_within(_rule([], [port]), permitted)
	}
	not netpol.ports_within(_rule([], []), permitted)
	not netpol.ports_within({"anyPort": false, "ports": []}, permitted)
}

test_cidr_within if {
	netpol.cidr_within("10.1.0.0/16", "10.0.0.0/8")
	netpol.cidr_within("10.1.2.3/32", "10.1.2.3/32")
	netpol.cidr_within("fd00:1::/32", "fc00::/7")
	not netpol.cidr_within("10.0.0.0/8", "10.1.0.0/16")
	not netpol.cidr_within("::/0", "0.0.0.0/0")
	not netpol.cidr_within("10.0.0.0/33", "10.0.0.0/8")
	not netpol.cidr_within("10.0.0.1", "10.0.0.0/8")
	not netpol.cidr_within("10.0.0.0/8", "anywhere")
}
