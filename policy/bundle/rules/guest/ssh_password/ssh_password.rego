# METADATA
# title: No SSH login by password
# description: |
#   The user data in force turns SSH password authentication off (ssh_pwauth false, after all parts are merged), and no
#   file that it writes for sshd or cloud-init turns it on again. Left to the image is not off. The template counts
#   beside the running instance.
# custom:
#   id: GST-001
#   topic: cloud-init-auth
#   severity: high
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance]
#   enforces: [admission, plan]
#   warns: [Instance]
#   controls:
#     - id: ia-5
#       statements: [ia-5_smt.c]
#       objectives: [ia-5_obj.c]
#     - id: cm-6
#       statements: [cm-6_smt.b]
#       objectives: [cm-6_obj.b]
#   remediation: "Put ssh_pwauth: false into the user data, and remove what turns passwords on for sshd."
package cato.rules.guest.ssh_password

import data.cato.lib.guest
import data.cato.lib.result

# METADATA
# description: All user data together, so that a volume that is missing is missed.
judged contains "guest" if not guest.unconfigured

# METADATA
# description: Everything was read, and all of it keeps passwords off.
report contains result.pass("guest", {"userData": input.guest.userData}) if _proven

# METADATA
# description: What turns passwords on, or leaves them to the image.
report contains result.fail("guest", $"{fault.seed.path} {fault.problem}", {"userData": fault.seed}) if {
	not _proven
	some fault in _faults
}

# METADATA
# description: What could not be read, or is neither shown to be off nor on.
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
		_off(seed.decoded)
	}
}

_doubts contains reason if {
	not guest.unconfigured
	some reason in guest.blind
}

_doubts contains $"{seed.path} does not show whether SSH takes passwords" if {
	some seed in input.guest.userData
	not _off(seed.decoded)
	not seed in {fault.seed | some fault in _faults}
}

_off(decoded) if {
	decoded.sshPasswordAuth == "disabled"
	decoded.sshd == []
	decoded.nested == []
}

_off(decoded) if {
	decoded.sshPasswordAuth == "disabled"
	every setting in decoded.sshd {
		_harmless(setting)
	}
	every nested in decoded.nested {
		nested.sshPasswordAuth in {"disabled", "unset", "unchanged"}
	}
}

_harmless(setting) if guest.keeps(setting)

_harmless(setting) if {
	setting.effect == "weakens"
	setting.keyword in (guest.key_settings | {"permitrootlogin"})
}

_faults contains {"seed": seed, "problem": $"{seed.decoded.sshPasswordAuthPath} turns SSH password logins on"} if {
	some seed in input.guest.userData
	seed.decoded.sshPasswordAuth == "enabled"
}

_faults contains {"seed": seed, "problem": $"leaves SSH password logins to the image (ssh_pwauth is {state})"} if {
	some seed in input.guest.userData
	state := seed.decoded.sshPasswordAuth
	state in {"unset", "unchanged", "invalid"}
	seed.decoded.unread == []
	not _drop_in(seed.decoded)
}

_faults contains {"seed": seed, "problem": problem} if {
	some seed in input.guest.userData
	some setting in seed.decoded.sshd
	setting.effect == "weakens"
	setting.keyword in guest.password_settings
	problem := $"{setting.path} writes {setting.keyword} {setting.value} for sshd"
}

_faults contains {"seed": seed, "problem": $"{nested.path} turns SSH password logins on by {nested.file}"} if {
	some seed in input.guest.userData
	some nested in seed.decoded.nested
	nested.sshPasswordAuth == "enabled"
}

# Whether sshd reads it first depends on the image, so it is no proof; but nothing is simply left to the image.
_drop_in(decoded) if {
	some setting in decoded.sshd
	setting.keyword == "passwordauthentication"
	setting.effect == "hardens"
	setting.inMatch == false
}
