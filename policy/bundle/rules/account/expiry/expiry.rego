# METADATA
# title: An API key ends, and soon enough
# description: |
#   The key has an end, has not ended yet, and ends no later than 365 days after it was made. One that has ended is a
#   finding too: whether the REST API still takes it is not for Cato to know, so it is to be deleted.
# custom:
#   id: ACC-001
#   topic: api-key-expiry
#   severity: high
#   subjects: [APIKey]
#   always_applies: true
#   controls:
#     - {id: ia-5, statements: [ia-5_smt.f], objectives: [ia-5_obj.f]}
#     - {id: ac-2.3, statements: [ac-2.3_smt.a], objectives: [ac-2.3_obj.a]}
#   remediation: |
#     Set spec.expiresAt to at most 365 days after the key was made, such as 2027-06-30T00:00:00Z; delete a key that has ended
#     and make another one.
package cato.rules.account.expiry

import data.cato.lib.result

# METADATA
# description: There is one key.
judged := {"expiresAt"}

# METADATA
# description: It ends within its time.
report contains result.pass("expiresAt", {"key": key}) if {
	some key in input.object.apiKey
	_readable(key)
	key.left >= 0
	key.lifetime <= _longest
}

# METADATA
# description: It never ends.
report contains result.fail("expiresAt", "spec.expiresAt is not set, so that the key never ends", {"key": key}) if {
	some key in input.object.apiKey
	key.expires == false
}

# METADATA
# description: Nobody can tell when it ends.
report contains result.fail("expiresAt", "spec.expiresAt is no time that can be read", {"key": key}) if {
	some key in input.object.apiKey
	key.valid == false
}

# METADATA
# description: It has ended.
report contains result.fail("expiresAt", $"the key ended at {key.expiresAt}", {"key": key}) if {
	some key in input.object.apiKey
	_readable(key)
	key.left < 0
}

# METADATA
# description: It ends too late.
report contains result.fail("expiresAt", $"the key ends at {key.expiresAt}, more than 365 days after it was made", {"key": key}) if {
	some key in input.object.apiKey
	_readable(key)
	key.lifetime > _longest
}

# In seconds.
_longest := (365 * 24) * 3600

_readable(key) if {
	key.expires == true
	key.valid == true
	is_number(key.left)
	is_number(key.lifetime)
}
