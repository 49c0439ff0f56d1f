package api_test

// old is a manifest that the original admits: what follows its metadata.
type old struct {
	kind, name, rest string
}

const (
	oldImport = "import: {externalUUID: 6f1f, source: cloudstack}"
	oldStatus = "\nstatus: {phase: Ready, conditions: [{type: Ready, status: 'True', reason: Reconciled, message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]"
)

var olds = []old{
	{"Instance", "minimal", "spec: {displayName: ''}"},
	{"Instance", "every field", "spec: {displayName: Web, offeringRef: {name: medium}, templateRef: {name: ubuntu-2204}, nics: [{name: lan, networkRef: {name: web}}, {name: '', networkRef: {name: web}}, {name: '', networkRef: {name: db.internal}}]," +
		"sshKeyRefs: [{name: alice}, {name: alice}], cloudInitSecretRef: {name: user-data, key: userData}, cloudInitUserData: \"#cloud-config\\nusers: []\\n\", dedicatedCPU: true, powerState: Halted, tags: [a, a, ''], " + oldImport + "}" +
		"\nstatus: {phase: Running, kubevirtName: web, ip: 10.0.50.7, errorMessage: ''}"},
	{"Instance", "an empty power state", "spec: {displayName: a, powerState: '', nics: [], tags: [], sshKeyRefs: [], cloudInitUserData: '', import: {}}"},
	{"Instance", "a secret's default key", "spec: {displayName: a, cloudInitSecretRef: {name: user-data, key: ''}}"},
	{"Instance", "a blank NIC", "spec: {displayName: a, nics: [{name: ' ', networkRef: {name: web}}]}"},

	{"Offering", "minimal", "spec: {displayName: '', cpu: 1, memoryMi: 64}"},
	{"Offering", "every field", "spec: {displayName: Huge, cpu: 256, memoryMi: 1048576, dedicatedCPU: true, storageTags: 'ssd,fast', " + oldImport + "}" + oldStatus + "}"},
	{"Offering", "the catalogue's windows-large", "spec: {displayName: Windows large, cpu: 4, memoryMi: 16384}"},

	{"Template", "minimal", "spec: {displayName: '', image: quay.io/containerdisks/ubuntu:22.04, sourceType: container}"},
	{"Template", "every field", "spec: {displayName: Windows, image: 'https://mirror.example.com/w.iso', sourceType: iso, osType: windows, cloudInitSecretRef: {name: a}, cloudInitUserData: x, isoSizeGi: 8, bootDiskSizeGi: 32, storageClass: longhorn, " + oldImport + "}" +
		"\nstatus: {importState: importing, isoVolumeName: windows-iso}"},
	{"Template", "sizes and words left empty", "spec: {displayName: a, image: quay.io/a/b, sourceType: container, osType: '', isoSizeGi: 0, bootDiskSizeGi: 0, storageClass: ''}"},
	{"Template", "an operating system of another word", "spec: {displayName: a, image: cirros, sourceType: container, osType: Linux/BSD}"},
	{"Template", "a disk image by URL", "spec: {displayName: a, image: 'http://mirror.example.com/a.qcow2', sourceType: qcow2}"},
	{"Template", "a disk image in a registry", "spec: {displayName: a, image: 'docker://quay.io/a/b', sourceType: qcow2}"},
	{"Template", "a registry with a port", "spec: {displayName: a, image: 'registry.example.com:5000/a/b@sha256:0000000000000000000000000000000000000000000000000000000000000000', sourceType: container}"},

	{"Network", "minimal", "spec: {name: '', networkType: isolated, cidr: 10.0.0.0/16}"},
	{"Network", "every field", "spec: {name: Web, networkType: isolated, cidr: 10.0.1.0/24, gateway: 10.0.1.254, vpcRef: {name: default}, tags: [a], " + oldImport + "}\nstatus: {phase: Ready, nadNamespace: virtfoundry-tenant-acme, nadName: web}"},
	{"Network", "the platform's shared network", "spec: {name: public, networkType: shared, cidr: 10.0.50.0/24, gateway: 10.0.50.254}"},
	{"Network", "addresses from outside", "spec: {name: public, networkType: shared, cidr: '', gateway: '', vpcRef: {name: ''}}"},
	{"Network", "the smallest range", "spec: {name: a, networkType: isolated, cidr: 10.0.0.0/30, gateway: 10.0.0.1}"},
	{"Network", "a public range", "spec: {name: a, networkType: isolated, cidr: 8.0.0.0/7}"},
	{"Network", "IPv6", "spec: {name: a, networkType: isolated, cidr: 'fd00:1::/64', gateway: 'fd00:1:0::1'}"},
	{"Network", "IPv6 link-local", "spec: {name: a, networkType: isolated, cidr: 'fe80::/64'}"},

	{"VPC", "minimal", "spec: {name: '', cidr: ''}"},
	{"VPC", "every field", "spec: {name: Default, cidr: 10.0.0.0/16, tags: [a], " + oldImport + "}\nstatus: {phase: Ready, namespace: virtfoundry-vpc-acme-0123abcd}"},

	{"IPAddress", "minimal", "spec: {networkRef: {name: web}}"},
	{"IPAddress", "every field", "spec: {networkRef: {name: web}, address: 10.0.1.7}\nstatus: {instanceNicRef: web-1/lan}"},
	{"IPAddress", "to be allocated", "spec: {networkRef: {name: web}, address: ''}"},
	{"IPAddress", "IPv6", "spec: {networkRef: {name: web}, address: 'fd00::7'}"},

	{"Disk", "minimal", "spec: {name: '', sizeGi: 1}"},
	{"Disk", "every field", "spec: {name: Data, sizeGi: 20, storageClass: longhorn, instanceRef: {name: web-1}}\nstatus: {pvcName: web-1-data}"},
	{"Disk", "words left empty", "spec: {name: a, sizeGi: 1048576, storageClass: '', instanceRef: {name: ''}}"},
	{"DiskSnapshot", "minimal", "spec: {name: '', diskRef: {name: a}}"},
	{"DiskSnapshot", "every field", "spec: {name: a, diskRef: {name: a}}\nstatus: {phase: Ready, volumeSnapshotName: a}"},
	{"InstanceSnapshot", "minimal", "spec: {name: '', instanceRef: {name: a}}"},
	{"InstanceSnapshot", "every field", "spec: {name: a, instanceRef: {name: a}}\nstatus: {phase: Failed, kubevirtSnapshotName: a}"},

	{"SSHKey", "minimal", "spec: {publicKey: " + goodKey + "}"},
	{"SSHKey", "a line of a file", "spec: {publicKey: \"" + goodKey + " alice@acme laptop\\n\"}\nstatus: {fingerprint: 'SHA256:abc'}"},
	{"SSHKey", "a block of YAML", "spec:\n  publicKey: |\n\n    " + goodKey + "\n\n"},
	{"SSHKey", "RSA", "spec: {publicKey: ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7/+x== a}"},
	{"SSHKey", "a security key", "spec: {publicKey: sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t}"},
	{"SSHKey", "elliptic curve", "spec: {publicKey: ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY=}"},
	{"SSHKey", "options", "spec: {publicKey: 'restrict,command=\"/bin/true x\" " + goodKey + "'}"},

	{"SecurityGroup", "minimal", "spec: {name: ''}"},
	{"SecurityGroup", "every field", "spec: {name: Web, description: a, vpcRef: {name: default}, tags: [a], rules: [{direction: ingress, protocol: tcp, portFrom: 80, portTo: 443, cidr: 0.0.0.0/0}, {direction: egress, protocol: udp, portFrom: 53, cidr: '::/0'}]}\nstatus: {networkPolicyName: sg-0123abcd}"},
	{"SecurityGroup", "ports left out or zero", "spec: {name: a, rules: [{direction: ingress, protocol: tcp, cidr: 10.0.0.5/8}, {direction: ingress, protocol: tcp, portFrom: 0, portTo: 0, cidr: 10.0.0.0/8}, {direction: ingress, protocol: udp, portFrom: 22, portTo: 0, cidr: 10.0.0.0/8}, {direction: ingress, protocol: tcp, portTo: 0, cidr: 10.0.0.0/8}]}"},
	{"SecurityGroup", "every port", "spec: {name: a, rules: [{direction: egress, protocol: tcp, portFrom: 0, portTo: 65535, cidr: 0.0.0.0/0}, {direction: egress, protocol: tcp, portFrom: 65535, portTo: 65535, cidr: 0.0.0.0/0}]}"},
	{"SecurityGroup", "ports of icmp", "spec: {name: a, rules: [{direction: ingress, protocol: icmp, portFrom: -1, portTo: -1, cidr: 0.0.0.0/0}, {direction: ingress, protocol: icmp, portFrom: 8, portTo: 0, cidr: 0.0.0.0/0}]}"},

	{"User", "minimal", "spec: {username: '', roleRef: {name: r}, secretRef: {name: vf-user-alice}}"},
	{"User", "every field", "spec: {username: alice, email: 'alice@acme.example', roleRef: {name: admin}, tenantRef: {name: acme}, state: enabled, secretRef: {name: vf-user-alice, key: password_hash}}" + oldStatus + "}"},
	{"User", "words of its own", "spec: {username: root, email: none, roleRef: {name: r}, state: 'Frozen!', secretRef: {name: s, key: ''}}"},
	{"Role", "minimal", "spec: {}"},
	{"Role", "every field", "spec: {description: a, isSystem: true, permissions: ['*', 'instances:read', '', 'instances:read']}" + oldStatus + "}"},
	{"APIKey", "minimal", "spec: {userRef: {name: u}, name: '', prefix: '', secretRef: {name: vf-apikey-a}}"},
	{"APIKey", "every field", "spec: {userRef: {name: u}, name: a, prefix: vf_, scopes: ['*'], expiresAt: '2027-01-01T00:00:00Z', secretRef: {name: s, key: secret_hash}}\nstatus: {lastUsedAt: '2026-01-01T00:00:00Z', revokedAt: '2026-01-02T00:00:00.123+01:00'}"},
}
