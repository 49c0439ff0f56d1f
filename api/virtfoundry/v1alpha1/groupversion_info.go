// Package v1alpha1 holds the kinds of virtfoundry.io/v1alpha1 that Cato serves.
//
// +kubebuilder:object:generate=true
// +groupName=virtfoundry.io
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is virtfoundry.io/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: "virtfoundry.io", Version: "v1alpha1"}

// AddToScheme registers the kinds of this group with a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&Tenant{}, &TenantList{},
		&Instance{}, &InstanceList{},
		&Offering{}, &OfferingList{},
		&Template{}, &TemplateList{},
		&Network{}, &NetworkList{},
		&VPC{}, &VPCList{},
		&IPAddress{}, &IPAddressList{},
		&Disk{}, &DiskList{},
		&DiskSnapshot{}, &DiskSnapshotList{},
		&InstanceSnapshot{}, &InstanceSnapshotList{},
		&SSHKey{}, &SSHKeyList{},
		&SecurityGroup{}, &SecurityGroupList{},
		&User{}, &UserList{},
		&Role{}, &RoleList{},
		&APIKey{}, &APIKeyList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
