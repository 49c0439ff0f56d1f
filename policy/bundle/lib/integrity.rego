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
