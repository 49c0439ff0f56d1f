# METADATA
# title: Permissions name what they permit
# description: |
#   No permission of a Role and no scope of an API key covers everything: none has a wildcard, none stands for an
#   administrator, and a key is limited by at least one scope. What a permission means is for the REST API to say; what is
#   judged is whether it is bounded at all.
# custom:
#   id: ACC-002
#   topic: account-privilege
#   severity: high
#   subjects: [Role, APIKey]
#   always_applies: true
#   controls:
#     - {id: ac-6, statements: [ac-6_smt], objectives: [ac-6_obj]}
#   remediation: |
#     List in spec.permissions or spec.scopes each resource with what may be done to it, such as instances:read, instead of
#     a wildcard or of a word for everything.
package cato.rules.account.privilege

import data.cato.lib.result

# METADATA
# description: The list is decided whole, so that an entry that is missing cannot drop out.
judged := {"permissions"}

# METADATA
# description: Each permission of the Role is bounded.
report contains result.pass("permissions", {"role": role}) if {
	input.object.apiKey == []
	some role in input.object.role
	every permission in role.permissions {
		_bounded(permission)
	}
}

# METADATA
# description: The key is limited, and each scope is bounded.
report contains result.pass("permissions", {"key": key}) if {
	input.object.role == []
	some key in input.object.apiKey
	key.scopes != []
	every permission in key.scopes {
		_bounded(permission)
	}
}

# METADATA
# description: A permission of the Role covers everything.
report contains result.fail("permissions", $"{permission.path} \"{permission.text}\" covers everything, or says nothing", {"permission": permission}) if {
	some role in input.object.role
	some permission in role.permissions
	not _bounded(permission)
}

# METADATA
# description: A scope covers everything.
report contains result.fail("permissions", $"{permission.path} \"{permission.text}\" covers everything, or says nothing", {"permission": permission}) if {
	some key in input.object.apiKey
	some permission in key.scopes
	not _bounded(permission)
}

# METADATA
# description: No scope limits the key.
report contains result.fail("permissions", "spec.scopes is empty, so that nothing limits the key to a part of what its User may do", {"key": key}) if {
	some key in input.object.apiKey
	key.scopes == []
}

_bounded(permission) if {
	permission.parts != []
	every part in permission.parts {
		_named(part)
	}
}

_named(part) if {
	is_string(part)
	not contains(part, "*")
	not part in _everything
}

_everything := {"all", "any", "admin", "administrator", "owner", "root", "superuser", "superadmin", "everything"}
