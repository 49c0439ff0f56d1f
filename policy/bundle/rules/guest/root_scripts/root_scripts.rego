# METADATA
# title: No script lets root log in
# description: |
#   Scripts, runcmd, bootcmd and written files show that they give root no keys and leave its login alone. A change of
#   sshd's settings, of an account that may get root's number or home, of PAM or of cloud-init itself does not show it, nor
#   does what is fetched, encoded, binary or made up of pieces.
# custom:
#   id: GST-005
#   topic: cloud-init-root
#   severity: medium
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance]
#   enforces: [admission, plan]
#   warns: [Instance]
#   on_unknown: report
#   controls:
#     - id: ac-3
#       statements: [ac-3_smt]
#       objectives: [ac-3_obj]
#     - id: ac-6.5
#       statements: [ac-6.5_smt]
#       objectives: [ac-6.5_obj]
#   remediation: Give keys to users by cloud-config and not to root, and write out what a script does instead of fetching or encoding it.
package cato.rules.guest.root_scripts

import data.cato.lib.result
import data.cato.lib.scripts

# METADATA
# description: All scripts together, so that one that is missing is missed.
judged contains "scripts" if not scripts.none

# METADATA
# description: Every script shows that it leaves root alone.
report contains result.pass("scripts", {"userData": input.guest.userData}) if {
	not scripts.none
	_all_harmless
}

# METADATA
# description: A script that gives root keys.
report contains result.fail("scripts", message, {"script": script}) if {
	not _all_harmless
	some seed in input.guest.userData
	some script in seed.decoded.scripts
	"root-keys" in script.touches
	message := $"{seed.path} {script.path} ({script.origin}) touches root's keys"
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
		touch in ((scripts.harmless | {"password"}) - {"root-account", "root-keys"})
	}
}
