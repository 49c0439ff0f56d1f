# METADATA
# title: NetworkPolicy semantics
# description: |
#   What peers and ports of a NetworkPolicy rule let through (Kubernetes docs, concepts/services-networking/network-policies).
#   Peers are joined by or; the selectors within one peer by and. Each function proves; what it cannot prove is wider.
#   A namespace is known by its label kubernetes.io/metadata.name: the API server sets it and lets nobody change it, while
#   any other label can be put anywhere.
package cato.lib.netpol

import data.cato.lib.selector

# METADATA
# description: The peer's selectors contradict each other, so that it is nobody.
nobody(peer) if {
	peer.cidr == ""
	selector.impossible(peer.pods)
}

nobody(peer) if {
	peer.cidr == ""
	selector.impossible(peer.namespaces)
}

# METADATA
# description: The rule admits no traffic at all.
closed(rule) if {
	rule.anyPeer == false
	count(rule.peers) > 0
	every peer in rule.peers {
		nobody(peer)
	}
}

# METADATA
# description: The names of the namespaces that the peer lies in, own being the policy's; undefined for an address block and where any may match.
namespaces(peer, own) := {own} if {
	peer.cidr == ""
	peer.ownNamespace == true
	is_string(own)
	own != ""
}

namespaces(peer, _) := selector.values(peer.namespaces, "kubernetes.io/metadata.name") if {
	peer.cidr == ""
	peer.ownNamespace == false
	peer.anyNamespace == false
}

# METADATA
# description: The pods of this namespace that are selected answer for cluster DNS.
dns_pods(namespace, pods) if {
	some dns in input.params.dns
	dns.namespace == namespace
	count(dns.pods) > 0
	every key, value in dns.pods {
		selector.confined(pods, key, {value})
	}
}

# METADATA
# description: Every pod that the peer selects answers for cluster DNS.
dns_peer(peer, _) if {
	peer.cidr == ""
	peer.ownNamespace == false
	peer.anyNamespace == false
	some dns in input.params.dns
	peer.namespaces[_] == {"key": "kubernetes.io/metadata.name", "operator": "In", "values": [dns.namespace]}
	some _ in dns.pods
	every key, value in dns.pods {
		peer.pods[_] == {"key": key, "operator": "In", "values": [value]}
	}
}

dns_peer(peer, own) if {
	every namespace in namespaces(peer, own) {
		dns_pods(namespace, peer.pods)
	}
}

# METADATA
# description: The one port 53 of UDP or TCP. A named port is whatever the pod that is reached calls so.
dns_port(port) if port in _dns_ports

_dns_ports := {
	{"protocol": "UDP", "number": 53, "end": null, "name": ""},
	{"protocol": "UDP", "number": 53, "end": 53, "name": ""},
	{"protocol": "TCP", "number": 53, "end": null, "name": ""},
	{"protocol": "TCP", "number": 53, "end": 53, "name": ""},
}

# METADATA
# description: TCP 80 or 443.
web_port(port) if {
	port.protocol == "TCP"
	_single(port, {80, 443})
}

_single(port, numbers) if {
	port.name == ""
	port.number in numbers
	port.end in {null, port.number}
}

# METADATA
# description: The rule names ports, and each is port 53.
dns_ports(rule) if {
	rule.anyPort == false
	rule.ports[0]
	{port | some port in rule.ports} - _dns_ports == set()
}

# METADATA
# description: The rule names ports, and each is TCP 80 or 443.
web_ports(rule) if {
	rule.anyPort == false
	count(rule.ports) > 0
	every port in rule.ports {
		web_port(port)
	}
}

# METADATA
# description: The rule's ports lie within the permitted ones, of which none means every port.
ports_within(_, permitted) if permitted == []

ports_within(rule, permitted) if {
	rule.anyPort == false
	count(rule.ports) > 0
	every port in rule.ports {
		port_within(port, permitted)
	}
}

# METADATA
# description: One of the permitted ports or ranges contains this one.
port_within(port, permitted) if {
	some one in permitted
	one.protocol == port.protocol
	_contains(one, port)
}

# Without number and name it is every port of the protocol.
_contains(permitted, _) if {
	permitted.name == ""
	permitted.number == null
	permitted.end == null
}

_contains(permitted, port) if {
	permitted.name == ""
	port.name == ""
	port.number >= permitted.number
	_last(port) >= port.number
	_last(port) <= _last(permitted)
}

_last(port) := port.number if {
	port.end == null
	is_number(port.number)
}

_last(port) := port.end if {
	is_number(port.number)
	is_number(port.end)
}

# METADATA
# description: The address block inner lies within outer. A block that does not parse lies within none.
cidr_within(inner, outer) if {
	net.cidr_is_valid(inner)
	net.cidr_is_valid(outer)
	net.cidr_contains(outer, inner)
}
