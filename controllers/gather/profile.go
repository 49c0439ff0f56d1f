package gather

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// SlugIndex is the index of Tenants by spec.slug.
const SlugIndex = "spec.slug"

// SlugOf is the indexer behind SlugIndex.
func SlugOf(object client.Object) []string {
	if tenant, ok := object.(*virtfoundryv1alpha1.Tenant); ok {
		return []string{tenant.Spec.Slug}
	}
	return nil
}

// profile finds the ComplianceProfile in force: of those whose scope holds the
// subject the oldest, else the built-in one of the kind.
func (c *collector) profile(ctx context.Context, kind string) {
	c.out.Profile = facts.Profile{Name: builtInProfile(kind), BuiltIn: true}
	var all catov1alpha1.ComplianceProfileList
	c.list(ctx, "", &all, "complianceprofiles.cato.dev", "params")
	if profile := InForce(all.Items, kind, c.namespaceLabels()); profile != nil {
		c.out.Profile = facts.Profile{Name: profile.Name, Parameters: profile.Spec.Parameters}
	}
	c.platform(ctx, kind)
	c.assumeEnforcement()
}

func (c *collector) namespaceLabels() map[string]string {
	if c.out.Namespace == nil {
		return nil
	}
	return c.out.Namespace.Labels
}

func (c *collector) assumeEnforcement() {
	switch c.out.Profile.Parameters.NetworkPolicyEnforcement {
	case "", catov1alpha1.EnforcementAssumed:
		c.assume("that the cluster's network plugin enforces NetworkPolicy is assumed (parameter networkPolicyEnforcement of profile %s)", c.out.Profile.Name)
	}
}

// InScope tells whether a profile holds for a kind in a namespace with these
// labels. Without kinds it holds for the kinds of its base; without a selector,
// in every namespace. A malformed selector holds nowhere.
func InScope(profile *catov1alpha1.ComplianceProfile, kind string, namespace map[string]string) bool {
	kinds := profile.Spec.Scope.Kinds
	if len(kinds) == 0 {
		kinds = kindsOf(profile.Spec.Base)
	}
	if !slices.Contains(kinds, catov1alpha1.SubjectKind(kind)) {
		return false
	}
	if profile.Spec.Scope.NamespaceSelector == nil {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(profile.Spec.Scope.NamespaceSelector)
	return err == nil && selector.Matches(labels.Set(namespace))
}

func kindsOf(base catov1alpha1.ProfileBase) []catov1alpha1.SubjectKind {
	machines := []catov1alpha1.SubjectKind{catov1alpha1.SubjectUDSVirtualMachine, catov1alpha1.SubjectVirtualMachine}
	tenants := []catov1alpha1.SubjectKind{
		catov1alpha1.SubjectTenant, catov1alpha1.SubjectInstance, catov1alpha1.SubjectTemplate, catov1alpha1.SubjectOffering,
		catov1alpha1.SubjectNetwork, catov1alpha1.SubjectVPC, catov1alpha1.SubjectIPAddress, catov1alpha1.SubjectSecurityGroup,
		catov1alpha1.SubjectSSHKey, catov1alpha1.SubjectDisk, catov1alpha1.SubjectDiskSnapshot, catov1alpha1.SubjectInstanceSnapshot,
		catov1alpha1.SubjectUser, catov1alpha1.SubjectRole, catov1alpha1.SubjectAPIKey, catov1alpha1.SubjectPlatform,
	}
	switch base {
	case catov1alpha1.BaseVirtFoundry:
		return tenants
	case catov1alpha1.BaseUDS:
		return machines
	default:
		return append(tenants, machines...)
	}
}
