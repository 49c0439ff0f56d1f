# METADATA
# title: An SSH key is strong enough to log in with
# description: |
#   The key can be read and is of an algorithm and a size that NIST SP 800-131A revision 2 and FIPS 186-5 accept: Ed25519,
#   ECDSA on P-256, P-384 or P-521, both also of a security key, or RSA of at least 2048 bits. DSA was withdrawn, and
#   smaller RSA gives less than 112 bits of security.
# custom:
#   id: KEY-001
#   topic: ssh-key-strength
#   severity: high
#   subjects: [SSHKey]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ia-5, statements: [ia-5_smt.c], objectives: [ia-5_obj.c]}
#     - {id: sc-13, statements: [sc-13_smt.b], objectives: [sc-13_obj.b]}
#   remediation: |
#     Make another pair, for example with ssh-keygen -t ed25519, or -t rsa -b 3072 where the guest knows no other, and
#     store the line of its .pub file in spec.publicKey.
package cato.rules.account.ssh_key

import data.cato.lib.result

# METADATA
# description: There is one key.
judged := {"publicKey"}

# METADATA
# description: The type alone tells that the key is strong.
report contains result.pass("publicKey", {"key": key}) if {
	some key in input.object.sshKey
	key.valid == true
	key.type in _strong
}

# METADATA
# description: The modulus is large enough.
report contains result.pass("publicKey", {"key": key}) if {
	some key in input.object.sshKey
	key.valid == true
	key.type == "ssh-rsa"
	key.bits >= _least_rsa
}

# METADATA
# description: The key cannot be read.
report contains result.fail("publicKey", $"spec.publicKey {key.problem}", {"key": key}) if {
	some key in input.object.sshKey
	key.valid == false
}

# METADATA
# description: The modulus is small.
report contains result.fail("publicKey", $"spec.publicKey is an RSA key of {key.bits} bits, and needs 2048", {"key": key}) if {
	some key in input.object.sshKey
	key.valid == true
	key.type == "ssh-rsa"
	key.bits < _least_rsa
}

# METADATA
# description: The algorithm is withdrawn, or none that is known to be strong.
report contains result.fail("publicKey", $"spec.publicKey is a key of type {key.type}, which is not accepted", {"key": key}) if {
	some key in input.object.sshKey
	key.valid == true
	not key.type in _strong
	key.type != "ssh-rsa"
}

_least_rsa := 2048

_strong := {
	"ssh-ed25519",
	"sk-ssh-ed25519@openssh.com",
	"ecdsa-sha2-nistp256",
	"ecdsa-sha2-nistp384",
	"ecdsa-sha2-nistp521",
	"sk-ecdsa-sha2-nistp256@openssh.com",
}
