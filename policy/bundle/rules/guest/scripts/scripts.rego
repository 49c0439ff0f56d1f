# METADATA
# title: No script changes how users log in
# description: |
#   Scripts, runcmd, bootcmd and written files show that they set no password and leave sshd's settings alone. What is
#   fetched, encoded, binary or made up of pieces does not show it, nor does what changes PAM or cloud-init itself.
#   Locking a password and turning a login off are welcome.
# custom:
#   id: GST-004
#   topic: cloud-init-auth
#   severity: medium
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance]
#   enforces: [admission, plan]
#   warns: [Instance]
#   on_unknown: report
#   controls:
#     - id: ia-5
#       statements: [ia-5_smt.c]
#       objectives: [ia-5_obj.c]
#     - id: cm-6
#       statements: [cm-6_smt.b]
#       objectives: [cm-6_obj.b]
#   remediation: Leave passwords and sshd to cloud-config, and write out what a script does instead of fetching or encoding it.
package cato.rules.guest.scripts

import data.cato.lib.result
import data.cato.lib.scripts

# METADATA
# description: All scripts together, so that one that is missing is missed.
judged contains "scripts" if not scripts.none

# METADATA
# description: Every script shows that it leaves logins alone.
report contains result.pass("scripts", {"userData": input.guest.userData}) if {
	not scripts.none
	_all_harmless
}

# METADATA
# description: A script that sets passwords or changes sshd.
report contains result.fail("scripts", message, {"script": script}) if {
	not _all_harmless
	some seed in input.guest.userData
	some script in seed.decoded.scripts
	some touch in script.touches
	touch in {"password", "sshd"}
	message := $"{seed.path} {script.path} ({script.origin}) touches {touch}"
}

# METADATA
# description: A script that does not show what it does.
report contains result.unknown("scripts", $"{seed.path} {script.path} ({script.origin}): {scripts.doubt(script)}") if {
	not _all_harmless
	some seed in input.guest.userData
	some script in seed.decoded.scripts
	not _harmless(script)
}

# METADATA
# description: No script runs.
report contains result.not_applicable("the user data runs no script") if scripts.none

# Where every script is harmless nothing is left to find.
_all_harmless if scripts.idle

_all_harmless if {
	every seed in input.guest.userData {
		every script in seed.decoded.scripts {
			_harmless(script)
		}
	}
}

_harmless(script) if {
	script.opaque == []
	every touch in script.touches {
		touch in scripts.harmless
	}
	_leaves_passwd_file(script)
}

# A whole account file may hold an empty password; a command that adds an account shows one if it sets one.
_leaves_passwd_file(script) if not "accounts" in script.touches

_leaves_passwd_file(script) if script.file == ""
