package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
)

const (
	kubeVirtNamespace = "kubevirt"
	cdiNamespace      = "cdi"
	tlsType           = "kubernetes.io/tls"
	// provisioner is the name of the volume provisioner of the cluster, as in
	// kube/provisioner.
	provisioner = "hostpath.test.cato.dev"
)

// Names of the StorageClasses of a cluster with nodes. Volumes are folders of
// this machine, on every node.
const (
	// StorageClass is the default one, which binds at once.
	StorageClass = "local"
	// WaitStorageClass binds when a pod uses the claim.
	WaitStorageClass = "local-wait"
)

// productObjects are all objects of a cluster with nodes besides the
// CustomResourceDefinitions, without certificates.
func productObjects(o Options, files Set) ([]object, error) {
	objects := storage(o)
	if o.KubeVirt {
		some, err := readObjects(filepath.Join(files.KubeVirt, installFile))
		if err != nil {
			return nil, err
		}
		objects = append(objects, kubeVirtObjects()...)
		objects = append(objects, some...)
	}
	if o.CDI {
		some, err := readObjects(filepath.Join(files.CDI, installFile))
		if err != nil {
			return nil, err
		}
		objects = append(objects, cdiObjects(o)...)
		objects = append(objects, some...)
	}
	return objects, nil
}

// installProducts creates the objects with certificates filled in.
func (cp *ControlPlane) installProducts(ctx context.Context, objects []object) error {
	keys, err := newProductKeys(cp.keys.authority)
	if err != nil {
		return err
	}
	for _, one := range objects {
		if err := keys.fill(one); err != nil {
			return fmt.Errorf("fill in certificates: %w", err)
		}
	}
	return createAll(ctx, cp.admin, objects)
}

// storage are the StorageClasses.
func storage(o Options) []object {
	class := func(name, mode, isDefault string) object {
		return object{
			"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
			"metadata":    map[string]any{"name": name, "annotations": map[string]any{"storageclass.kubernetes.io/is-default-class": isDefault}},
			"provisioner": provisioner, "volumeBindingMode": mode, "reclaimPolicy": "Delete",
		}
	}
	objects := []object{class(StorageClass, "Immediate", "true"), class(WaitStorageClass, "WaitForFirstConsumer", "false")}
	if !o.WithoutPopulators {
		// CDI uses volume populators for the classes of a CSI driver.
		objects = append(objects, object{
			"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver",
			"metadata": map[string]any{"name": provisioner}, "spec": map[string]any{"attachRequired": false},
		})
	}
	return objects
}

// kubeVirtObjects are what a cluster has of KubeVirt besides what virt-operator
// installs.
func kubeVirtObjects() []object {
	return []object{
		namespaceObject(kubeVirtNamespace),
		{
			"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt",
			"metadata": map[string]any{"name": "kubevirt", "namespace": kubeVirtNamespace},
			"spec": map[string]any{"configuration": map[string]any{
				"developerConfiguration": map[string]any{"featureGates": []any{"HotplugVolumes", "Snapshot"}},
			}},
		},
		emptySecret(kubeVirtNamespace, "kubevirt-virt-api-certs", tlsType),
		emptySecret(kubeVirtNamespace, "kubevirt-controller-certs", tlsType),
		emptySecret(kubeVirtNamespace, "kubevirt-virt-handler-certs", tlsType),
	}
}

// cdiObjects are what a cluster has of CDI besides what cdi-operator installs.
func cdiObjects(o Options) []object {
	config := map[string]any{"featureGates": []any{"HonorWaitForFirstConsumer"}}
	if len(o.FilesystemOverhead) > 0 {
		classes := map[string]any{}
		for class, share := range o.FilesystemOverhead {
			classes[class] = share
		}
		config["filesystemOverhead"] = map[string]any{"storageClass": classes}
	}
	objects := []object{
		namespaceObject(cdiNamespace),
		{
			"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "CDI",
			// As cdi-operator does, so that CDIConfig follows this object.
			"metadata": map[string]any{"name": "cdi", "annotations": map[string]any{"cdi.kubevirt.io/configAuthority": ""}},
			"spec":     map[string]any{"config": config},
		},
		emptySecret(cdiNamespace, signingKeySecret, "Opaque"),
	}
	for _, class := range []string{StorageClass, WaitStorageClass} {
		// CDI does not know the provisioner, so it is told what it can do.
		objects = append(objects, object{
			"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "StorageProfile",
			"metadata": map[string]any{"name": class},
			"spec": map[string]any{
				"cloneStrategy":     "csi-clone",
				"claimPropertySets": []any{map[string]any{"accessModes": []any{"ReadWriteOnce"}, "volumeMode": "Filesystem"}},
			},
		})
	}
	return objects
}

// serviceRange are the cluster IPs of Services.
func (cp *ControlPlane) serviceRange() string {
	if cp.nodes == 0 {
		return "10.0.0.0/24"
	}
	return cp.network.Services().String()
}

// hostOf is the host:port of a configuration's API server.
func hostOf(config *rest.Config) string { return strings.TrimPrefix(config.Host, "https://") }
