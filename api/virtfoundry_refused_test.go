package api_test

import "strings"

// refusal is a manifest that cannot work and what the API server says of it: the field, then the message.
type refusal struct {
	kind, name, object, spec, want string
}

func (r refusal) manifest() string {
	if r.object == "" {
		r.object = "refused"
	}
	return manifest(r.kind, r.object, "spec: "+r.spec)
}

const (
	goodKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG+VLRDLyMHXrwnn3a0AfyOkfUH3KgXrjtebZ190W9X5"
	notAKey   = "characters, is not one OpenSSH public key: store the one line of a .pub file, such as ssh-ed25519 AAAA… comment"
	noName    = " can be the name of no object: use its metadata.name (not its display name), of lower-case letters, digits, hyphens and dots"
	noSecret  = ": the reference has an empty name: name the Secret, or remove the reference where it is optional"
	noClass   = " can be the name of no StorageClass: use lower-case letters, digits, hyphens and dots, or leave it empty for the default"
	noCIDR    = " is no CIDR: write an address and the length of its prefix, for example 10.0.0.0/16"
	noGuest   = " holds addresses that no guest can have (unspecified, loopback or multicast): use a private range such as 10.0.0.0/16"
	noAddress = " is no IP address: write one such as 10.0.0.7 without a prefix length, or leave it empty to have one allocated"
	noRoom    = " has no room for a guest beside its gateway: use a prefix of at most /"
)

func instance(rest string) string { return "{displayName: a, " + rest + "}" }
func template(rest string) string { return "{displayName: a, " + rest + "}" }
func network(rest string) string  { return "{name: a, networkType: isolated, " + rest + "}" }
func rule(rest string) string     { return "{name: a, rules: [{direction: ingress, " + rest + "}]}" }

