package process

import (
	"reflect"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestAnImageChoosesWhatRuns(t *testing.T) {
	images := Images{
		Programs: map[string]string{"cdi-importer": "/built/cdi-importer", "virt-api": "/built/virt-api", "cdi-cloner": "/built/cdi-cloner"},
		Scripts:  map[string]string{"cdi-cloner": "run it"},
		Idle:     []string{"virt-launcher"},
	}
	tests := map[string]struct {
		image, container string
		command, args    []string
		want             entry
		fails            bool
	}{
		"its program": {
			image: "registry.invalid/kubevirt/cdi-importer:v1", args: []string{"-v=1"},
			want: entry{Program: "/built/cdi-importer", At: "/program/cdi-importer", Argv: []string{"/program/cdi-importer", "-v=1"}},
		},
		"by digest": {
			image: "registry.invalid/cdi-importer@sha256:00",
			want:  entry{Program: "/built/cdi-importer", At: "/program/cdi-importer", Argv: []string{"/program/cdi-importer"}},
		},
		"the command's program": {
			image: "other", command: []string{"/usr/bin/virt-api", "--port"}, args: []string{"8443"},
			want: entry{Program: "/built/virt-api", At: "/program/virt-api", Argv: []string{"/program/virt-api", "--port", "8443"}},
		},
		"a script": {
			image: "cdi-cloner",
			want:  entry{Program: "/built/cdi-cloner", At: "/program/cdi-cloner", Argv: []string{"/bin/sh", "-ec", "run it"}},
		},
		"a command of the machine": {image: "other", command: []string{"/bin/true"}, want: entry{Argv: []string{"/bin/true"}}},
		"nothing":                  {image: "virt-launcher", container: "compute", command: []string{"/usr/bin/virt-launcher"}, want: entry{Idle: true}},
		"nothing, and once":        {image: "virt-launcher", container: "container-disk-binary", want: entry{Done: true}},
		"no known program":         {image: "other", fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := images.entryOf(test.image, test.container, test.command, test.args)
			if (err != nil) != test.fails || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}

func TestTheResolverIsThatOfThePod(t *testing.T) {
	dns := &runtimeapi.DNSConfig{Servers: []string{"10.200.0.1"}, Searches: []string{"a.svc", "svc"}, Options: []string{"ndots:5"}}
	if got, want := resolvConf(dns), "nameserver 10.200.0.1\nsearch a.svc svc\noptions ndots:5\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := resolvConf(nil); got != "" {
		t.Errorf("without a configuration it is %q", got)
	}
}
