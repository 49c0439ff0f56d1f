{{- define "cato.image" -}}
{{- if and .Values.image.requireDigest (not .Values.image.digest) -}}
{{- fail "image.requireDigest is true and image.digest is empty: set image.digest to the digest of the image, sha256:…" -}}
{{- end -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end -}}
{{- end -}}

{{/* What a client without a cluster knows of it is the version alone. */}}
{{- define "cato.guardable" -}}
{{- if or (.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy") (semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version) -}}
true
{{- end -}}
{{- end -}}
