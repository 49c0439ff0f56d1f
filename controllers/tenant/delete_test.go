package tenant

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"cato.dev/cato/controllers/internal/fixture"
)

// A bundle may give the grant without looking at the namespace; that it is gone
// already is no matter of policy.
func TestADeletedTenantGoesWhateverTheGrantSaysOfANamespaceThatIsGone(t *testing.T) {
	tenantNamed(t, "void")
	w := newWorld(t, fixture.Judge(t, fixture.EverythingGranted(t)))
	w.settle(t, "void")
	remove(t, w.tenant(t, "void"))
	gone(t, w, "void")
	if exists(t, &corev1.Namespace{}, "", "virtfoundry-tenant-void") {
		t.Error("the namespace is left")
	}
}
