package controlplane

import (
	"os/exec"
	"strings"
	"testing"
)

func TestAMachineThatLacksSomethingIsToldInOneLine(t *testing.T) {
	tests := map[string]struct {
		user   int
		cdi    bool
		absent []string
		want   string
	}{
		"all is there":          {cdi: true},
		"no root":               {user: 1000, want: "needs root"},
		"no iproute2":           {absent: []string{"ip"}, want: "needs ip: make deps installs the packages iproute2"},
		"nothing for CDI":       {cdi: true, absent: []string{"qemu-img", "nbdkit"}, want: "make deps installs the packages qemu-utils, nbdkit"},
		"CDI is not asked for":  {absent: []string{"qemu-img", "nbdkit"}},
		"no root and no nbdkit": {user: 1000, cdi: true, absent: []string{"nbdkit"}, want: "make deps then installs qemu-utils, nbdkit and iproute2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := checkMachine(test.cdi, test.user, func(program string) (string, error) {
				for _, absent := range test.absent {
					if program == absent {
						return "", exec.ErrNotFound
					}
				}
				return "/usr/bin/" + program, nil
			})
			if test.want == "" {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, test.want)
			}
		})
	}
}

func TestOptionsThatContradictThemselvesAreNamed(t *testing.T) {
	tests := map[string]struct {
		options Options
		sets    []CRDSet
		want    string
	}{
		"too many nodes":             {Options{Nodes: 10}, nil, "options: Nodes: 10"},
		"fewer than none":            {Options{Nodes: -1}, nil, "options: Nodes: -1"},
		"KubeVirt without its kinds": {Options{Nodes: 1, KubeVirt: true}, []CRDSet{CDICRDs}, "options: KubeVirt needs"},
		"CDI without its kinds":      {Options{Nodes: 1, CDI: true}, []CRDSet{KubeVirtCRDs}, "options: CDI needs"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := checkOptions(test.options, test.sets); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestAFolderThatIsTooLongForSocketsIsRefused(t *testing.T) {
	if err := runFolder("/tmp/cato-controlplane-0/run-1234567890").checkLength(); err != nil {
		t.Error(err)
	}
	long := runFolder("/" + strings.Repeat("x", longestFolder))
	if err := long.checkLength(); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("got %v, want an error that names TMPDIR", err)
	}
}
