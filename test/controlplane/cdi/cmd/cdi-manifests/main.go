// Command cdi-manifests prints the CustomResourceDefinitions that CDI's
// operator would install, as one JSON List. They come out of CDI's own module:
// what tests see is what a cluster with this version of CDI has.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"kubevirt.io/containerized-data-importer/pkg/operator/resources"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "crds" {
		fmt.Fprintln(os.Stderr, "usage: cdi-manifests crds")
		os.Exit(2)
	}
	if err := printCRDs(); err != nil {
		fmt.Fprintln(os.Stderr, "cdi-manifests:", err)
		os.Exit(1)
	}
}

func printCRDs() error {
	var items []map[string]any
	for _, name := range slices.Sorted(maps.Keys(resources.CDICRDs)) {
		var crd map[string]any
		if err := yaml.Unmarshal([]byte(resources.CDICRDs[name]), &crd); err != nil {
			return fmt.Errorf("CustomResourceDefinition %s of CDI: %w", name, err)
		}
		// The generated text carries a status, which only an API server may write.
		delete(crd, "status")
		items = append(items, crd)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}
