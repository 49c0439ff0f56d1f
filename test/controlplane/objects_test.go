package controlplane

import (
	"encoding/base64"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestEveryCertificateOfTheProductsIsFilledIn(t *testing.T) {
	ca, err := newAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := newProductKeys(ca)
	if err != nil {
		t.Fatal(err)
	}
	webhook := object{
		"kind": "ValidatingWebhookConfiguration", "metadata": map[string]any{"name": "w"},
		"webhooks": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}},
	}
	service := object{"kind": "APIService", "metadata": map[string]any{"name": "s"}}
	bundle := object{"kind": "ConfigMap", "metadata": map[string]any{"namespace": kubeVirtNamespace, "name": "kubevirt-ca"}}
	signers := object{"kind": "ConfigMap", "metadata": map[string]any{"namespace": cdiNamespace, "name": "cdi-uploadserver-signer-bundle"}}
	signing := emptySecret(cdiNamespace, signingKeySecret, "Opaque")
	other := object{"kind": "Secret", "metadata": map[string]any{"namespace": cdiNamespace, "name": "other"}}
	for _, o := range []object{webhook, service, bundle, signers, signing, other} {
		if err := keys.fill(o); err != nil {
			t.Fatal(err)
		}
	}
	encoded := base64.StdEncoding.EncodeToString(ca.PEM)
	webhooks, _, err := unstructured.NestedSlice(webhook, "webhooks")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range webhooks {
		fields, _ := one.(map[string]any)
		if got, _, _ := unstructured.NestedString(fields, "clientConfig", "caBundle"); got != encoded {
			t.Errorf("webhook %v has authority %q", fields["name"], got)
		}
	}
	for name, test := range map[string]struct {
		of    object
		want  string
		field []string
	}{
		"APIService":     {service, encoded, []string{"spec", "caBundle"}},
		"KubeVirt's":     {bundle, string(ca.PEM), []string{"data", "ca-bundle"}},
		"upload servers": {signers, string(keys.bundles["cdi-uploadserver-signer-bundle"]), []string{"data", "ca-bundle.crt"}},
	} {
		if got, _, _ := unstructured.NestedString(test.of, test.field...); got != test.want || got == "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if data, ok := signing["data"].(map[string]any); !ok || data["id_rsa"] == "" || data["id_rsa.pub"] == "" {
		t.Error("the signing key is empty")
	}
	if other["data"] != nil {
		t.Error("a Secret of somebody else is filled")
	}
}
