// Package admission_test proves on a real API server, with no controller of ours running, what the guards refuse and what they
// let pass.
package admission_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/test/controlplane"
)

// users are who sends requests. RBAC lets all but the tenant do anything: the guards must hold where it does not.
func users() map[string]rest.ImpersonationConfig {
	account := func(namespace, name string) rest.ImpersonationConfig {
		return rest.ImpersonationConfig{
			UserName: "system:serviceaccount:" + namespace + ":" + name,
			Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
		}
	}
	return map[string]rest.ImpersonationConfig{
		"operator":   account("virtfoundry-system", "virtfoundry-operator"),
		"kubevirt":   account("kubevirt", "kubevirt-controller"),
		"replicaset": account("kube-system", "replicaset-controller"),
		"admin":      {UserName: "platform-admin", Groups: []string{"system:authenticated"}},
		"tenant":     {UserName: "alice", Groups: []string{"tenant-acme", "system:authenticated"}},
	}
}

// server is an API server with the guards, and clients of each user.
type server struct {
	mapper  meta.RESTMapper
	admin   dynamic.Interface
	clients map[string]dynamic.Interface
	uids    map[string]types.UID // by Kind/name
}

func TestOnARealAPIServer(t *testing.T) {
	s := start(t)
	all := cases(t)
	if len(all) < 30 {
		t.Fatalf("%d cases", len(all))
	}
	for _, object := range manifests(t) {
		s.create(t, object)
	}
	for _, c := range all {
		s.await(t, c)
	}
	t.Run("each forbidden request is refused, and its twin is not", func(t *testing.T) { s.twins(t, all) })
	t.Run("no expression can be taken away unnoticed", func(t *testing.T) { s.mutations(t, all) })
}

func (s *server) twins(t *testing.T, all []guardCase) {
	for _, c := range all {
		if err := s.forbidden(t.Context(), c); !refusedBy(err, c) {
			t.Errorf("%s: %s: forbidden: got %v", c.file, c.Name, err)
		}
		if err := s.allowed(t.Context(), c); err != nil {
			t.Errorf("%s: %s: allowed: %v", c.file, c.Name, err)
		}
	}
}

// refusedBy tells whether the very policy of the case refused, by the message that the case names.
func refusedBy(err error, c guardCase) bool {
	return err != nil && (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)) &&
		strings.Contains(err.Error(), "'"+prefix+c.Policy+"'") && strings.Contains(err.Error(), c.Words)
}

// await waits until the API server has compiled the policy.
func (s *server) await(t *testing.T, c guardCase) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		last = s.forbidden(ctx, c)
		return refusedBy(last, c), nil
	})
	if err != nil {
		t.Errorf("%s: %s: %s is not in force: %v", c.file, c.Name, c.Policy, last)
	}
}

func start(t *testing.T) *server {
	t.Helper()
	plane, err := controlplane.Start(t.Context(), controlplane.Options{CRDDirectories: []string{"../crd/bases"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	s := &server{clients: map[string]dynamic.Interface{}, uids: map[string]types.UID{}}
	client, err := discovery.NewDiscoveryClientForConfig(plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	groups, err := restmapper.GetAPIGroupResources(client)
	if err != nil {
		t.Fatal(err)
	}
	s.mapper = restmapper.NewDiscoveryRESTMapper(groups)
	if s.admin, err = dynamic.NewForConfig(plane.RESTConfig()); err != nil {
		t.Fatal(err)
	}
	for name, user := range users() {
		config := plane.RESTConfig()
		config.Impersonate = user
		if s.clients[name], err = dynamic.NewForConfig(config); err != nil {
			t.Fatal(err)
		}
	}
	for _, object := range access(t) {
		s.create(t, object)
	}
	for _, fixture := range read[[]map[string]any](t, "testdata/fixtures.yaml") {
		s.create(t, &unstructured.Unstructured{Object: fixture})
	}
	s.awaitAccount(t, "virtfoundry-tenant-acme")
	return s
}

// awaitAccount waits for the account that pods run as.
func (s *server) awaitAccount(t *testing.T, namespace string) {
	t.Helper()
	accounts := s.admin.Resource(corev1.SchemeGroupVersion.WithResource("serviceaccounts")).Namespace(namespace)
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := accounts.Get(ctx, "default", metav1.GetOptions{})
		return err == nil, client.IgnoreNotFound(err)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *server) create(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	wanted := s.resolved(object)
	resource, err := s.resource(s.admin, wanted)
	if err != nil {
		t.Fatal(err)
	}
	created, err := resource.Create(t.Context(), wanted, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict, FieldManager: object.GetLabels()["written-by"]})
	if err != nil {
		t.Fatalf("create %s %s: %v", object.GetKind(), object.GetName(), err)
	}
	s.uids[created.GetKind()+"/"+created.GetName()] = created.GetUID()
}

// manifests are the objects of this folder.
func manifests(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		if file == "kustomization.yaml" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		decoder := yamlutil.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
		for {
			object := &unstructured.Unstructured{}
			if err := decoder.Decode(object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all = append(all, object)
		}
	}
	return all
}
