package controlplane

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

//go:embed networkattachment.yaml
var networkAttachment []byte

const (
	crdKind = "CustomResourceDefinition"
	crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	// parallelCreates keeps the API server busy without a queue in front of it.
	parallelCreates = 8
)

// definition is a CustomResourceDefinition as JSON. The whole type is not
// needed: its schemas are large, and nothing here looks into them.
type definition struct {
	name string
	json []byte
}

// loadCRDs reads the definitions of the sets and the folders.
func loadCRDs(files Set, sets []CRDSet, folders []string) ([]definition, error) {
	var all []definition
	for _, set := range sets {
		data := networkAttachment
		switch set {
		case NetworkAttachmentCRDs:
		case KubeVirtCRDs, CDICRDs:
			var err error
			if data, err = os.ReadFile(files.CRDs[set]); err != nil {
				return nil, fmt.Errorf("read the CustomResourceDefinitions of %s: %w", set, err)
			}
		default:
			return nil, fmt.Errorf("options: CRDs: there is no set %q, but %q, %q and %q", set, KubeVirtCRDs, CDICRDs, NetworkAttachmentCRDs)
		}
		found, err := parseCRDs(data)
		if err != nil {
			return nil, fmt.Errorf("read the CustomResourceDefinitions of %s: %w", set, err)
		}
		all = append(all, found...)
	}
	for _, folder := range folders {
		found, err := loadFolder(folder)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// loadFolder reads the definitions of one folder, which must have some.
func loadFolder(folder string) ([]definition, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("options: CRDDirectories: %w", err)
	}
	var all []definition
	for _, e := range entries {
		if e.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("options: CRDDirectories: %w", err)
		}
		found, err := parseCRDs(data)
		if err != nil {
			return nil, fmt.Errorf("options: CRDDirectories: %s: %w", path, err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("options: CRDDirectories: %s has no CustomResourceDefinition in a *.yaml, *.yml or *.json file", folder)
	}
	return all, nil
}

// parseCRDs reads definitions out of JSON or YAML: documents of any number,
// each one object or a List. Other kinds are left out.
func parseCRDs(data []byte) ([]definition, error) {
	var all []definition
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var raw json.RawMessage
		err := documents.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if len(raw) == 0 {
			continue // a document of comments only
		}
		var list struct {
			Kind  string            `json:"kind"`
			Items []json.RawMessage `json:"items"`
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
		objects := list.Items
		if list.Kind == crdKind {
			objects = []json.RawMessage{raw}
		}
		for _, object := range objects {
			var head struct {
				Kind     string `json:"kind"`
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			}
			if err := json.Unmarshal(object, &head); err != nil {
				return nil, err
			}
			if head.Kind == crdKind {
				all = append(all, definition{name: head.Metadata.Name, json: object})
			}
		}
	}
}

// installCRDs creates the definitions and waits until all are served.
func installCRDs(ctx context.Context, admin *rest.Config, crds []definition) error {
	config := rest.CopyConfig(admin)
	config.GroupVersion = &schema.GroupVersion{}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	var wait sync.WaitGroup
	failures := make([]error, len(crds))
	turns := make(chan struct{}, parallelCreates)
	for i, crd := range crds {
		wait.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			err := client.Post().AbsPath(crdPath).SetHeader("Content-Type", "application/json").Body(crd.json).Do(ctx).Error()
			if err != nil {
				failures[i] = fmt.Errorf("create CustomResourceDefinition %s: %w", crd.name, err)
			}
		})
	}
	wait.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	// They become established together, so asking one after the other asks
	// little: each answer holds the whole schema.
	for _, crd := range crds {
		if err := waitEstablished(ctx, client, crd.name); err != nil {
			return err
		}
	}
	return nil
}

// waitEstablished waits until the API server serves the definition's kind.
func waitEstablished(ctx context.Context, client rest.Interface, name string) error {
	// Each answer holds the whole schema, so it is not asked for often.
	return waitEvery(ctx, slowPoll/2, "CustomResourceDefinition "+name, nil, func() (bool, error) {
		data, err := client.Get().AbsPath(crdPath, name).Do(ctx).Raw()
		if err != nil {
			return false, err
		}
		var crd struct {
			Status struct {
				Conditions []struct {
					Type    string `json:"type"`
					Status  string `json:"status"`
					Message string `json:"message"`
				} `json:"conditions"`
			} `json:"status"`
		}
		if err := json.Unmarshal(data, &crd); err != nil {
			return false, err
		}
		for _, c := range crd.Status.Conditions {
			switch {
			case c.Type == "Established" && c.Status == "True":
				return true, nil
			case c.Type == "NamesAccepted" && c.Status == "False":
				return false, fmt.Errorf("its names are not accepted: %s", c.Message)
			}
		}
		return false, nil
	})
}
