package operator

import (
	"net/http"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// namedSecretManager is a manager whose configuration lists one Secret. The
// cache that cert-controller builds from it would list every Secret of the
// namespace, where the platform's own credentials lie, and the operator's Role
// allows it one name.
type namedSecretManager struct {
	manager.Manager
	config *rest.Config
}

func withNamedSecret(mgr manager.Manager, key types.NamespacedName) manager.Manager {
	config := rest.CopyConfig(mgr.GetConfig())
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &namedSecretTransport{next: next, path: "/api/v1/namespaces/" + key.Namespace + "/secrets", name: key.Name}
	})
	return &namedSecretManager{Manager: mgr, config: config}
}

// GetConfig shadows the manager's.
func (m *namedSecretManager) GetConfig() *rest.Config { return m.config }

// namedSecretTransport adds to lists and watches of a path the field selector
// by which RBAC knows the name of what is asked for.
type namedSecretTransport struct {
	next       http.RoundTripper
	path, name string
}

// RoundTrip implements http.RoundTripper.
func (t *namedSecretTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet || request.URL.Path != t.path {
		return t.next.RoundTrip(request)
	}
	request = request.Clone(request.Context())
	query := request.URL.Query()
	query.Set("fieldSelector", fields.OneTermEqualSelector("metadata.name", t.name).String())
	request.URL.RawQuery = query.Encode()
	return t.next.RoundTrip(request)
}
