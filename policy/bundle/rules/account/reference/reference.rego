# METADATA
# title: An account stands for somebody
# description: |
#   A User names a Role that exists, in the namespace of its tenant or in that of the platform, and a Tenant that exists or
#   none. An APIKey names a User that exists: what acts for an account that is gone is nobody's.
# custom:
#   id: ACC-003
#   topic: account-reference
#   severity: medium
#   subjects: [User, APIKey]
#   always_applies: true
#   controls:
#     - {id: ac-2, statements: [ac-2_smt.d], objectives: [ac-2_obj.d]}
#     - {id: ac-2.3, statements: [ac-2.3_smt.b], objectives: [ac-2.3_obj.b]}
#   remediation: |
#     Create the Role, Tenant or User that is named, name one that exists by its metadata.name, or delete the account.
package cato.rules.account.reference

import data.cato.lib.known
import data.cato.lib.result

# METADATA
# description: The references are decided together, so that one that is missing cannot drop out.
judged := {"references"}

# METADATA
# description: The User's Role exists where it may lie, and the User is of no tenant.
report contains result.pass("references", {"user": user, "roles": input.accounts.roles}) if {
	input.object.apiKey == []
	some user in input.object.user
	_has_role(user)
	user.tenant == ""
}

# METADATA
# description: The User's Role exists where it may lie, and so does the Tenant.
report contains result.pass("references", {"user": user, "roles": input.accounts.roles, "tenants": input.accounts.tenants}) if {
	input.object.apiKey == []
	some user in input.object.user
	_has_role(user)
	_has_tenant(user)
}

# METADATA
# description: The key's User exists.
report contains result.pass("references", {"key": key, "users": input.accounts.users}) if {
	input.object.user == []
	some key in input.object.apiKey
	_has_user(key)
}

# METADATA
# description: There is no such Role.
report contains result.fail("references", $"spec.roleRef names Role {user.role}, which does not exist in {places}", {"user": user, "roles": input.accounts.roles}) if {
	some user in input.object.user
	known.whole("accounts.roles")
	is_array(input.accounts.roles)
	is_array(user.places)
	places := concat(" or ", user.places)
	not _has_role(user)
}

# METADATA
# description: There is no such Tenant.
report contains result.fail("references", $"spec.tenantRef names Tenant {user.tenant}, which does not exist", {"user": user, "tenants": input.accounts.tenants}) if {
	some user in input.object.user
	user.tenant != ""
	known.whole("accounts.tenants")
	is_array(input.accounts.tenants)
	not _has_tenant(user)
}

# METADATA
# description: There is no such User.
report contains result.fail("references", $"spec.userRef names User {key.user}, which does not exist", {"key": key, "users": input.accounts.users}) if {
	some key in input.object.apiKey
	known.whole("accounts.users")
	is_array(input.accounts.users)
	not _has_user(key)
}

_has_role(user) if {
	some role in input.accounts.roles
	role.name == user.role
	role.namespace in user.places
	role.deleting == false
}

_has_tenant(user) if {
	some tenant in input.accounts.tenants
	tenant.name == user.tenant
	tenant.deleting == false
}

_has_user(key) if {
	some user in input.accounts.users
	user.name == key.user
	user.deleting == false
}
