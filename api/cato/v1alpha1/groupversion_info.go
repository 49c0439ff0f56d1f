// Package v1alpha1 holds Cato's own kinds, cato.dev/v1alpha1.
//
// +kubebuilder:object:generate=true
// +groupName=cato.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is cato.dev/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: "cato.dev", Version: "v1alpha1"}

// AddToScheme registers the kinds of this group with a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&ComplianceProfile{}, &ComplianceProfileList{},
		&ComplianceReport{}, &ComplianceReportList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