// refusals has at least one case for each CEL rule (TestEveryRuleOfTheSchemasIsTested).
var refusals = []refusal{
	{kind: "Instance", name: "an offering without a name", spec: instance("offeringRef: {name: ''}"),
		want: "spec.offeringRef.name: offeringRef names no Offering: set its name, or remove offeringRef for 1 CPU and 512 MiB"},
	{kind: "Instance", name: "a template without a name", spec: instance("templateRef: {name: ''}"),
		want: "spec.templateRef.name: templateRef names no Template: set its name to a Template of this namespace or of virtfoundry-system"},
	{kind: "Instance", name: "a template by its display name", spec: instance("templateRef: {name: Ubuntu 22.04}"), want: `spec.templateRef.name: "Ubuntu 22.04"` + noName},
	{kind: "Instance", name: "an offering by its display name", spec: instance("offeringRef: {name: Medium}"), want: `spec.offeringRef.name: "Medium"` + noName},
	{kind: "Instance", name: "a network by its display name", spec: instance("nics: [{name: a, networkRef: {name: Web servers}}]"), want: `spec.nics[0].networkRef.name: "Web servers"` + noName},
	{kind: "Instance", name: "a key by its owner", spec: instance("sshKeyRefs: [{name: Alice}]"), want: `spec.sshKeyRefs[0].name: "Alice"` + noName},
	{kind: "Instance", name: "two NICs of one name", spec: instance("nics: [{name: a, networkRef: {name: x}}, {name: b, networkRef: {name: x}}, {name: b, networkRef: {name: db}}]"),
		want: `spec.nics: two NICs are called "b": give each a name of its own, or none`},
	{kind: "Instance", name: "a NIC that KubeVirt cannot name", spec: instance("nics: [{name: eth 0, networkRef: {name: x}}]"),
		want: `spec.nics[0].name: NIC name "eth 0" is none that KubeVirt takes: use letters, digits, hyphens and underscores`},
	{kind: "Instance", name: "a NIC on no network", spec: instance("nics: [{name: a, networkRef: {name: ''}}]"),
		want: "spec.nics[0].networkRef.name: networkRef names no Network: set its name to the metadata.name of a Network in this namespace"},
	{kind: "Instance", name: "a NIC at no address", spec: instance("nics: [{name: a, networkRef: {name: x}, address: 10.0.0.7/24}]"),
		want: `spec.nics[0].address: address "10.0.0.7/24" is no IP address: write one such as 10.0.0.7 without a prefix length, or leave it out to have one allocated`},
	{kind: "Instance", name: "a NIC at an address of a second spelling", spec: instance("nics: [{name: a, networkRef: {name: x}, address: 'FD00::7'}]"),
		want: "spec.nics[0].address: address FD00::7 is not written as RFC 5952 does: write fd00::7"},
	{kind: "Instance", name: "a key without a name", spec: instance("sshKeyRefs: [{name: alice}, {name: ''}]"),
		want: "spec.sshKeyRefs[1].name: an entry of sshKeyRefs names no SSHKey: set its name, or remove the entry"},
	{kind: "Instance", name: "user data in no Secret", spec: instance("cloudInitSecretRef: {name: ''}"), want: "spec.cloudInitSecretRef.name" + noSecret},
	{kind: "Instance", name: "user data in a Secret of an impossible name", spec: instance("cloudInitSecretRef: {name: a/b}"),
		want: `spec.cloudInitSecretRef.name: "a/b" can be the name of no Secret: use lower-case letters, digits, hyphens and dots`},
	{kind: "Instance", name: "user data under an impossible key", spec: instance("cloudInitSecretRef: {name: a, key: user data}"),
		want: `spec.cloudInitSecretRef.key: "user data" can be the key of no Secret: use letters, digits, hyphens, underscores and dots`},
	{kind: "Instance", name: "an unknown power state", spec: instance("powerState: Paused"), want: `spec.powerState: supported values: "Running", "Halted", ""`},
	{kind: "Instance", name: "a name of 64 characters", object: strings.Repeat("n", 64), spec: "{displayName: a}",
		want: `<nil>: metadata.name "` + strings.Repeat("n", 64) + `" has 64 characters: use at most 63, since it is the value of label virtfoundry.io/instance`},

	{kind: "Offering", name: "no core", spec: "{displayName: a, cpu: 0, memoryMi: 64}", want: "spec.cpu: cpu 0 is out of bounds: use 1 to 256 cores"},
	{kind: "Offering", name: "257 cores", spec: "{displayName: a, cpu: 257, memoryMi: 64}", want: "spec.cpu: cpu 257 is out of bounds: use 1 to 256 cores"},
	{kind: "Offering", name: "little memory", spec: "{displayName: a, cpu: 1, memoryMi: 63}", want: "spec.memoryMi: memoryMi 63 is out of bounds: use 64 to 1048576 MiB"},
	{kind: "Offering", name: "more than a TiB", spec: "{displayName: a, cpu: 1, memoryMi: 1048577}", want: "spec.memoryMi: memoryMi 1048577 is out of bounds: use 64 to 1048576 MiB"},

	{kind: "Template", name: "a blank image", spec: template("sourceType: container, image: ''"), want: `spec.image: image "" is blank or holds white space: set it to an image reference or URL`},
	{kind: "Template", name: "an image with a space", spec: template("sourceType: container, image: 'quay.io/a b'"), want: `spec.image: image "quay.io/a b" is blank or holds white space: set it to an image reference or URL`},
	{kind: "Template", name: "a containerDisk by URL", spec: template("sourceType: container, image: 'HTTPS://images.example.com/a'"),
		want: "spec.image: image HTTPS://images.example.com/a is a URL, which sourceType container cannot boot: name a containerDisk such as quay.io/containerdisks/fedora@sha256:…, or set sourceType to iso or qcow2"},
	{kind: "Template", name: "a medium without URL", spec: template("sourceType: iso, image: quay.io/a/b"),
		want: "spec.image: image quay.io/a/b is no http(s) URL, which sourceType iso needs: set image to the https URL of the installation medium"},
	{kind: "Template", name: "user data in no Secret", spec: template("sourceType: container, image: a, cloudInitSecretRef: {name: ''}"), want: "spec.cloudInitSecretRef.name" + noSecret},
	{kind: "Template", name: "user data in a Secret of an impossible name", spec: template("sourceType: container, image: a, cloudInitSecretRef: {name: a/b}"),
		want: `spec.cloudInitSecretRef.name: "a/b" can be the name of no Secret: use lower-case letters, digits, hyphens and dots`},
	{kind: "Template", name: "user data under an impossible key", spec: template("sourceType: container, image: a, cloudInitSecretRef: {name: a, key: user data}"),
		want: `spec.cloudInitSecretRef.key: "user data" can be the key of no Secret: use letters, digits, hyphens, underscores and dots`},
	{kind: "Template", name: "an unknown source", spec: template("sourceType: Container, image: quay.io/a/b"), want: `spec.sourceType: supported values: "container", "iso", "qcow2"`},
	{kind: "Template", name: "a negative size of the medium", spec: template("sourceType: iso, image: 'https://a/b', isoSizeGi: -1"), want: "spec.isoSizeGi: isoSizeGi -1 is out of bounds: use 1 to 65536 GiB, or 0 for the default"},
	{kind: "Template", name: "a boot disk beyond bounds", spec: template("sourceType: iso, image: 'https://a/b', bootDiskSizeGi: 65537"), want: "spec.bootDiskSizeGi: bootDiskSizeGi 65537 is out of bounds: use 1 to 65536 GiB, or 0 for the default"},
	{kind: "Template", name: "an impossible class", spec: template("sourceType: iso, image: 'https://a/b', storageClass: Fast Disks"), want: `spec.storageClass: "Fast Disks"` + noClass},

	{kind: "Network", name: "an isolated network without range", spec: network("cidr: ''"), want: "spec.cidr: an isolated Network has an empty cidr: set spec.cidr to its range, for example 10.0.0.0/16"},
	{kind: "Network", name: "an unknown type", spec: "{name: a, networkType: Isolated, cidr: 10.0.0.0/16}", want: `spec.networkType: supported values: "isolated", "shared"`},
	{kind: "Network", name: "a range that is none", spec: network("cidr: 10.0.0.0/33"), want: `spec.cidr: "10.0.0.0/33"` + noCIDR},
	{kind: "Network", name: "a range with a space", spec: network("cidr: '10.0.0.0/16 '"), want: `spec.cidr: "10.0.0.0/16 "` + noCIDR},
	{kind: "Network", name: "an address as range", spec: network("cidr: 10.0.0.0"), want: `spec.cidr: "10.0.0.0"` + noCIDR},
	{kind: "Network", name: "bits beyond the prefix", spec: network("cidr: 10.0.1.5/16"), want: "spec.cidr: 10.0.1.5/16 has bits beyond its prefix: write 10.0.0.0/16"},
	{kind: "Network", name: "a range without room", spec: network("cidr: 10.0.0.0/31"), want: "spec.cidr: 10.0.0.0/31" + noRoom + "30"},
	{kind: "Network", name: "an IPv6 range without room", spec: network("cidr: 'fd00::/127'"), want: "spec.cidr: fd00::/127" + noRoom + "126"},
	{kind: "Network", name: "loopback", spec: network("cidr: 127.0.0.0/8"), want: "spec.cidr: 127.0.0.0/8" + noGuest},
	{kind: "Network", name: "multicast", spec: network("cidr: 239.1.0.0/16"), want: "spec.cidr: 239.1.0.0/16" + noGuest},
	{kind: "Network", name: "everything", spec: network("cidr: 0.0.0.0/0"), want: "spec.cidr: 0.0.0.0/0" + noGuest},
	{kind: "Network", name: "a gateway that is no address", spec: network("cidr: 10.0.0.0/16, gateway: 10.0.0.1/16"), want: `spec.gateway: gateway "10.0.0.1/16" is no IP address: write one such as 10.0.0.1, without a prefix length`},
	{kind: "Network", name: "a gateway elsewhere", spec: network("cidr: 10.0.0.0/16, gateway: 10.1.0.1"), want: "spec.gateway: gateway 10.1.0.1 is no address of a host in 10.0.0.0/16: use one of them, for example the first after the address of the network"},
	{kind: "Network", name: "a gateway of the other family", spec: network("cidr: 10.0.0.0/16, gateway: 'fd00::1'"), want: "spec.gateway: gateway fd00::1 is no address of a host in 10.0.0.0/16: use one of them, for example the first after the address of the network"},
	{kind: "Network", name: "the network's address as gateway", spec: network("cidr: 10.0.0.0/16, gateway: 10.0.0.0"), want: "spec.gateway: gateway 10.0.0.0 is no address of a host in 10.0.0.0/16: use one of them, for example the first after the address of the network"},
	{kind: "Network", name: "a VPC by its display name", spec: network("cidr: 10.0.0.0/16, vpcRef: {name: My VPC}"), want: `spec.vpcRef.name: "My VPC"` + noName},

	{kind: "VPC", name: "a range that is none", spec: "{name: a, cidr: ten}", want: `spec.cidr: "ten"` + noCIDR},
	{kind: "VPC", name: "bits beyond the prefix", spec: "{name: a, cidr: 'fd00::1/64'}", want: "spec.cidr: fd00::1/64 has bits beyond its prefix: write fd00::/64"},
	{kind: "VPC", name: "a range without room", spec: "{name: a, cidr: 10.0.0.1/32}", want: "spec.cidr: 10.0.0.1/32" + noRoom + "30"},
	{kind: "VPC", name: "loopback", spec: "{name: a, cidr: '127.1.0.0/16'}", want: "spec.cidr: 127.1.0.0/16" + noGuest},

	{kind: "IPAddress", name: "no network", spec: "{networkRef: {name: ''}}", want: "spec.networkRef.name: networkRef names no Network: set its name to the metadata.name of a Network in this namespace"},
	{kind: "IPAddress", name: "a network by its display name", spec: "{networkRef: {name: Web_1}}", want: `spec.networkRef.name: "Web_1"` + noName},
	{kind: "IPAddress", name: "no address", spec: "{networkRef: {name: a}, address: 10.0.0.7/24}", want: `spec.address: address "10.0.0.7/24"` + noAddress},
	{kind: "IPAddress", name: "a second spelling", spec: "{networkRef: {name: a}, address: 'fd00:0::7'}", want: "spec.address: address fd00:0::7 is not written as RFC 5952 does, so a second claim of it could not be seen: write fd00::7"},
	{kind: "IPAddress", name: "an address of no guest", spec: "{networkRef: {name: a}, address: 224.0.0.1}", want: "spec.address: address 224.0.0.1 is one that no guest can have (unspecified, loopback or multicast): use one of the Network"},

	{kind: "Disk", name: "no size", spec: "{name: a, sizeGi: 0}", want: "spec.sizeGi: sizeGi 0 is out of bounds: use 1 to 1048576 GiB"},
	{kind: "Disk", name: "more than a PiB", spec: "{name: a, sizeGi: 1048577}", want: "spec.sizeGi: sizeGi 1048577 is out of bounds: use 1 to 1048576 GiB"},
	{kind: "Disk", name: "an impossible class", spec: "{name: a, sizeGi: 1, storageClass: a_b}", want: `spec.storageClass: "a_b"` + noClass},
	{kind: "Disk", name: "an instance by its display name", spec: "{name: a, sizeGi: 1, instanceRef: {name: Web 1}}", want: `spec.instanceRef.name: "Web 1"` + noName},
	{kind: "DiskSnapshot", name: "no disk", spec: "{name: a, diskRef: {name: ''}}", want: "spec.diskRef.name: diskRef names no Disk: set its name to the metadata.name of a Disk in this namespace"},
	{kind: "DiskSnapshot", name: "a disk by its display name", spec: "{name: a, diskRef: {name: My Disk}}", want: `spec.diskRef.name: "My Disk"` + noName},
	{kind: "InstanceSnapshot", name: "no instance", spec: "{name: a, instanceRef: {name: ''}}", want: "spec.instanceRef.name: instanceRef names no Instance: set its name to the metadata.name of an Instance in this namespace"},
	{kind: "InstanceSnapshot", name: "an instance by its display name", spec: "{name: a, instanceRef: {name: Web 1}}", want: `spec.instanceRef.name: "Web 1"` + noName},

	{kind: "SSHKey", name: "no key", spec: "{publicKey: ''}", want: "spec.publicKey: publicKey, of 0 " + notAKey},
	{kind: "SSHKey", name: "no base64", spec: "{publicKey: ssh-ed25519 hello}", want: "spec.publicKey: publicKey, of 17 " + notAKey},
	{kind: "SSHKey", name: "a second line", spec: `{publicKey: "` + goodKey + `\nruncmd: [reboot]"}`, want: "spec.publicKey: publicKey, of 97 " + notAKey},
	{kind: "SSHKey", name: "a carriage return inside", spec: `{publicKey: "` + goodKey + ` a\rb"}`, want: "spec.publicKey: publicKey, of 84 " + notAKey},
	{kind: "SSHKey", name: "a private key", spec: `{publicKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n"}`,
		want: "spec.publicKey: publicKey, of 52 characters, holds a private key: take it for disclosed, make another pair, and store the line of its .pub file"},

	{kind: "SecurityGroup", name: "an unknown direction", spec: "{name: a, rules: [{direction: inbound, protocol: tcp, cidr: 10.0.0.0/8}]}", want: `spec.rules[0].direction: supported values: "ingress", "egress"`},
	{kind: "SecurityGroup", name: "an unknown protocol", spec: rule("protocol: any, cidr: 10.0.0.0/8"), want: `spec.rules[0].protocol: supported values: "tcp", "udp", "icmp"`},
	{kind: "SecurityGroup", name: "an address", spec: rule("protocol: tcp, cidr: 10.0.0.5"), want: "spec.rules[0].cidr: cidr 10.0.0.5 is an address: write 10.0.0.5/32 for that one host"},
	{kind: "SecurityGroup", name: "an IPv6 address", spec: rule("protocol: tcp, cidr: 'fd00::5'"), want: "spec.rules[0].cidr: cidr fd00::5 is an address: write fd00::5/128 for that one host"},
	{kind: "SecurityGroup", name: "no range", spec: rule("protocol: tcp, cidr: ''"), want: `spec.rules[0].cidr: cidr ""` + noCIDR},
	{kind: "SecurityGroup", name: "a port beyond 16 bits", spec: rule("protocol: tcp, cidr: 10.0.0.0/8, portFrom: 65536"), want: "spec.rules[0].portFrom: portFrom 65536 is out of bounds: use 1 to 65535, or none for every port"},
	{kind: "SecurityGroup", name: "a last port beyond 16 bits", spec: rule("protocol: udp, cidr: 10.0.0.0/8, portFrom: 1, portTo: 65536"), want: "spec.rules[0].portTo: portTo 65536 is out of bounds: use 1 to 65535, or none for the single port"},
	{kind: "SecurityGroup", name: "a range without start", spec: rule("protocol: tcp, cidr: 10.0.0.0/8, portTo: 80"), want: "spec.rules[0].portFrom: portTo 80 ends a range that has no start: set portFrom as well"},
	{kind: "SecurityGroup", name: "a range backwards", spec: rule("protocol: tcp, cidr: 10.0.0.0/8, portFrom: 81, portTo: 80"), want: "spec.rules[0].portTo: portTo 80 lies below portFrom 81: raise it to at least portFrom"},
	{kind: "SecurityGroup", name: "a VPC by its display name", spec: "{name: a, vpcRef: {name: My VPC}}", want: `spec.vpcRef.name: "My VPC"` + noName},

	{kind: "User", name: "no role", spec: "{username: a, roleRef: {name: ''}, secretRef: {name: s}}", want: "spec.roleRef.name: roleRef names no Role: set its name to the metadata.name of a Role"},
	{kind: "User", name: "a role by its display name", spec: "{username: a, roleRef: {name: Admin}, secretRef: {name: s}}", want: `spec.roleRef.name: "Admin"` + noName},
	{kind: "User", name: "a tenant without a name", spec: "{username: a, roleRef: {name: r}, tenantRef: {name: ''}, secretRef: {name: s}}", want: "spec.tenantRef.name: tenantRef names no Tenant: set its name, or remove tenantRef to make this a user of the platform"},
	{kind: "User", name: "a tenant by its display name", spec: "{username: a, roleRef: {name: r}, tenantRef: {name: Acme}, secretRef: {name: s}}", want: `spec.tenantRef.name: "Acme"` + noName},
	{kind: "User", name: "no Secret", spec: "{username: a, roleRef: {name: r}, secretRef: {name: ''}}", want: "spec.secretRef.name" + noSecret},
	{kind: "User", name: "a Secret of an impossible name", spec: "{username: a, roleRef: {name: r}, secretRef: {name: S}}", want: `spec.secretRef.name: "S" can be the name of no Secret: use lower-case letters, digits, hyphens and dots`},
	{kind: "User", name: "an impossible key", spec: "{username: a, roleRef: {name: r}, secretRef: {name: s, key: a b}}", want: `spec.secretRef.key: "a b" can be the key of no Secret: use letters, digits, hyphens, underscores and dots`},

	{kind: "APIKey", name: "no user", spec: "{userRef: {name: ''}, name: a, prefix: p, secretRef: {name: s}}", want: "spec.userRef.name: userRef names no User: set its name to the metadata.name of a User"},
	{kind: "APIKey", name: "a user by login", spec: "{userRef: {name: Alice}, name: a, prefix: p, secretRef: {name: s}}", want: `spec.userRef.name: "Alice"` + noName},
	{kind: "APIKey", name: "no Secret", spec: "{userRef: {name: u}, name: a, prefix: p, secretRef: {name: ''}}", want: "spec.secretRef.name" + noSecret},
	{kind: "APIKey", name: "a Secret of an impossible name", spec: "{userRef: {name: u}, name: a, prefix: p, secretRef: {name: S}}", want: `spec.secretRef.name: "S" can be the name of no Secret: use lower-case letters, digits, hyphens and dots`},
	{kind: "APIKey", name: "an impossible key", spec: "{userRef: {name: u}, name: a, prefix: p, secretRef: {name: s, key: a b}}", want: `spec.secretRef.key: "a b" can be the key of no Secret: use letters, digits, hyphens, underscores and dots`},
	{kind: "APIKey", name: "a time that Go cannot read", spec: "{userRef: {name: u}, name: a, prefix: p, secretRef: {name: s}, expiresAt: '2027-06-30t00:00:00z'}",
		want: "spec.expiresAt: spec.expiresAt in body should match '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$'"},
}
