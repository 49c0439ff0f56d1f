package chartgen

// keep has Helm leave an object when the release goes.
const keep = "    helm.sh/resource-policy: keep\n"

// crdEdits have a CustomResourceDefinition upgraded with the release, which crds/ would not be, and outlive it: with it would
// go every Tenant and every machine. Argo CD neither prunes nor deletes it, and applies it on the server, for its size.
func crdEdits() []edit {
	const annotations = "  annotations:\n"
	return []edit{{"metadata:\n" + annotations, "metadata:\n" + annotations + keep +
		"    argocd.argoproj.io/sync-options: ServerSideApply=true,Prune=false,Delete=false\n"}}
}

func edits() map[string][]edit {
	const enabled = "namespaceObject.metadata.?labels[?'cato.dev/vm-namespace'].orValue('') == 'true'\n"
	vmNamespaces := edit{enabled, enabled[:len(enabled)-1] + `{{ with .Values.vmNamespaces }} || request.namespace in ['{{ join "', '" . }}']{{ end }}` + "\n"}
	const prefixes = "['quay.io/containerdisks/', 'quay.io/kubevirt/', 'ghcr.io/virtfoundry/']"
	return map[string][]edit{
		"manager/namespace.yaml": {{"  name: virtfoundry-system\n", "  name: virtfoundry-system\n  annotations:\n" + keep}},
		"manager/state.yaml":     {{"  name: cato-state\n", "  name: cato-state\n  annotations:\n" + keep}},
		"manager/manager.yaml": {
			{"  replicas: 1\n", "  replicas: {{ .Values.replicas }}\n"},
			{"image: cato-operator:latest\n", "image: {{ include \"cato.image\" . }}\n"},
			{"imagePullPolicy: IfNotPresent\n", "imagePullPolicy: {{ .Values.image.pullPolicy }}\n"},
			{"            - --leader-elect\n", "            {{- if .Values.leaderElection }}\n            - --leader-elect\n            {{- end }}\n"},
			{"--metrics-bind-address=:8080\n", "--metrics-bind-address={{ if .Values.metrics.enabled }}:8080{{ else }}0{{ end }}\n"},
			{"            requests: {cpu: 50m, memory: 128Mi}\n            limits: {cpu: 500m, memory: 512Mi}\n", "            {{- toYaml .Values.resources | nindent 12 }}\n"},
			{"            - {name: GOMEMLIMIT, value: 448MiB}\n", "            {{- if eq (dig \"limits\" \"memory\" \"\" .Values.resources) \"512Mi\" }}\n            - {name: GOMEMLIMIT, value: 448MiB}\n            {{- end }}\n" +
				"            {{- with .Values.imageAllowlist.prefixes }}\n            - {name: VIRTFOUNDRY_ALLOWED_CONTAINER_IMAGE_PREFIXES, value: {{ join \",\" . | quote }}}\n            {{- end }}\n"},
		},
		"admission/object_guard.yaml":   {vmNamespaces},
		"admission/kubevirt_guard.yaml": {vmNamespaces},
		"admission/image_guard.yaml":    {{prefixes, `{{ with .Values.imageAllowlist.prefixes }}['{{ join "', '" . }}']{{ else }}` + prefixes + "{{ end }}"}},
		"admission/pod_guard.yaml":      {{"system:serviceaccount:kubevirt:kubevirt-controller", "system:serviceaccount:{{ .Values.kubevirt.namespace }}:kubevirt-controller"}},
	}
}
