package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
)

// schemaText is a small input document in the dialect of the facts.
const schemaText = `{
  "type": "object", "additionalProperties": false,
  "$defs": {"nic": {"type": "object", "additionalProperties": false, "properties": {
    "name": {"type": "string"}, "binding": {"type": "string", "enum": ["masquerade", "bridge"]}, "network": {"type": "string"}}}},
  "properties": {
    "moment": {"type": "string"},
    "network": {"type": "object", "additionalProperties": false, "properties": {
      "nics": {"type": "array", "items": {"$ref": "#/$defs/nic"}},
      "open": {"type": "boolean"},
      "policies": {"type": "array", "items": {"type": "string"}}}},
    "guest": {"type": "object", "additionalProperties": false, "properties": {
      "password": {"type": "boolean"},
      "size": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "params": {"type": "object", "additionalProperties": false, "properties": {"maximum": {"type": "integer"}}},
    "exceptions": {"type": "array", "items": {"type": "string"}}
  }
}`

const goodText = `{
  "moment": "live",
  "network": {"nics": [{"name": "default", "binding": "masquerade", "network": "pod"}], "open": false, "policies": ["deny"]},
  "guest": {"password": false, "size": null},
  "labels": {},
  "params": {"maximum": 3},
  "exceptions": []
}`

func decoded(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// good returns facts that comply, after the edits: dotted path -> value as JSON, or "" to take the fact away.
func good(t testing.TB, edits map[string]string) ast.Value {
	t.Helper()
	document := decoded(t, goodText)
	for path, value := range edits {
		var at trail
		for _, key := range strings.Split(path, ".") {
			at = append(at, key)
		}
		if value == "" {
			document = remove(document, at)
		} else {
			document = replace(document, at, decoded(t, value))
		}
	}
	value, err := ast.InterfaceToValue(document)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func known(control string, _, _ []string) error {
	if control != "sc-7" {
		return errors.New("not in the catalog")
	}
	return nil
}

// ruleText is a whole rule with the body given; its package is cato.rules.<name>.
func ruleText(name, id, body string) string {
	return `# METADATA
# title: A rule
# description: For tests.
# custom:
#   id: ` + id + `
#   topic: network-isolation
#   severity: high
#   subjects: [VirtualMachine]
#   controls: [{id: sc-7}]
#   remediation: Mend it.
package cato.rules.` + name + "\n\nimport data.cato.lib.result\n" + body
}

const closedBody = `
judged contains "network"

report contains result.pass("network", {"open": false}) if input.network.open == false

report contains result.fail("network", "it is open", {"open": true}) if input.network.open == true
`

const grantText = `# METADATA
# title: Pod network
# description: For tests.
# custom:
#   source: a label
#   on_refusal: refuse
#   subjects: [VirtualMachine]
package cato.grants.pod_network

given contains {"because": "the guest has no password", "evidence": {"guest": input.guest}} if input.guest.password == false

given contains {"because": "an exception", "evidence": {}} if "pod_network" in input.exceptions
`

// bundleWith is a bundle of the real libraries and the files given, each a path below rules/ without suffix.
func bundleWith(t testing.TB, files map[string]string) fstest.MapFS {
	t.Helper()
	bundle := fstest.MapFS{}
	for _, name := range []string{"cato.rego", "lib/result.rego", "lib/verdict.rego"} {
		text, err := os.ReadFile("../bundle/" + name)
		if err != nil {
			t.Fatal(err)
		}
		bundle[name] = &fstest.MapFile{Data: text}
	}
	for name, text := range files {
		bundle[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return bundle
}

func rules(bodies map[string]string) map[string]string {
	files := map[string]string{}
	for id, body := range bodies {
		name := strings.ToLower(strings.ReplaceAll(id, "-", "_"))
		files["rules/test/"+name+"/"+name+".rego"] = ruleText("test."+name, id, body)
	}
	return files
}

func plus(all ...map[string]string) map[string]string {
	sum := map[string]string{}
	for _, m := range all {
		maps.Copy(sum, m)
	}
	return sum
}

func source(t testing.TB, bundle fs.FS) Source {
	t.Helper()
	return Source{Bundle: bundle, Schema: decoded(t, schemaText), Catalog: known, Deadline: 10 * time.Second}
}

func load(t testing.TB, files map[string]string) *Set {
	t.Helper()
	s, err := Load(context.Background(), source(t, bundleWith(t, files)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func words(verdicts []Verdict) map[string]Value {
	said := map[string]Value{}
	for _, v := range verdicts {
		said[v.Rule.ID] = v.Value
	}
	return said
}

// writtenEvidence compares evidence as it is written.
func writtenEvidence() cmp.Option {
	return cmp.Transformer("JSON", func(f Finding) [4]string {
		return [4]string{f.Target, string(f.Verdict), f.Message, string(f.EvidenceJSON())}
	})
}
