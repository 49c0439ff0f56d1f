# METADATA
# title: Integrity
# description: |
#   What counts as evidence of content: a digest of an approved hash function. MD5 and SHA-1 are none
#   (NIST SP 800-131A Rev. 2, section 9: SHA-1 disallowed where collisions matter; MD5 was never approved).
package cato.lib.integrity

# METADATA
# description: The hash functions that CDI or a container runtime compares and that are approved.
approved := {"sha256", "sha384", "sha512"}

# METADATA
# description: A well-formed checksum of an approved hash function.
checksum(sum) if {
	sum.valid == true
	sum.algorithm in approved
	sum.digest > ""
}

# METADATA
# description: A well-formed image reference that is pinned by an approved digest; a tag beside it is ignored by runtimes.
reference(image) if {
	image.valid == true
	image.algorithm in approved
	image.digest > ""
}

# METADATA
# description: What is wrong with a checksum, in words that follow its name; undefined for a good one.
checksum_problem(sum) := sum.problem if {
	sum.valid == false
	sum.problem != ""
} else := "is not algorithm:digest" if {
	sum.valid == false
} else := $"is of {sum.algorithm}, which is no approved hash function" if {
	sum.valid == true
	not sum.algorithm in approved
}

# METADATA
# description: What is wrong with an image reference, in words that follow its name; undefined for a good one.
reference_problem(image) := image.problem if {
	image.valid == false
	image.problem != ""
} else := "is no image reference" if {
	image.valid == false
} else := "names no digest: a tag can be moved to other content" if {
	image.valid == true
	image.algorithm == ""
} else := $"has a digest of {image.algorithm}, which is no approved hash function" if {
	image.valid == true
	not image.algorithm in approved
}

# METADATA
# description: |
#   What a DataVolume asks for is what its claim holds only if CDI made the claim for this very DataVolume and
#   filled it itself.
own(step) if {
	step.claimOwned == true
	step.filledElsewhere == false
	step.claimName in {"", step.name}
}

# METADATA
# description: No clone is older than what it is said to be a clone of. RFC 3339 in UTC sorts as text.
in_order(lineage) if {
	every pair in [[lineage[at - 1], step] | some at, step in lineage; at > 0] {
		is_string(pair[1].createdAt)
		pair[1].createdAt <= pair[0].createdAt
	}
}

# METADATA
# description: Why a lineage does not show what the disk holds; undefined where nothing speaks against it.
untied(lineage) := reasons[0] if {
	reasons := [reason | some step in lineage; reason := _untied(step)]
} else := "a clone is older than what it is said to be a clone of: what it was made from is not known" if {
	not in_order(lineage)
}

_untied(step) := $"DataVolume {step.namespace}/{step.name} takes a claim that was filled elsewhere: nothing was imported" if {
	step.filledElsewhere == true
} else := $"the claim of DataVolume {step.namespace}/{step.name} is not known to be its own: what it holds is not known" if {
	not own(step)
}

# METADATA
# description: Why nothing could have compared an import, in words that follow its name; empty where something could.
unverifiable(origin) := {$"imports {origin.url} without a checksum: nothing compared it"} if {
	origin.source == "http"
	origin.checksum == []
} else := {"pulls by the node, where CDI ignores the checksum"} if {
	origin.source == "http"
	origin.pullMethod == "node"
} else := {"was uploaded, and nothing compared what was sent"} if {
	origin.source == "upload"
	_uploads_unseen(origin)
} else := {$"has a source {origin.source}, for which CDI compares nothing"} if {
	origin.source in {"s3", "gcs", "imageio", "vddk"}
} else := {$"imports {image.text}, which {problem}" |
	origin.source == "registry"
	some image in origin.image
	problem := reference_problem(image)
}

_uploads_unseen(origin) if origin.checksum == []

_uploads_unseen(_) if input.cluster.cdiUploadChecksum == false
