# METADATA
# title: No password is set
# description: |
#   Nothing that configures the guest gives anybody a usable password, as text, as hash or made up at boot, by
#   whatever mechanism: users, chpasswd, password, configuration below /etc/cloud, KubeVirt's access credentials.
#   No account is unlocked, since its password would be the image's.
# custom:
#   id: GST-002
#   topic: cloud-init-auth
#   severity: high
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance]
#   enforces: [admission, plan]
#   warns: [Instance]
#   controls:
#     - id: ia-5
#       statements: [ia-5_smt.c, ia-5_smt.g]
#       objectives: [ia-5_obj.c, ia-5_obj.g]
#   remediation: Remove the password, give the user ssh_authorized_keys instead, and leave lock_passwd true.
package cato.rules.guest.no_password

import data.cato.lib.guest
import data.cato.lib.result

# METADATA
# description: All that configures the guest together, so that a volume that is missing is missed.
judged contains "guest" if not guest.unconfigured

# METADATA
# description: Everything was read, and none of it sets a password.
report contains result.pass("guest", {"guest": input.guest}) if _proven

# METADATA
# description: A password that somebody may log in with.
report contains result.fail("guest", message, {"password": password, "userData": seed}) if {
	not _proven
	some seed in input.guest.userData
	some password in seed.decoded.passwords
	password.usable == true
	message := $"{seed.path} {password.path} sets a usable password ({password.mechanism}, {password.kind})"
}

# METADATA
# description: A password that KubeVirt sets through the guest agent.
report contains result.fail("guest", message, {"credential": credential}) if {
	not _proven
	some credential in input.guest.accessCredentials
	credential.kind == "userPassword"
	message := $"{credential.path} sets passwords from Secret {credential.secret}"
}

# METADATA
# description: What could not be read, and an account that has the password that the image gives it.
report contains result.unknown("guest", reason) if {
	not _proven
	some reason in _doubts
}

# METADATA
# description: Nothing that this rule reads configures the guest.
report contains result.not_applicable("a windows guest without cloud-init") if guest.unconfigured

# Whatever is proven has neither fault nor doubt, so that these are looked for only where it is not.
_proven if {
	guest.read
	every seed in input.guest.userData {
		_keyed(seed.decoded)
	}
	every credential in input.guest.accessCredentials {
		credential.kind == "sshPublicKey"
	}
}

# An account that is not locked has the password that the image gives it.
_doubts contains $"{seed.path} {user.path} does not lock the password of the account: the image may have one" if {
	some seed in input.guest.userData
	some user in seed.decoded.users
	user.locked == false
}

# Whether the image makes a default user in spite of the list depends on its own configuration.
_doubts contains $"{seed.path} {password.path} is for a default user, which the list of users leaves out" if {
	some seed in input.guest.userData
	some password in seed.decoded.passwords
	_for_nobody(password, seed.decoded)
}

_for_nobody(password, decoded) if {
	decoded.defaultUser == "dropped"
	password.mechanism == "password"
	password.kind != "empty"
}

_doubts contains reason if {
	not guest.unconfigured
	some reason in guest.blind
}

_keyed(decoded) if {
	decoded.passwords == []
	every user in decoded.users {
		user.locked == true
	}
}

_keyed(decoded) if {
	every password in decoded.passwords {
		password.usable == false
		not _for_nobody(password, decoded)
	}
	every user in decoded.users {
		user.locked == true
	}
}
