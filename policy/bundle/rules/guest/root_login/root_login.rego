# METADATA
# title: Root does not log in by SSH
# description: |
#   disable_root is true in the user data in force, and nothing undoes it: options that give root a session, keys for
#   root from whatever source, PermitRootLogin yes, configuration below /etc/cloud. A setting of sshd that takes keys
#   from elsewhere may let root in, so it is unknown; so is disable_root where it is left to the image.
# custom:
#   id: GST-003
#   topic: cloud-init-root
#   severity: high
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance]
#   enforces: [admission, plan]
#   warns: [Instance]
#   controls:
#     - id: ac-3
#       statements: [ac-3_smt]
#       objectives: [ac-3_obj]
#     - id: ac-6.5
#       statements: [ac-6.5_smt]
#       objectives: [ac-6.5_obj]
#     - id: cm-6
#       statements: [cm-6_smt.b]
#       objectives: [cm-6_obj.b]
#   remediation: "Put disable_root: true into the user data, and give keys to a user other than root."
package cato.rules.guest.root_login

import data.cato.lib.guest
import data.cato.lib.result

# METADATA
# description: All that configures the guest together, so that a volume that is missing is missed.
judged contains "guest" if not guest.unconfigured

# METADATA
# description: Everything was read, and all of it keeps root out.
report contains result.pass("guest", {"guest": input.guest}) if {
	_proven
	every credential in input.guest.accessCredentials {
		_spares_root(credential)
	}
}

# METADATA
# description: What lets root in.
report contains result.fail("guest", $"{fault.seed.path} {fault.problem}", {"userData": fault.seed}) if {
	not _proven
	some fault in _faults
}

# METADATA
# description: Keys that the guest agent writes for root.
report contains result.fail("guest", message, {"credential": credential}) if {
	some credential in input.guest.accessCredentials
	"root" in credential.users
	message := $"{credential.path} gives root the keys of Secret {credential.secret}"
}

# METADATA
# description: What could not be read, or is neither shown to keep root out nor to let it in.
report contains result.unknown("guest", reason) if {
	not _proven
	some reason in _doubts
}

# METADATA
# description: Nothing that this rule reads configures the guest.
report contains result.not_applicable("a windows guest without cloud-init") if guest.unconfigured

# User data that is proven has neither fault nor doubt, so that these are looked for only where it is not.
_proven if {
	guest.read
	every seed in input.guest.userData {
		_shut(seed.decoded)
	}
}

_doubts contains reason if {
	not guest.unconfigured
	some reason in guest.blind
}

_doubts contains $"{seed.path} does not show that root is kept out: {_doubt(seed.decoded)}" if {
	some seed in input.guest.userData
	not _shut(seed.decoded)
	not seed in {fault.seed | some fault in _faults}
}

_shut(decoded) if {
	decoded.disableRoot == "true"
	decoded.disableRootOpts in {"unset", "blocks"}
	decoded.rootKeys == []
	decoded.sshd == []
	decoded.nested == []
	every user in decoded.users {
		user.root == false
	}
}

_shut(decoded) if {
	decoded.disableRoot == "true"
	decoded.disableRootOpts in {"unset", "blocks"}
	decoded.rootKeys == []
	every user in decoded.users {
		_without_root_keys(user)
	}
	every setting in decoded.sshd {
		_harmless(setting)
	}
	every nested in decoded.nested {
		nested.disableRoot in {"true", "unset"}
		nested.disableRootOpts in {"unset", "blocks"}
	}
}

_without_root_keys(user) if user.root == false

_without_root_keys(user) if {
	user.root == true
	user.keys == 0
	user.importsKeys == false
}

_harmless(setting) if guest.keeps(setting)

_harmless(setting) if {
	setting.effect == "weakens"
	setting.keyword in guest.password_settings
}

_spares_root(credential) if credential.kind == "userPassword"

_spares_root(credential) if {
	credential.kind == "sshPublicKey"
	every user in credential.users {
		user != "root"
	}
}

_faults contains {"seed": seed, "problem": $"{seed.decoded.disableRootPath} lets root in: disable_root is false"} if {
	some seed in input.guest.userData
	seed.decoded.disableRoot == "false"
}

_faults contains {"seed": seed, "problem": "disable_root_opts do not end a session of root"} if {
	some seed in input.guest.userData
	seed.decoded.disableRootOpts == "permits"
}

_faults contains {"seed": seed, "problem": $"{place.path} lets root in ({place.kind})"} if {
	some seed in input.guest.userData
	some place in seed.decoded.rootKeys
}

_faults contains {"seed": seed, "problem": $"{user.path} gives root authorized keys"} if {
	some seed in input.guest.userData
	some user in seed.decoded.users
	user.root == true
	user.keys > 0
}

_faults contains {"seed": seed, "problem": $"{setting.path} writes {setting.keyword} {setting.value} for sshd"} if {
	some seed in input.guest.userData
	some setting in seed.decoded.sshd
	setting.effect == "weakens"
	setting.keyword == "permitrootlogin"
}

_faults contains {"seed": seed, "problem": $"{nested.path} lets root in by {nested.file}"} if {
	some seed in input.guest.userData
	some nested in seed.decoded.nested
	nested.disableRoot == "false"
}

_doubt(decoded) := "disable_root is left to the image" if {
	decoded.disableRoot == "unset"
} else := "a setting of sshd or cloud-init bears on it"
