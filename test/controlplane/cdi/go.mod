module cato.dev/cato/test/controlplane/cdi

go 1.26.0

require (
	kubevirt.io/containerized-data-importer v1.65.0
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.2 // indirect
