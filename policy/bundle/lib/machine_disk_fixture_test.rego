# METADATA
# title: The disks of a hardened machine
# description: The disks of machine_fixture_test, and where the first of them comes from.
package cato.lib.machine_disk_fixture_test

digest := "9f2c4b1e7d3a5860c1f4e2b7a9d806354e6b1c2d3f40516273849aabbccddeef"

rootdisk := {
	"name": "rootdisk",
	"launcher": "template",
	"path": "VirtualMachine/web spec.template.spec.domain.devices.disks[0]",
	"boot": true,
	"volumeKind": "dataVolume",
	"virtualBytes": 10737418240,
	"image": [],
	"lineage": [{
		"namespace": "mission-a",
		"name": "web-dv",
		"uid": "0b1d3c5e-0000-4000-8000-000000000004",
		"resourceVersion": "4711",
		"edited": false,
		"phase": "Succeeded",
		"reason": "Completed",
		"createdAt": "2026-11-20T08:00:00Z",
		"claimName": "web-dv",
		"claimOwned": true,
		"filledElsewhere": false,
		"source": "http",
		"url": "https://images.example.com/golden/linux-9.qcow2",
		"pullMethod": "",
		"checksum": [{
			"path": "DataVolume/web-dv spec.source.http.checksum",
			"algorithm": "sha256",
			"digest": digest,
			"valid": true,
			"problem": "",
		}],
		"image": [],
		"requestKind": "storage",
		"requestBytes": 10737418240,
		"volumeMode": "",
		"storageClass": "standard-rwo",
		"overhead": "0.060",
		"requiredBytes": 10737418240,
	}],
	"claim": [{
		"name": "web-dv",
		"uid": "0b1d3c5e-0000-4000-8000-000000000005",
		"phase": "Bound",
		"volumeMode": "Filesystem",
		"storageClass": "standard-rwo",
		"requestBytes": 11381663335,
		"capacityBytes": 11381663335,
		"requiredBytes": 11381663335,
	}],
}

cloudinitdisk := {
	"name": "cloudinitdisk",
	"launcher": "template",
	"path": "VirtualMachine/web spec.template.spec.domain.devices.disks[1]",
	"boot": false,
	"volumeKind": "cloudInit",
	"virtualBytes": null,
	"image": [],
	"lineage": [],
	"claim": [],
}

origin := {
	"path": "spec.url",
	"text": "https://images.example.com/golden/linux-9.qcow2",
	"scheme": "https",
	"userinfo": false,
	"valid": true,
	"problem": "",
	"port": 443,
	"host": "images.example.com",
	"labels": ["images", "example", "com"],
	"addresses": [],
}
