package gather

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// SSHKey gathers an SSHKey, which refers to nothing, with what names it while it is being deleted.
func (g *Gatherer) SSHKey(ctx context.Context, key *virtfoundryv1alpha1.SSHKey, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Accounts.SSHKey = key
	c.namespace(ctx, key.Namespace)
	c.users(ctx, key)
	c.profile(ctx, facts.KindSSHKey)
	return c.out, c.failure
}

// Role gathers a Role, which refers to nothing.
func (g *Gatherer) Role(ctx context.Context, role *virtfoundryv1alpha1.Role, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Accounts.Role = role
	c.namespace(ctx, role.Namespace)
	c.profile(ctx, facts.KindRole)
	return c.out, c.failure
}

// User gathers a User with the Role and the Tenant that it names, and of its
// Secret the names of the keys.
func (g *Gatherer) User(ctx context.Context, user *virtfoundryv1alpha1.User, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	a := &c.out.Accounts
	a.User = user
	if ref := user.Spec.TenantRef; ref != nil {
		var tenant virtfoundryv1alpha1.Tenant
		if c.get(ctx, types.NamespacedName{Name: ref.Name}, &tenant, "tenants.virtfoundry.io", "accounts.tenants", "accounts.roles") {
			a.Tenants = []virtfoundryv1alpha1.Tenant{tenant}
		}
		c.elsewhere(len(a.Tenants), "Tenant "+ref.Name, "accounts.tenants", "accounts.roles")
	}
	for _, namespace := range facts.RoleNamespaces(user, a.Tenants) {
		var role virtfoundryv1alpha1.Role
		if c.get(ctx, types.NamespacedName{Namespace: namespace, Name: user.Spec.RoleRef.Name}, &role, "roles.virtfoundry.io", "accounts.roles") {
			a.Roles = append(a.Roles, role)
		}
	}
	c.elsewhere(len(a.Roles), "Role "+user.Spec.RoleRef.Name, "accounts.roles")
	c.accountSecret(ctx, types.NamespacedName{Namespace: virtfoundryv1alpha1.SystemNamespace, Name: user.Spec.SecretRef.Name})
	c.profile(ctx, facts.KindUser)
	return c.out, c.failure
}

// APIKey gathers an APIKey with the User that it names, and of its Secret the
// names of the keys.
func (g *Gatherer) APIKey(ctx context.Context, key *virtfoundryv1alpha1.APIKey, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	a := &c.out.Accounts
	a.APIKey = key
	c.namespace(ctx, key.Namespace)
	var user virtfoundryv1alpha1.User
	if c.get(ctx, types.NamespacedName{Name: key.Spec.UserRef.Name}, &user, "users.virtfoundry.io", "accounts.users") {
		a.Users = []virtfoundryv1alpha1.User{user}
	}
	c.elsewhere(len(a.Users), "User "+key.Spec.UserRef.Name, "accounts.users")
	c.accountSecret(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Spec.SecretRef.Name})
	c.profile(ctx, facts.KindAPIKey)
	return c.out, c.failure
}

// elsewhere marks as a gap what was not found among files: a cluster may have it.
func (c *collector) elsewhere(found int, what string, paths ...string) {
	if c.FromFiles && found == 0 {
		c.gap(what+" is not in the input: whether the cluster has it is not known", paths...)
	}
}

// accountSecret reads of a Secret what it decodes to, which holds no value. One
// that does not exist is left out: the facts say so.
func (c *collector) accountSecret(ctx context.Context, key types.NamespacedName) {
	if reason := c.Blind("secrets", key.Namespace); reason != "" {
		c.unseen(reason, "accounts.secrets")
		return
	}
	secret, err := c.Secrets(ctx, key)
	switch {
	case err == nil:
		c.out.Accounts.Secrets = []facts.Secret{secret}
	case !apierrors.IsNotFound(err):
		c.unreadable(err, "get", "secrets", key.Namespace, "accounts.secrets")
	case c.FromFiles:
		c.gap("Secret "+key.String()+" is not in the input: whether the cluster has it is not known", "accounts.secrets")
	}
}
