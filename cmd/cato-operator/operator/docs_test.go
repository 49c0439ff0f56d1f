package operator

import (
	"os"
	"regexp"
	"testing"

	"github.com/spf13/pflag"
)

func TestEveryFlagIsExplained(t *testing.T) {
	page, err := os.ReadFile("../../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	options := Defaults()
	flags := pflag.NewFlagSet("cato-operator", pflag.ContinueOnError)
	options.AddFlags(flags)
	explained := map[string]bool{"kubeconfig": false}
	flags.VisitAll(func(f *pflag.Flag) { explained[f.Name] = false })
	for _, found := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)`").FindAllSubmatch(page, -1) {
		name := string(found[1])
		if _, known := explained[name]; !known {
			t.Errorf("operating.md explains --%s, which there is not", name)
		}
		explained[name] = true
	}
	for name, is := range explained {
		if !is {
			t.Errorf("operating.md does not explain --%s", name)
		}
	}
}
