# METADATA
# title: Disks are not fetched from inside
# description: |
#   An import is a request that the platform makes for a user (CWE-918, server-side request forgery). Its host is
#   public: not this machine, link-local (metadata services), private, shared or reserved, no name of the cluster or
#   of an internal zone, however it is written; its scheme is https, http or that of a registry; and no credentials
#   are written in it. The profile may list internal hosts. A Template, and so its Instances, is fetched from a web server
#   by https on port 443 only, wherever that is: another port is another service of the host.
# custom:
#   id: SRC-001
#   topic: source-url
#   severity: high
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance, Template]
#   enforces: [admission, plan]
#   parameters: [sourceHosts]
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Give an https, http or registry address of a public host, without user and password, and for a Template no http
#     and no other port than 443; or have the ComplianceProfile list the host in allowedSourceHosts.
package cato.rules.source.host

import data.cato.lib.result

# METADATA
# description: Every place that content is fetched from, as one target, so that one that is missing cannot drop out.
judged contains "origins" if some _ in input.origins

# METADATA
# description: Each is public or listed.
report contains result.pass("origins", {"origins": input.origins}) if {
	some _ in input.origins
	is_array(input.params.sourceHosts)
	_all_sound
}

# METADATA
# description: What it is cannot be told for certain, and what fetches may understand it otherwise.
report contains result.fail("origins", $"{origin.path} {origin.text} {origin.problem}", {"origin": origin}) if {
	not _all_sound
	some origin in input.origins
	origin.valid == false
}

# METADATA
# description: Neither a web address nor an image.
report contains result.fail(
	"origins",
	$"{origin.path} {origin.text} is of scheme {origin.scheme}: https, http and docker are fetched",
	{"origin": origin},
) if {
	not _all_sound
	some origin in input.origins
	origin.valid == true
	not origin.scheme in {"https", "http", "docker"}
}

# METADATA
# description: Not as a Template is fetched.
report contains result.fail(
	"origins",
	$"{origin.path} {origin.text} is fetched by {origin.scheme} on port {origin.port}: a Template's file is fetched by https on port 443 only",
	{"origin": origin},
) if {
	not _all_sound
	input.subject.kind in _catalogue
	some origin in input.origins
	origin.scheme in {"https", "http"}
	not _https_443(origin)
}

# METADATA
# description: A secret in what everybody may read.
report contains result.fail("origins", $"{origin.path} {origin.text} was written with a user or password", {"origin": origin}) if {
	not _all_sound
	some origin in input.origins
	origin.userinfo == true
}

# METADATA
# description: An address of the inside.
report contains result.fail("origins", $"{origin.path} {origin.text} leads to {address}, which is {what}", {"origin": origin}) if {
	not _all_sound
	some origin in input.origins
	not _listed(origin)
	some address in origin.addresses
	some what, blocks in _inside
	some block in blocks
	net.cidr_contains(block, address)
}

# METADATA
# description: A name of the inside.
report contains result.fail("origins", $"{origin.path} {origin.text} names {origin.host}, {what}", {"origin": origin}) if {
	not _all_sound
	some origin in input.origins
	not _listed(origin)
	what := _internal(origin)
}

# METADATA
# description: Nothing is fetched.
report contains result.not_applicable("nothing is fetched over a network") if input.origins == []

# Of an origin that is sound nothing is left to find.
_all_sound if {
	every origin in input.origins {
		origin.valid == true
		origin.userinfo == false
		_transported(origin)
		_reachable(origin)
	}
}

_transported(origin) if origin.scheme == "docker"

_transported(origin) if _https_443(origin)

_transported(origin) if {
	origin.scheme in {"https", "http"}
	is_string(input.subject.kind)
	not input.subject.kind in _catalogue
}

_https_443(origin) if {
	origin.scheme == "https"
	origin.port == 443
}

# The kinds whose content comes by a Template (the VirtFoundry sheet, section 6: ISO import).
_catalogue := {"Template", "Instance"}

_reachable(origin) if {
	origin.addresses == []
	some _ in origin.labels
	not _internal(origin)
}

_reachable(origin) if {
	origin.labels == []
	some _ in origin.addresses
	every address in origin.addresses {
		_public(address)
	}
	not _internal(origin)
}

_reachable(origin) if _listed(origin)

_public(address) if {
	found := {what |
		some what, blocks in _inside
		some block in blocks
		net.cidr_contains(block, address)
	}
	found == set()
}

_listed(origin) if {
	some entry in input.params.sourceHosts
	_entry(entry, origin)
}

_entry(entry, origin) if {
	entry.below == false
	entry.host != ""
	entry.host == origin.host
}

_entry(entry, origin) if {
	entry.below == true
	entry.host != ""
	endswith(origin.host, $".{entry.host}")
}

_entry(entry, origin) if {
	entry.cidr != ""
	some _ in origin.addresses
	every address in origin.addresses {
		net.cidr_contains(entry.cidr, address)
	}
}

# What a name is, other than public.
_internal(origin) := "a name without a domain, which is looked up in the cluster first" if {
	origin.labels = [_]
} else := "a name of an internal zone" if {
	strings.any_suffix_match($".{origin.host}", _zones)
} else := "a name of a Service" if {
	some at, "svc" in origin.labels
	at >= 2
} else := "which the cluster looks up as a Service of that namespace" if {
	origin.labels = [_, namespace]
	namespace in {"default", "kube-system", "kube-public", "kube-node-lease", input.subject.namespace}
}

_zones := [
	".svc",
	".local",
	".localhost",
	".localdomain",
	".internal",
	".intranet",
	".lan",
	".home.arpa",
	".in-addr.arpa",
	".ip6.arpa",
]

# IANA's special-purpose registries (RFC 6890), with Azure's metadata address; the documentation ranges lead nowhere.
_inside := {
	"this host": ["0.0.0.0/8", "127.0.0.0/8", "::/127"],
	"link-local, where metadata services are": ["169.254.0.0/16", "fe80::/10", "168.63.129.16/32"],
	"private": ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"],
	"shared by carriers (RFC 6598)": ["100.64.0.0/10"],
	"reserved": ["192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4", "100::/64"],
	"multicast": ["224.0.0.0/4", "ff00::/8"],
	"a translation to another address": ["64:ff9b::/96", "64:ff9b:1::/48", "2002::/16"],
}
