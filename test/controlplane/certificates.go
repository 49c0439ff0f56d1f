package controlplane

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// productKeys are the certificates of KubeVirt and CDI: PEM by the name of the
// Secret or of the ConfigMap that holds them.
type productKeys struct {
	authority []byte
	secrets   map[string]keyPair
	bundles   map[string][]byte
	signing   map[string]any
}

// newProductKeys issues what virt-operator and cdi-operator would issue. Where
// they use an authority for each server, one serves all here; CDI's two for
// uploads are authorities of their own, because CDI signs with them.
func newProductKeys(ca authority) (productKeys, error) {
	p := productKeys{authority: ca.PEM, secrets: map[string]keyPair{}, bundles: map[string][]byte{}}
	for secret, service := range map[string][2]string{
		"kubevirt-virt-api-certs":     {kubeVirtNamespace, "virt-api"},
		"kubevirt-controller-certs":   {kubeVirtNamespace, "virt-controller"},
		"cdi-apiserver-server-cert":   {cdiNamespace, "cdi-api"},
		"cdi-uploadproxy-server-cert": {cdiNamespace, "cdi-uploadproxy"},
	} {
		pair, err := ca.serviceServer(service[0], service[1])
		if err != nil {
			return productKeys{}, fmt.Errorf("issue the certificate of Service %s/%s: %w", service[0], service[1], err)
		}
		p.secrets[secret] = pair
	}
	handler, err := ca.client("kubevirt.io:system:client:virt-handler", "")
	if err != nil {
		return productKeys{}, fmt.Errorf("issue virt-handler's certificate: %w", err)
	}
	p.secrets["kubevirt-virt-handler-certs"] = handler
	for _, bundle := range []string{"cdi-apiserver-signer-bundle", "cdi-uploadproxy-signer-bundle"} {
		p.bundles[bundle] = ca.PEM
	}
	for _, signer := range []string{"cdi-uploadserver-signer", "cdi-uploadserver-client-signer"} {
		a, pair, err := newSigner(signer)
		if err != nil {
			return productKeys{}, fmt.Errorf("make CDI's authority %s: %w", signer, err)
		}
		p.secrets[signer] = pair
		p.bundles[signer+"-bundle"] = a.PEM
		if signer == "cdi-uploadserver-client-signer" {
			// The name that upload servers expect of the upload proxy.
			if p.secrets["cdi-uploadserver-client-cert"], err = a.client("client.upload-server.cdi.kubevirt.io", ""); err != nil {
				return productKeys{}, fmt.Errorf("issue the upload proxy's certificate: %w", err)
			}
		}
	}
	p.signing, err = newSigningKey()
	return p, err
}

// fill writes certificates into an object that needs some.
func (p productKeys) fill(o object) error {
	u := o.unstructured()
	bundle := base64.StdEncoding.EncodeToString(p.authority)
	switch u.GetKind() {
	case "APIService":
		return unstructured.SetNestedField(o, bundle, "spec", "caBundle")
	case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
		webhooks, _, err := unstructured.NestedSlice(o, "webhooks")
		if err != nil {
			return err
		}
		for _, webhook := range webhooks {
			fields, ok := webhook.(map[string]any)
			if !ok {
				return fmt.Errorf("%s %s: a webhook is not an object", u.GetKind(), u.GetName())
			}
			if err := unstructured.SetNestedField(fields, bundle, "clientConfig", "caBundle"); err != nil {
				return err
			}
		}
		return unstructured.SetNestedSlice(o, webhooks, "webhooks")
	case "ConfigMap":
		if u.GetNamespace() == kubeVirtNamespace && strings.HasSuffix(u.GetName(), "-ca") {
			return unstructured.SetNestedField(o, string(p.authority), "data", "ca-bundle")
		}
		if pem, ok := p.bundles[u.GetName()]; ok {
			return unstructured.SetNestedField(o, string(pem), "data", "ca-bundle.crt")
		}
	case "Secret":
		if pair, ok := p.secrets[u.GetName()]; ok {
			o["data"] = pair.data()
		} else if u.GetName() == signingKeySecret {
			o["data"] = p.signing
		}
	}
	return nil
}

// data is a Secret's data of type kubernetes.io/tls.
func (k keyPair) data() map[string]any {
	return map[string]any{
		"tls.crt": base64.StdEncoding.EncodeToString(k.certificate),
		"tls.key": base64.StdEncoding.EncodeToString(k.key),
	}
}

// emptySecret is a Secret that fill fills.
func emptySecret(namespace, name, kind string) object {
	return object{
		"apiVersion": "v1", "kind": "Secret", "type": kind,
		"metadata": map[string]any{"namespace": namespace, "name": name},
	}
}

// signingKeySecret has the key for upload tokens and clone tokens. CDI's API
// server would make it, and the other Deployments, which mount it, would wait
// for that in steps of growing length.
const signingKeySecret = "cdi-api-signing-key"

// newSigningKey makes the data of that Secret.
func newSigningKey() (map[string]any, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, fmt.Errorf("make CDI's signing key: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, fmt.Errorf("make CDI's signing key: %w", err)
	}
	return map[string]any{
		"id_rsa":     base64.StdEncoding.EncodeToString(encodePEM("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))),
		"id_rsa.pub": base64.StdEncoding.EncodeToString(encodePEM("PUBLIC KEY", public)),
	}, nil
}
