# METADATA
# title: Sources of other namespaces
# description: |
#   A machine may take content from another namespace, which is then read and cloned with the operator's rights and not
#   with those of who asks (CWE-441, confused deputy). The ComplianceProfile lists the namespaces, for the namespaces
#   that it selects; disk images may also come from a namespace that is labelled as a golden catalogue.
# custom:
#   source: ComplianceProfile spec.parameters.grants.crossNamespaceSources, or for disk images the label cato.dev/golden-catalogue=true on the source namespace
#   on_refusal: refuse
#   subjects: [UDSVirtualMachine]
package cato.grants.cross_namespace_source

# METADATA
# description: Given only when something lies in another namespace and all of it is granted.
given contains {
	"because": "each source lies in a namespace that the profile lists, or is an image of a golden catalogue",
	"evidence": {"foreign": input.foreign, "grants": input.params.grants.crossNamespaceSources},
} if {
	some _ in input.foreign
	every source in input.foreign {
		_granted(source)
	}
}

_granted(source) if {
	source.namespace != ""
	some grant in input.params.grants.crossNamespaceSources
	grant.selects == true
	source.namespace in grant.namespaces
}

_granted(source) if {
	source.kind in {"DataSource", "PersistentVolumeClaim", "VolumeSnapshot"}
	source.labels["cato.dev/golden-catalogue"] == "true"
}
