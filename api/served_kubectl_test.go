package api_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (s *served) samples(t *testing.T) {
	s.kubectl(t, "create", "namespace", "virtfoundry-tenant-acme")
	files, err := filepath.Glob(filepath.Join(samples, "virtfoundry_*.yaml"))
	if err != nil || len(files) != len(virtfoundryKinds)+1 {
		t.Fatalf("%d samples of %d kinds: %v", len(files), len(virtfoundryKinds)+1, err)
	}
	arguments := []string{"apply", "--server-side"}
	for _, file := range files {
		arguments = append(arguments, "-f", file)
	}
	s.kubectl(t, arguments...)
}

// By the short name and with the columns that the sheet has; where it has none, a kind shows more than name and age.
func (s *served) columns(t *testing.T) {
	for short, want := range map[string]string{
		"vf-tenant": "NAME PHASE NAMESPACE AGE", "vf-instance": "NAME PHASE IP AGE", "vf-vpc": "NAME PHASE NAMESPACE CIDR AGE",
		"vf-offering": "NAME CPU MEMORY-MI DEDICATED AGE", "vf-template": "NAME SOURCE OS PHASE AGE", "vf-network": "NAME TYPE CIDR PHASE AGE",
		"vf-ip": "NAME ADDRESS NETWORK NIC PHASE AGE", "vf-disk": "NAME SIZE-GI INSTANCE PHASE AGE", "vf-disksnap": "NAME DISK PHASE AGE",
		"vf-isnap": "NAME INSTANCE PHASE AGE", "vf-sshkey": "NAME FINGERPRINT AGE", "vf-sg": "NAME PHASE NETWORKPOLICY AGE",
		"vf-user": "NAME USERNAME TENANT ROLE STATE AGE", "vf-role": "NAME SYSTEM AGE", "vf-apikey": "NAME USER PREFIX EXPIRES AGE",
	} {
		header, _, _ := strings.Cut(s.kubectl(t, "get", short, "-n", "virtfoundry-tenant-acme"), "\n")
		if got := strings.Join(strings.Fields(header), " "); got != want {
			t.Errorf("kubectl get %s: %s, want %s", short, got, want)
		}
	}
}

func (s *served) explain(t *testing.T) {
	fields := 0
	for kind, served := range virtfoundryKinds {
		root := readCRD(t, virtfoundryCRD(kind)).Spec.Versions[0].Schema.OpenAPIV3Schema
		for _, part := range []string{"spec", "status"} {
			text := strings.Join(strings.Fields(s.kubectl(t, "explain", served.plural+".virtfoundry.io."+part)), " ")
			if strings.Contains(text, "no description") {
				t.Errorf("%s.%s has a field without a description: %s", kind, part, text)
			}
			for _, field := range slices.Sorted(maps.Keys(root.Properties[part].Properties)) {
				fields++
				property := root.Properties[part].Properties[field]
				if !strings.Contains(text, strings.Join(strings.Fields(property.Description), " ")) {
					t.Errorf("kubectl explain %s.%s does not say what %s is", served.plural, part, field)
				}
			}
		}
	}
	if fields < 100 {
		t.Errorf("only %d fields were explained", fields)
	}
}
