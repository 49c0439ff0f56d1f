package cato.rules.source.host_test

import data.cato.lib.instance_fixture_test as instance
import data.cato.lib.machine_fixture_test.good
import data.cato.lib.verdict
import data.cato.rules.source.host as rule

passing := {object.union(document, {"moment": moment}) |
	some moment in ["admission", "plan", "live"]
	some document in [good, _at({"host": "8.8.8.8", "labels": [], "addresses": ["8.8.8.8"]}), _listed("10.1.2.3", _block)]
}

_origin := good.origins[0]

_block := {"text": "10.0.0.0/8", "host": "", "below": false, "cidr": "10.0.0.0/8"}

_at(change) := json.patch(good, [{"op": "replace", "path": "/origins", "value": [object.union(_origin, change)]}])

_address(address) := _at({"host": address, "labels": [], "addresses": [address]})

_name(name) := _at({"host": name, "labels": split(name, ".")})

_entry(host, below) := {"text": host, "host": host, "below": below, "cidr": ""}

_allowing(document, entry) := json.patch(document, [{"op": "replace", "path": "/params/sourceHosts", "value": [entry]}])

_listed(address, entry) := _allowing(_address(address), entry)

_judge(document) := word if {
	word := verdict.of({target | some target in rule.judged}, rule.report) with input as document
}

test_pass_for_public_hosts if {
	every document in passing {
		_judge(document) == "pass"
	}
	every scheme in ["https", "http", "docker"] {
		_judge(_at({"scheme": scheme})) == "pass"
	}
	every name in ["images.example", "svc.example.com", "local.example.com", "internal.example", "mylocal"] {
		_judge(_name(name)) == _public(name)
	}
	every address in ["1.1.1.1", "172.32.0.1", "100.128.0.1", "192.0.2.1", "2606:4700::1111", "2001:db8::1"] {
		_judge(_address(address)) == "pass"
	}
}

_public("mylocal") := "fail" # a name without a domain

_public(name) := "pass" if contains(name, ".")

test_fail_for_addresses_of_the_inside if {
	every address in [
		"127.0.0.1", "127.8.8.8", "0.0.0.0", "169.254.169.254", "168.63.129.16", "10.0.0.1", "172.16.0.1", "172.31.255.255",
		"192.168.1.1", "100.64.0.1", "100.100.100.200", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::",
		"fe80::1", "fd00:ec2::254", "fec0::1", "ff02::1", "64:ff9b::a00:1", "2002:a00:1::", "100::1",
	] {
		_judge(_address(address)) == "fail"
	}
}

test_fail_for_an_address_within_another if {
	_judge(_at({"host": "::a00:1", "labels": [], "addresses": ["::a00:1", "10.0.0.1"]})) == "fail"
}

test_fail_for_names_of_the_inside if {
	every name in [
		"minio", "localhost", "a.localhost", "minio.storage.svc", "minio.storage.svc.cluster.local", "a.b.svc.corp.example",
		"host.local", "metadata.google.internal", "nas.lan", "router.home.arpa", "kubernetes.default", "etcd.kube-system",
		"web.mission-a", "10-1-2-3.ns.pod.cluster.local",
	] {
		_judge(_name(name)) == "fail"
	}
}

test_fail_says_why if {
	found := rule.report with input as _address("10.0.0.1")
	some entry in found
	entry.message == "spec.url https://images.example.com/golden/linux-9.qcow2 leads to 10.0.0.1, which is private"
}

test_fail_for_what_is_unsound_even_where_the_host_is_listed if {
	every change in [{"userinfo": true}, {"scheme": "ftp"}, {"scheme": ""}, {"valid": false, "problem": "is no URL", "host": ""}] {
		_judge(_allowing(_at(change), _entry("images.example.com", false))) == "fail"
	}
}

test_pass_for_what_the_profile_lists if {
	every c in [
		["mirror.corp.internal", _entry("mirror.corp.internal", false)],
		["mirror.corp.internal", _entry("corp.internal", true)],
		["minio.storage.svc", _entry("minio.storage.svc", false)],
	] {
		_judge(_allowing(_name(c[0]), c[1])) == "pass"
	}
	_judge(_listed("10.1.2.3", _entry("10.1.2.3", false))) == "pass"
	_judge(_listed("fd00::1", object.union(_block, {"cidr": "fd00::/64"}))) == "pass"
}

