# METADATA
# title: The hash of a credential is where the account says
# description: |
#   The Secret that a User or an APIKey names exists and holds something under the key that is named. Only the names of its
#   keys are looked at, never a value.
# custom:
#   id: ACC-004
#   topic: account-secret
#   severity: medium
#   subjects: [User, APIKey]
#   always_applies: true
#   on_unknown: report
#   controls:
#     - {id: ia-5, statements: [ia-5_smt.b], objectives: [ia-5_obj.b]}
#   remediation: |
#     Create the Secret with the hash under the key that spec.secretRef names, in the namespace of the APIKey, or in
#     virtfoundry-system for a User, or name the one that exists.
package cato.rules.account.secret

import data.cato.lib.known
import data.cato.lib.result

# METADATA
# description: There is one reference.
judged := {"secretRef"}

# METADATA
# description: The key is there.
report contains result.pass("secretRef", {"reference": reference, "secret": secret}) if {
	some reference in _references
	some secret in input.accounts.secrets
	_named(secret, reference)
	reference.key in secret.keys
}

# METADATA
# description: There is no such Secret.
report contains result.fail("secretRef", $"Secret {reference.namespace}/{reference.name} does not exist", {"reference": reference}) if {
	some reference in _references
	known.whole("accounts.secrets")
	input.accounts.secrets == []
}

# METADATA
# description: The Secret has nothing under the key.
report contains result.fail(
	"secretRef",
	$"Secret {reference.namespace}/{reference.name} has nothing under key {reference.key}",
	{"reference": reference, "secret": secret},
) if {
	some reference in _references
	some secret in input.accounts.secrets
	_named(secret, reference)
	is_array(secret.keys)
	not reference.key in secret.keys
}

_references contains user.secret if some user in input.object.user

_references contains key.secret if some key in input.object.apiKey

_named(secret, reference) if {
	secret.namespace == reference.namespace
	secret.name == reference.name
}
