# METADATA
# title: What a disk is asked to hold
# description: |
#   An Instance's disk is imported once, and its Template may change afterwards. Nothing that a tenant cannot write tells
#   which of two different contents was asked for when it was made; so only what the Template asks for now is evidence.
package cato.lib.asked

# METADATA
# description: Of an Instance, the origin of a disk has the digest that its Template asks for; of others there is no Template.
by_template(origin) if {
	every instance in input.object.instance {
		_wanted(instance) != set()
		_wanted(instance) == _held(origin)
	}
}

# METADATA
# description: |
#   Why the Template does not vouch for a disk, in words that start with what happened; undefined where it does.
#   DataVolumes are objects of the tenant's namespace: one may have been deleted and made anew, of other content.
otherwise(origin) := message if {
	some instance in input.object.instance
	_wanted(instance) != _held(origin)
	message := concat(" ", [
		$"SourceChanged: DataVolume {origin.namespace}/{origin.name} was made of other content than the Template asks for now:",
		"the Template has changed since, or the DataVolume was made anew; a new Instance has the Template's content",
	])
}

# The Template that the Instance boots from is the first of those of its name.
_wanted(instance) := {[digest.algorithm, digest.digest] |
	some at, template in instance.templates
	at == 0
	template.sourceType in {"iso", "qcow2"}
	some digests in [template.checksum, template.import]
	some digest in digests
}

_held(origin) := {[digest.algorithm, digest.digest] |
	some digests in [origin.checksum, origin.image]
	some digest in digests
}
