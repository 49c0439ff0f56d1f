// Package chartgen makes the templates of the Helm chart out of the manifests that kustomize builds from, so that nothing is
// written twice. A place that a value goes into is found by its text: when a manifest changes there, making them fails.
package chartgen

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// header stands above each template.
const header = "{{/* Made by make manifests from config/%s: change that. */}}\n"

// edit puts a value where the manifest has its default.
type edit struct{ old, new string }

// folders are those of config that the chart holds, in the order of reading.
func folders() []string {
	return []string{"crd", "manager", "rbac", "webhook", "admission", "prometheus"}
}

// Templates returns the templates by file name. The file system is config.
func Templates(config fs.FS) (map[string]string, error) {
	templates := map[string]string{}
	for _, folder := range folders() {
		data, err := fs.ReadFile(config, path.Join(folder, "kustomization.yaml"))
		if err != nil {
			return nil, err
		}
		var kustomization struct {
			Resources []string `json:"resources"`
		}
		if err := yaml.Unmarshal(data, &kustomization); err != nil {
			return nil, fmt.Errorf("config/%s/kustomization.yaml: %w", folder, err)
		}
		for _, resource := range kustomization.Resources {
			source := path.Join(folder, resource)
			manifest, err := fs.ReadFile(config, source)
			if err != nil {
				return nil, err
			}
			text, err := template(folder, source, string(manifest))
			if err != nil {
				return nil, err
			}
			templates[folder+"_"+path.Base(resource)] = text
		}
	}
	return templates, nil
}

// Generated tells whether a template of this file name is made here, now or once.
func Generated(name string) bool {
	return slices.ContainsFunc(folders(), func(folder string) bool { return strings.HasPrefix(name, folder+"_") })
}

func template(folder, source, manifest string) (string, error) {
	text := strings.ReplaceAll(manifest, "{{", `{{ "{{" }}`)
	wanted := edits()[source]
	if folder == "crd" {
		wanted = crdEdits()
	}
	for _, e := range wanted {
		if n := strings.Count(text, e.old); n != 1 {
			return "", fmt.Errorf("config/%s has %q %d times, the chart's template needs it once: change config/chartgen/edits.go with it", source, e.old, n)
		}
		text = strings.Replace(text, e.old, e.new, 1)
	}
	condition, err := conditionOf(folder, source, manifest)
	if err != nil {
		return "", err
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if condition != "" {
		text = "{{- if " + condition + " }}\n" + text + "{{- end }}\n"
	}
	return fmt.Sprintf(header, source) + text, nil
}

// conditionOf says when the objects of a file are rendered; empty is always.
func conditionOf(folder, source, manifest string) (string, error) {
	switch {
	case source == "manager/namespace.yaml": // made by helm install --create-namespace then
		return `ne .Release.Namespace "virtfoundry-system"`, nil
	case folder == "prometheus":
		return `and .Values.metrics.serviceMonitor.enabled (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")`, nil
	case folder == "admission":
		for _, key := range []string{"namespaceGuard", "kubevirtGuard", "crAdmission"} {
			if strings.Contains(manifest, "cato.dev/guard: "+key+"}") {
				return fmt.Sprintf(`and .Values.%s.enabled (include "cato.guardable" .)`, key), nil
			}
		}
		return "", fmt.Errorf("config/%s: label cato.dev/guard names none of the chart's switches namespaceGuard, kubevirtGuard and crAdmission", source)
	}
	return "", nil
}
