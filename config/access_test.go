package config_test

import (
	"fmt"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

const operatorUser = "system:serviceaccount:" + virtfoundryv1alpha1.SystemNamespace + ":" + virtfoundryv1alpha1.ServiceAccountName

func operatorSubject() rbacv1.Subject {
	return rbacv1.Subject{Kind: "ServiceAccount", Name: virtfoundryv1alpha1.ServiceAccountName, Namespace: virtfoundryv1alpha1.SystemNamespace}
}

// access is one question to the API server. The name is of the object, empty for any.
type access struct {
	verb, group, resource, namespace, name string
	allowed                                bool
}

func (a access) String() string {
	return fmt.Sprintf("%s %s.%s %q in %q", a.verb, a.resource, a.group, a.name, a.namespace)
}

func (c *cluster) ask(t *testing.T, user string, questions []access) {
	t.Helper()
	for _, q := range questions {
		review, err := c.admin.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: attributes(q)},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if review.Status.Allowed != q.allowed {
			t.Errorf("%s: %s: allowed is %v, want %v (%s)", user, q, review.Status.Allowed, q.allowed, review.Status.Reason)
		}
	}
}

func attributes(q access) *authorizationv1.ResourceAttributes {
	resource, subresource, _ := strings.Cut(q.resource, "/")
	return &authorizationv1.ResourceAttributes{
		Verb: q.verb, Group: q.group, Resource: resource, Subresource: subresource, Namespace: q.namespace, Name: q.name,
	}
}

func (c *cluster) namespace(t *testing.T, name string) {
	t.Helper()
	_, err := c.admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func binding(role string, subject rbacv1.Subject) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{subject},
	}
}

func (c *cluster) everywhere(t *testing.T) {
	const system = virtfoundryv1alpha1.SystemNamespace
	c.ask(t, operatorUser, []access{
		{"list", "virtfoundry.io", "tenants", "", "", true},
		{"patch", "virtfoundry.io", "tenants/status", "", "", true},
		{"create", "virtfoundry.io", "tenants", "", "", false},
		{"delete", "virtfoundry.io", "tenants", "", "", false},
		{"list", "uds.dev", "udsvirtualmachines", "", "", true},
		{"watch", "uds.dev", "udsvirtualmachines", "", "", true},
		{"patch", "uds.dev", "udsvirtualmachines/status", "mission-a", "", true},
		{"create", "uds.dev", "udsvirtualmachines", "mission-a", "", false},
		{"delete", "uds.dev", "udsvirtualmachines", "mission-a", "", false},
		{"list", "kubevirt.io", "virtualmachines", "", "", true},
		{"watch", "kubevirt.io", "virtualmachineinstances", "", "", true},
		{"list", "cdi.kubevirt.io", "datavolumes", "", "", true},
		{"get", "cdi.kubevirt.io", "cdiconfigs", "", "", true},
		{"list", "", "persistentvolumeclaims", "", "", true},
		{"list", "storage.k8s.io", "storageclasses", "", "", true},
		{"create", "", "namespaces", "", "", true},
		{"patch", "", "namespaces", "", "", true},
		{"update", "", "namespaces", "", "", false},
		{"create", "networking.k8s.io", "networkpolicies", "virtfoundry-tenant-a", "", true},
		{"create", "", "resourcequotas", "virtfoundry-tenant-a", "", true},
		{"create", "", "limitranges", "virtfoundry-tenant-a", "", true},
		{"patch", "cato.dev", "compliancereports/status", "mission-a", "", true},
		{"patch", "cato.dev", "complianceprofiles/status", "", "", true},
		{"update", "cato.dev", "complianceprofiles", "", "", false},
		{"create", "cato.dev", "complianceprofiles", "", "", false},
		{"create", "authentication.k8s.io", "tokenreviews", "", "", true},
		{"create", "authorization.k8s.io", "subjectaccessreviews", "", "", true},
		{"create", "events.k8s.io", "events", "mission-a", "", true},
		{"update", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "", "cato-webhook", true},
		{"update", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "", "another", false},
		{"create", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "", "", false},
		{"get", "apiextensions.k8s.io", "customresourcedefinitions", "", "datavolumes.cdi.kubevirt.io", true},
		{"get", "apiextensions.k8s.io", "customresourcedefinitions", "", "tenants.virtfoundry.io", false},
		{"update", "coordination.k8s.io", "leases", system, "", true},
		{"update", "coordination.k8s.io", "leases", "kube-system", "", false},

		{"get", "", "secrets", "default", "any", false},
		{"list", "", "secrets", "", "", false},
		{"get", "", "secrets", system, "cato-webhook-cert", true},
		{"update", "", "secrets", system, "cato-webhook-cert", true},
		{"get", "", "secrets", system, "virtfoundry-credentials", false},
		{"list", "", "secrets", system, "", false},
		{"create", "", "secrets", system, "", false},
		{"create", "kubevirt.io", "virtualmachines", "default", "", false},
		{"create", "kubevirt.io", "virtualmachines", "virtfoundry-tenant-a", "", false},
		{"delete", "kubevirt.io", "virtualmachineinstances", "mission-a", "", false},
		{"create", "cdi.kubevirt.io", "datavolumes", "mission-a", "", false},

		{"bind", "rbac.authorization.k8s.io", "clusterroles", "", virtfoundryv1alpha1.MutateRoleName, true},
		{"bind", "rbac.authorization.k8s.io", "clusterroles", "", vmNamespaceRole, true},
		{"bind", "rbac.authorization.k8s.io", "clusterroles", "", "cluster-admin", false},
		{"escalate", "rbac.authorization.k8s.io", "clusterroles", "", vmNamespaceRole, false},
		{"update", "rbac.authorization.k8s.io", "clusterroles", "", vmNamespaceRole, false},
		{"create", "rbac.authorization.k8s.io", "clusterrolebindings", "", "", false},
		{"impersonate", "", "users", "", "system:admin", false},
		{"create", "", "pods", "virtfoundry-tenant-a", "", false},
		{"create", "", "serviceaccounts/token", system, "", false},
	})
}

