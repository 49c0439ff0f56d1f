# METADATA
# title: Guest configuration
# description: |
#   What rules on the guest have in common: whether anything configures the guest at its first boot, and whether all of
#   it could be read. The facts list a running instance's user data only where it differs from the template's.
package cato.lib.guest

# METADATA
# description: A windows guest that neither cloud-init nor KubeVirt configures; its answer file is another matter.
unconfigured if {
	input.guest.osType == "windows"
	input.guest.userData == []
	input.guest.accessCredentials == []
	input.guest.otherSeeds == []
}

# METADATA
# description: All that configures the guest was read.
read if {
	input.guest.userData != []
	input.network.launchers != []
	every launcher in input.network.launchers {
		launcher.name in input.guest.seeded
	}
	input.guest.otherSeeds == []
	every seed in input.guest.userData {
		seed.decoded.unread == []
	}
}

# METADATA
# description: What is not known of the guest's configuration, in sentences.
blind contains $"{seed.path} {note.part}: {note.reason}" if {
	some seed in input.guest.userData
	some note in seed.decoded.unread
}

blind contains $"{seed.path}: {seed.reason}" if {
	some seed in input.guest.otherSeeds
}

blind contains $"{launcher.path} has no cloud-init user data: what the guest does is left to its image" if {
	some launcher in input.network.launchers
	not launcher.name in input.guest.seeded
}

# METADATA
# description: Settings of sshd that decide whether a password opens a session.
password_settings := {
	"passwordauthentication",
	"kbdinteractiveauthentication",
	"permitemptypasswords",
	"authenticationmethods",
}

# METADATA
# description: Settings of sshd that decide whose keys open a session, and never whether a password does.
key_settings := {
	"authorizedkeysfile",
	"authorizedkeyscommand",
	"trustedusercakeys",
	"authorizedprincipalsfile",
	"authorizedprincipalscommand",
	"hostbasedauthentication",
}

# METADATA
# description: A setting that takes no guard away.
keeps(setting) if setting.effect in {"hardens", "other"}
