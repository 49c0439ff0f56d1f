# METADATA
# title: A Disk's snapshot has a driver that can make it
# description: |
#   The cluster serves VolumeSnapshots, the StorageClass of the Disk's volume is not local-path, and a VolumeSnapshotClass is
#   of its driver: the platform's storage.snapshotClass where it is set. Without, for longhorn the class longhorn is named;
#   else the driver's class is left to the cluster, so that there must be one alone or one default.
# custom:
#   id: STO-025
#   topic: snapshot-class
#   severity: medium
#   subjects: [DiskSnapshot]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: cp-9, statements: [cp-9_smt.a], objectives: [cp-9_obj.a]}
#   parameters: [snapshotClass]
#   remediation: |
#     Have the cluster's administrator install the CSI snapshot CRDs and controller and a VolumeSnapshotClass for the driver of
#     the Disk's StorageClass, or move the data to a Disk of a class that has them. An InstanceSnapshot needs KubeVirt alone.
package cato.rules.volume.snapclass

import data.cato.lib.known
import data.cato.lib.result

# METADATA
# description: There is one class.
judged := {"class"}

# METADATA
# description: The driver has one class, or one that is its default.
report contains result.pass("class", {"claim": claim, "classes": input.volume.classes, "snapshotClasses": input.volume.snapshotClasses}) if {
	input.cluster.volumeSnapshots == true
	some claim in input.volume.claims
	some class in input.volume.classes
	class.name == claim.class
	not _local(class)
	is_string(class.provisioner)
	_chosen(class)
	every one in input.volume.snapshotClasses {
		is_boolean(one.default)
		is_string(one.driver)
	}
	every snapshot in input.volume.snapshots {
		_named(snapshot, class)
	}
}

# METADATA
# description: The cluster has no snapshots of volumes.
report contains result.fail("class", "the cluster does not serve VolumeSnapshots (snapshot.storage.k8s.io/v1)", {"cluster": input.cluster}) if {
	input.cluster.volumeSnapshots == false
}

# METADATA
# description: The class keeps its volumes in folders of a node.
report contains result.fail("class", $"StorageClass {class.name} keeps volumes in folders of a node, of which there are no snapshots", {"class": class}) if {
	some claim in input.volume.claims
	some class in input.volume.classes
	class.name == claim.class
	_local(class)
}

# METADATA
# description: No class is of the driver.
report contains result.fail("class", $"no VolumeSnapshotClass is of driver {class.provisioner} of StorageClass {class.name}", {"class": class, "snapshotClasses": input.volume.snapshotClasses}) if {
	input.cluster.volumeSnapshots == true
	some claim in input.volume.claims
	some class in input.volume.classes
	class.name == claim.class
	not _local(class)
	is_array(input.volume.snapshotClasses)
	count(_candidates(class)) == 0
}

# METADATA
# description: The class of the platform's configuration is of another driver, or there is none of its name.
report contains result.fail(
	"class",
	$"VolumeSnapshotClass {input.params.snapshotClass} of the platform's storage.snapshotClass is not of driver {class.provisioner} of StorageClass {class.name}",
	{"class": class, "snapshotClasses": input.volume.snapshotClasses},
) if {
	input.cluster.volumeSnapshots == true
	known.whole("params.snapshotClass")
	is_string(input.params.snapshotClass)
	input.params.snapshotClass != ""
	some claim in input.volume.claims
	some class in input.volume.classes
	class.name == claim.class
	not _local(class)
	count(_candidates(class)) > 0
	not input.params.snapshotClass in _candidates(class)
}

# METADATA
# description: Several classes are of the driver, and chance would choose.
report contains result.fail("class", $"several VolumeSnapshotClasses are of driver {class.provisioner}, and not exactly one is its default", {"class": class, "snapshotClasses": input.volume.snapshotClasses}) if {
	input.cluster.volumeSnapshots == true
	some claim in input.volume.claims
	some class in input.volume.classes
	class.name == claim.class
	not _local(class)
	known.whole("params.snapshotClass")
	input.params.snapshotClass == ""
	count(_candidates(class)) > 0
	not _chosen(class)
}

# METADATA
# description: The StorageClass is gone, or the volume has none.
report contains result.unknown("class", $"StorageClass {claim.class} of the volume does not exist, so that its driver is not known") if {
	some claim in input.volume.claims
	every class in input.volume.classes {
		class.name != claim.class
	}
}

_local(class) if class.name == "local-path"

_local(class) if class.provisioner == "rancher.io/local-path"

_candidates(class) := {one.name |
	some one in input.volume.snapshotClasses
	one.driver == class.provisioner
}

_defaults(class) := {one.name |
	some one in input.volume.snapshotClasses
	one.driver == class.provisioner
	one.default == true
}

_chosen(class) if {
	input.params.snapshotClass != ""
	input.params.snapshotClass in _candidates(class)
}

_chosen(class) if {
	input.params.snapshotClass == ""
	class.name == "longhorn"
	"longhorn" in _candidates(class)
}

_chosen(class) if {
	input.params.snapshotClass == ""
	class.name != "longhorn"
	count(_defaults(class)) == 1
}

# The only class of a driver need not be its default: it is named.
_chosen(class) if {
	input.params.snapshotClass == ""
	class.name != "longhorn"
	count(_candidates(class)) == 1
}

_named(snapshot, class) if snapshot.class in _candidates(class)

_named(snapshot, class) if {
	snapshot.class == ""
	count(_defaults(class)) == 1
}
