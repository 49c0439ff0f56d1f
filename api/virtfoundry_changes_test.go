package api_test

// change is an update of an object and what the API server says of it; an empty want is that it is stored.
type change struct {
	kind, name, from, to, want string
}

const spared = "spec: {name: a, networkType: shared, cidr: ''}"

var changes = []change{
	{kind: "Network", name: "another range", from: "spec: " + network("cidr: 10.0.0.0/16"), to: "spec: " + network("cidr: 10.0.0.0/8"),
		want: `spec.cidr: the range 10.0.0.0/16 cannot become "10.0.0.0/8", since addresses were given out of it: create another object with that range instead`},
	{kind: "Network", name: "no range any more", from: "spec: {name: a, networkType: shared, cidr: 10.0.0.0/16}", to: spared,
		want: `spec.cidr: the range 10.0.0.0/16 cannot become "", since addresses were given out of it: create another object with that range instead`},
	{kind: "Network", name: "a first range", from: spared, to: "spec: {name: a, networkType: shared, cidr: 10.0.0.0/16}"},
	{kind: "Network", name: "another type", from: "spec: " + network("cidr: 10.0.0.0/16"), to: "spec: {name: a, networkType: shared, cidr: 10.0.0.0/16}",
		want: "spec.networkType: networkType isolated cannot become shared, since what was made for the network would be orphaned: create another Network, move the NICs, then delete this one"},
	{kind: "Network", name: "no spec", from: "spec: " + network("cidr: 10.0.0.0/16"), want: "spec: spec cannot be removed, since networkType and cidr never change: delete the Network instead"},
	{kind: "Network", name: "a first spec", to: "spec: " + network("cidr: 10.0.0.0/16")},
	{kind: "Network", name: "label, gateway, VPC and tags", from: "spec: " + network("cidr: 10.0.0.0/16"),
		to: "spec: {name: b, networkType: isolated, cidr: 10.0.0.0/16, gateway: 10.0.0.1, vpcRef: {name: v}, tags: [x]}"},
	{kind: "VPC", name: "another range", from: "spec: {name: a, cidr: 10.0.0.0/16}", to: "spec: {name: a, cidr: 10.1.0.0/16}",
		want: `spec.cidr: the range 10.0.0.0/16 cannot become "10.1.0.0/16", since addresses were given out of it: create another object with that range instead`},
	{kind: "VPC", name: "no spec", from: "spec: {name: a, cidr: 10.0.0.0/16}", want: "spec: spec cannot be removed, since its cidr never changes: delete the VPC instead"},
	{kind: "VPC", name: "the label", from: "spec: {name: a, cidr: ''}", to: "spec: {name: b, cidr: ''}"},

	{kind: "IPAddress", name: "an allocated address", from: "spec: {networkRef: {name: a}}", to: "spec: {networkRef: {name: a}, address: 10.0.0.7}"},
	{kind: "IPAddress", name: "an allocated address in place of the empty one", from: "spec: {networkRef: {name: a}, address: ''}", to: "spec: {networkRef: {name: a}, address: 10.0.0.7}"},
	{kind: "IPAddress", name: "another address", from: "spec: {networkRef: {name: a}, address: 10.0.0.7}", to: "spec: {networkRef: {name: a}, address: 10.0.0.8}",
		want: `spec.address: address 10.0.0.7 cannot become "10.0.0.8", since it is claimed by this object: delete it and create another IPAddress instead`},
	{kind: "IPAddress", name: "an address given back", from: "spec: {networkRef: {name: a}, address: 10.0.0.7}", to: "spec: {networkRef: {name: a}}",
		want: `spec.address: address 10.0.0.7 cannot become "", since it is claimed by this object: delete it and create another IPAddress instead`},
	{kind: "IPAddress", name: "another network", from: "spec: {networkRef: {name: a}}", to: "spec: {networkRef: {name: b}}",
		want: `spec.networkRef.name: networkRef "a" cannot become "b", since the address is claimed in it: create another IPAddress instead`},
	{kind: "IPAddress", name: "no spec", from: "spec: {networkRef: {name: a}}", want: "spec: spec cannot be removed, since it claims an address: delete the IPAddress instead"},

	{kind: "Disk", name: "more space, attached", from: "spec: {name: a, sizeGi: 1}", to: "spec: {name: b, sizeGi: 2, instanceRef: {name: web}}"},
	{kind: "Disk", name: "detached", from: "spec: {name: a, sizeGi: 1, instanceRef: {name: web}}", to: "spec: {name: a, sizeGi: 1, instanceRef: {name: ''}}"},
	{kind: "Disk", name: "less space", from: "spec: {name: a, sizeGi: 2}", to: "spec: {name: a, sizeGi: 1}",
		want: "spec.sizeGi: sizeGi 2 cannot shrink to 1, which would cut off data: create another Disk and copy the data"},
	{kind: "Disk", name: "the same class, said and unsaid", from: "spec: {name: a, sizeGi: 1, storageClass: ''}", to: "spec: {name: a, sizeGi: 1}"},
	{kind: "Disk", name: "another class", from: "spec: {name: a, sizeGi: 1, storageClass: fast}", to: "spec: {name: a, sizeGi: 1}",
		want: `spec.storageClass: storageClass "fast" cannot become "", since a volume never changes its class: create another Disk and copy the data`},
	{kind: "Disk", name: "a class afterwards", from: "spec: {name: a, sizeGi: 1}", to: "spec: {name: a, sizeGi: 1, storageClass: fast}",
		want: `spec.storageClass: storageClass "" cannot become "fast", since a volume never changes its class: create another Disk and copy the data`},
	{kind: "Disk", name: "no spec", from: "spec: {name: a, sizeGi: 1}", want: "spec: spec cannot be removed, since a volume keeps its size and class: delete the Disk instead"},
	{kind: "DiskSnapshot", name: "another disk", from: "spec: {name: a, diskRef: {name: a}}", to: "spec: {name: a, diskRef: {name: b}}",
		want: `spec.diskRef.name: diskRef "a" cannot become "b", since the snapshot is of that disk: create another DiskSnapshot instead`},
	{kind: "DiskSnapshot", name: "no spec", from: "spec: {name: a, diskRef: {name: a}}", want: "spec: spec cannot be removed, since its diskRef never changes: delete the DiskSnapshot instead"},
	{kind: "DiskSnapshot", name: "the label", from: "spec: {name: a, diskRef: {name: a}}", to: "spec: {name: b, diskRef: {name: a}}"},
	{kind: "InstanceSnapshot", name: "another instance", from: "spec: {name: a, instanceRef: {name: a}}", to: "spec: {name: a, instanceRef: {name: b}}",
		want: `spec.instanceRef.name: instanceRef "a" cannot become "b", since the snapshot is of that instance: create another InstanceSnapshot instead`},
	{kind: "InstanceSnapshot", name: "no spec", from: "spec: {name: a, instanceRef: {name: a}}", want: "spec: spec cannot be removed, since its instanceRef never changes: delete the InstanceSnapshot instead"},

	{kind: "Template", name: "another source", from: "spec: " + template("sourceType: iso, image: 'https://a/b'"), to: "spec: " + template("sourceType: container, image: quay.io/a/b"),
		want: "spec.sourceType: sourceType iso cannot become container, since the disks of instances would be orphaned: create another Template instead"},
	{kind: "Template", name: "no spec", from: "spec: " + template("sourceType: container, image: quay.io/a/b"), want: "spec: spec cannot be removed, since its sourceType never changes: delete the Template instead"},
	{kind: "Template", name: "another image", from: "spec: " + template("sourceType: container, image: quay.io/a/b"), to: "spec: " + template("sourceType: container, image: quay.io/a/c")},

	{kind: "Instance", name: "everything that converges", from: "spec: {displayName: a, offeringRef: {name: small}, templateRef: {name: t}, nics: [{name: a, networkRef: {name: x}}], sshKeyRefs: [{name: k}], powerState: Running}",
		to: "spec: {displayName: '', offeringRef: {name: large}, templateRef: {name: u}, nics: [{name: b, networkRef: {name: db}}], dedicatedCPU: true, powerState: Halted}"},
	{kind: "Offering", name: "another size", from: "spec: {displayName: a, cpu: 1, memoryMi: 64}", to: "spec: {displayName: a, cpu: 2, memoryMi: 128}"},
	{kind: "SecurityGroup", name: "other rules", from: "spec: " + rule("protocol: tcp, cidr: 10.0.0.0/8"), to: "spec: {name: a}"},
	{kind: "SSHKey", name: "another key", from: "spec: {publicKey: " + goodKey + "}", to: "spec: {publicKey: " + goodKey + " bob}"},
	{kind: "User", name: "out of a tenant", from: "spec: {username: a, roleRef: {name: r}, tenantRef: {name: t}, secretRef: {name: s}}", to: "spec: {username: a, roleRef: {name: q}, secretRef: {name: s}}"},
	{kind: "Role", name: "fewer permissions", from: "spec: {permissions: ['*']}", to: "spec: {permissions: []}"},
	{kind: "APIKey", name: "an end", from: "spec: {userRef: {name: u}, name: a, prefix: p, secretRef: {name: s}}", to: "spec: {userRef: {name: u}, name: a, prefix: p, secretRef: {name: s}, expiresAt: '2027-01-01T00:00:00.5+02:00'}"},
}
