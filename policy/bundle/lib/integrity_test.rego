package cato.lib.integrity_test

import data.cato.lib.integrity

_checksum := {"path": "spec.checksum", "algorithm": "sha256", "digest": "ab", "valid": true, "problem": ""}

_image := {
	"text": "quay.io/a/b@sha256:ab",
	"valid": true,
	"problem": "",
	"registry": "quay.io",
	"path": ["a", "b"],
	"tag": "",
	"algorithm": "sha256",
	"digest": "ab",
}

test_checksum_of_each_approved_function if {
	every algorithm in integrity.approved {
		integrity.checksum(object.union(_checksum, {"algorithm": algorithm}))
	}
	integrity.approved == {"sha256", "sha384", "sha512"}
}

test_checksum_that_is_no_evidence if {
	every change in [{"algorithm": "md5"}, {"algorithm": "sha1"}, {"valid": false}, {"digest": ""}, {"valid": null}] {
		not integrity.checksum(object.union(_checksum, change))
	}
	every key in ["valid", "algorithm", "digest"] {
		not integrity.checksum(object.remove(_checksum, [key]))
	}
}

test_reference_by_digest if integrity.reference(_image)

test_reference_that_is_no_evidence if {
	every change in [{"algorithm": ""}, {"algorithm": "sha1"}, {"valid": false}, {"digest": ""}] {
		not integrity.reference(object.union(_image, change))
	}
}

test_checksum_problems if {
	integrity.checksum_problem(object.union(_checksum, {"valid": false, "problem": "has no algorithm"})) == "has no algorithm"
	integrity.checksum_problem(object.union(_checksum, {"valid": false})) == "is not algorithm:digest"
	integrity.checksum_problem(object.union(_checksum, {"algorithm": "md5"})) == "is of md5, which is no approved hash function"
	not integrity.checksum_problem(_checksum)
}

test_reference_problems if {
	integrity.reference_problem(object.union(_image, {"valid": false, "problem": "is odd"})) == "is odd"
	integrity.reference_problem(object.union(_image, {"valid": false})) == "is no image reference"
	integrity.reference_problem(object.union(_image, {"algorithm": "", "digest": ""})) == "names no digest: a tag can be moved to other content"
	integrity.reference_problem(object.union(_image, {"algorithm": "sha1"})) == "has a digest of sha1, which is no approved hash function"
	not integrity.reference_problem(_image)
}