func (c *cluster) whereBound(t *testing.T) {
	c.namespace(t, "mission-a")
	c.namespace(t, "mission-b")
	inNamespace := func(namespace string, allowed bool) []access {
		return []access{
			{"get", "", "secrets", namespace, "user-data", allowed},
			{"list", "", "secrets", namespace, "", allowed},
			{"watch", "", "secrets", namespace, "", allowed},
			{"patch", "", "secrets", namespace, "", allowed},
			{"create", "cdi.kubevirt.io", "datavolumes", namespace, "", allowed},
			{"delete", "cdi.kubevirt.io", "datavolumes", namespace, "", allowed},
			{"create", "kubevirt.io", "virtualmachines", namespace, "", allowed},
			{"delete", "kubevirt.io", "virtualmachineinstances", namespace, "", allowed},
			{"create", "", "pods", namespace, "", false},
			{"create", "rbac.authorization.k8s.io", "roles", namespace, "", false},
		}
	}
	c.ask(t, operatorUser, inNamespace("mission-a", false))
	for _, role := range []string{virtfoundryv1alpha1.MutateRoleName, vmNamespaceRole} {
		_, err := c.admin.RbacV1().RoleBindings("mission-a").Create(t.Context(), binding(role, operatorSubject()), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	c.eventually(t, operatorUser, access{"get", "", "secrets", "mission-a", "user-data", true})
	c.eventually(t, operatorUser, access{"create", "kubevirt.io", "virtualmachines", "mission-a", "", true})
	c.ask(t, operatorUser, inNamespace("mission-a", true))
	c.ask(t, operatorUser, inNamespace("mission-b", false))
}

func (c *cluster) noEscalation(t *testing.T) {
	config, err := c.plane.ConfigFor(t.Context(), virtfoundryv1alpha1.SystemNamespace, virtfoundryv1alpha1.ServiceAccountName)
	if err != nil {
		t.Fatal(err)
	}
	operator, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	tenant := []metav1.OwnerReference{{APIVersion: "virtfoundry.io/v1alpha1", Kind: "Tenant", Name: "raised", UID: "5a5a8f0e-0000-4000-8000-000000000005", Controller: new(true)}}
	labels := map[string]string{virtfoundryv1alpha1.LabelPartOf: virtfoundryv1alpha1.PartOf, virtfoundryv1alpha1.LabelTenant: "raised"}
	raised := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "virtfoundry-tenant-raised", Labels: labels}}
	if _, err := c.admin.CoreV1().Namespaces().Create(t.Context(), raised, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for role, allowed := range map[string]bool{
		virtfoundryv1alpha1.MutateRoleName: true, vmNamespaceRole: true,
		"cluster-admin": false, "admin": false, "edit": false, "cato-oscal-reader": false,
		"virtfoundry-operator": false, // RBAC lets it, as it holds that one whole; a guard does not
	} {
		wanted := binding(role, operatorSubject())
		wanted.Labels, wanted.OwnerReferences = labels, tenant
		_, err := operator.RbacV1().RoleBindings(raised.Name).Create(t.Context(), wanted, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case allowed && err != nil:
			t.Errorf("bind %s: %v", role, err)
		case !allowed && !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err):
			t.Errorf("bind %s: got %v, want it refused", role, err)
		}
	}
	// The certificate's Secret can be listed by its name, as cert-controller's cache is made to do, and not otherwise.
	secrets := operator.CoreV1().Secrets(virtfoundryv1alpha1.SystemNamespace)
	if list, err := secrets.List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=cato-webhook-cert"}); err != nil || len(list.Items) != 1 {
		t.Errorf("list the certificate's Secret by name: %v", err)
	}
	if _, err := secrets.List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("list all Secrets: got %v, want it forbidden", err)
	}
}

func (c *cluster) readers(t *testing.T) {
	c.namespace(t, "mission-read")
	assessor := rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: "assessor"}
	viewer := rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: "viewer"}
	for _, b := range []*rbacv1.RoleBinding{binding("cato-oscal-reader", assessor), binding("view", viewer)} {
		if _, err := c.admin.RbacV1().RoleBindings("mission-read").Create(t.Context(), b, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c.eventually(t, "assessor", access{"get", "cato.dev", "compliancereports/oscal", "mission-read", "", true})
	c.eventually(t, "viewer", access{"list", "cato.dev", "compliancereports", "mission-read", "", true})
	c.ask(t, "assessor", []access{
		{"get", "cato.dev", "compliancereports/oscal", "", "", false},
		{"get", "cato.dev", "compliancereports/oscal", "default", "", false},
		{"get", "", "secrets", "mission-read", "", false},
	})
	c.ask(t, "viewer", []access{
		{"get", "uds.dev", "udsvirtualmachines", "mission-read", "", true},
		{"get", "cato.dev", "compliancereports/oscal", "mission-read", "", false},
		{"update", "cato.dev", "compliancereports/status", "mission-read", "", false},
		{"create", "uds.dev", "udsvirtualmachines", "mission-read", "", false},
	})
}
