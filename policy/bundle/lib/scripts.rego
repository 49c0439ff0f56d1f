# METADATA
# title: Scripts of the user data
# description: What rules on scripts have in common.
package cato.lib.scripts

# METADATA
# description: |
#   All user data was decoded, and none of it runs a script. Without any user data there is none either: what the
#   image does is for other rules to say.
none if {
	every seed in input.guest.userData {
		seed.decoded.scripts == []
	}
}

# METADATA
# description: Every script shows what it does, and it touches nothing that bears on logins.
idle if {
	every seed in input.guest.userData {
		every script in seed.decoded.scripts {
			script.opaque == []
			script.touches == []
		}
	}
}

# METADATA
# description: What a script may touch without any bearing on how users log in.
harmless := {"password-lock", "sshd-harden", "user-keys", "root-keys", "accounts", "root-account", "sudoers"}

# METADATA
# description: Why a script proves nothing, in words.
doubt(script) := $"it is {concat(", ", script.opaque)}, so it does not show what it does" if {
	script.opaque != []
	_words(script.opaque)
} else := $"it touches {concat(", ", script.touches)}" if {
	_words(script.touches)
} else := "what it does is not known"

_words(list) if {
	is_array(list)
	every word in list {
		is_string(word)
	}
}