test_fail_for_what_the_profile_does_not_list if {
	every c in [
		["corp.internal", _entry("corp.internal", true)],
		["evilcorp.internal", _entry("corp.internal", true)],
		["mirror.corp.internal", _entry("corp.internal", false)],
		["mirror.corp.internal", _entry("", true)],
		["mirror.corp.internal", _entry("", false)],
	] {
		_judge(_allowing(_name(c[0]), c[1])) == "fail"
	}
	_judge(_listed("11.0.0.1", _block)) == "pass" # public without it
	_judge(_listed("192.168.0.1", _block)) == "fail"
	_judge(_allowing(_at({"host": "::a00:1", "labels": [], "addresses": ["::a00:1", "10.0.0.1"]}), _block)) == "fail"
}

test_not_applicable_when_nothing_is_fetched if {
	_judge(json.patch(good, [{"op": "replace", "path": "/origins", "value": []}])) == "not-applicable"
}

test_unknown_when_facts_are_missing if {
	every document in [{}, json.remove(good, ["origins"]), json.remove(good, ["origins/0/addresses"]), json.remove(good, ["origins/0/userinfo"])] {
		_judge(document) == "unknown"
	}
}

test_malformed_facts_are_no_pass if {
	every document in [
		json.patch(good, [{"op": "replace", "path": "/origins", "value": null}]),
		_at({"valid": null}),
		_at({"userinfo": null}),
		_at({"scheme": null}),
		_at({"labels": []}),
		_at({"labels": null}),
		_at({"addresses": null}),
		_at({"host": null, "labels": null, "addresses": null}),
	] {
		_judge(document) in {"unknown", "fail"}
	}
}

test_templates_and_their_instances_are_judged_alike if {
	every document in [instance.imported, instance.importing] {
		_judge(document) == "pass"
		private := json.patch(document, [
			{"op": "replace", "path": "/origins/0/host", "value": "169.254.169.254"},
			{"op": "replace", "path": "/origins/0/labels", "value": []},
			{"op": "replace", "path": "/origins/0/addresses", "value": ["169.254.169.254"]},
		])
		_judge(private) == "fail"
		_judge(_allowing(private, {"text": "169.254.0.0/16", "host": "", "below": false, "cidr": "169.254.0.0/16"})) == "pass"
		_judge(json.patch(document, [{"op": "replace", "path": "/origins/0/userinfo", "value": true}])) == "fail"
		_judge(json.patch(document, [{"op": "replace", "path": "/origins/0/scheme", "value": "file"}])) == "fail"
		_judge(json.remove(document, ["origins"])) == "unknown"
	}
	_judge(instance.template) == "not-applicable"
}

test_a_template_is_fetched_by_https_on_port_443_only if {
	every document in [instance.imported, instance.importing] {
		every change in [{"scheme": "http", "port": 80}, {"scheme": "http", "port": 443}, {"port": 8443}, {"port": 80}, {"port": 0}] {
			changed := json.patch(document, [{"op": "replace", "path": "/origins/0", "value": object.union(document.origins[0], change)}])
			_judge(changed) == "fail"
			_judge(_allowing(changed, _entry("images.example.com", false))) == "fail"
		}
		image := object.union(document.origins[0], {"scheme": "docker", "port": 0})
		_judge(json.patch(document, [{"op": "replace", "path": "/origins/0", "value": image}])) == "pass"
		_judge(json.remove(document, ["origins/0/port"])) in {"unknown", "fail"}
	}
	_judge(json.remove(_at({"scheme": "http", "port": 80}), ["subject"])) == "unknown"
	found := rule.report with input as json.patch(instance.imported, [{"op": "replace", "path": "/origins/0/port", "value": 8443}])
	some entry in found
	entry.message == "spec.image https://images.example.com/golden/linux-9.qcow2 is fetched by https on port 8443: a Template's file is fetched by https on port 443 only"
}
