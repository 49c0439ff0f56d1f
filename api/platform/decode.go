package platform

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// maxFile is the most that a file may hold, in bytes: what a ConfigMap can.
const maxFile = 1 << 20

// Decode reads a file strictly and fills in the defaults. Every wrong key and value is named by its dotted path, with
// what to write instead.
func Decode(text []byte) (Config, error) {
	if len(text) > maxFile {
		return Config{}, fmt.Errorf("the file has %d bytes: use at most %d", len(text), maxFile)
	}
	document, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return Config{}, fmt.Errorf("the file is no YAML: %w: correct it at the line that is named", err)
	}
	var config Config
	strict, err := kjson.UnmarshalStrict(document, &config)
	if err != nil {
		return Config{}, fmt.Errorf("a value is of the wrong type: %w: see the table of keys in docs/operating.md", err)
	}
	problems := []error{}
	for _, problem := range strict {
		problems = append(problems, explain(problem))
	}
	filled := config.withDefaults()
	problems = append(problems, filled.check()...)
	if len(problems) > 0 {
		return Config{}, errors.Join(problems...)
	}
	return filled, nil
}

// explain tells what to do about a key that is not known.
func explain(problem error) error {
	var path string
	if _, err := fmt.Sscanf(problem.Error(), "unknown field %q", &path); err != nil {
		return fmt.Errorf("%w: write it once", problem)
	}
	for _, other := range []string{"networking.vm", "secrets", "api", "ingress", "gateway", "rbac", "networkPolicy", "kubevirt", "store", "config"} {
		if path == other || strings.HasPrefix(path, other+".") {
			return fmt.Errorf("%s is a key of VirtFoundry's API server, which this operator does not ship: remove it here and keep it in that product's values", path)
		}
	}
	parent, _ := cutLast(path)
	return fmt.Errorf("%s is no key: write one of %s, or remove it", path, strings.Join(keysAt(reflect.TypeFor[Config](), parent), ", "))
}

func cutLast(path string) (parent, key string) {
	at := strings.LastIndex(path, ".")
	if at < 0 {
		return "", path
	}
	return path[:at], path[at+1:]
}

// keysAt are the keys of the object at a dotted path, whole and sorted.
func keysAt(t reflect.Type, path string) []string {
	within := t
	for _, key := range strings.Split(path, ".") {
		key, _, _ = strings.Cut(key, "[")
		if key == "" {
			continue
		}
		within = fieldOf(within, key)
		for within != nil && (within.Kind() == reflect.Slice || within.Kind() == reflect.Pointer) {
			within = within.Elem()
		}
		if within == nil || within.Kind() != reflect.Struct {
			return []string{"the table in docs/operating.md"}
		}
	}
	keys := []string{}
	for i := range within.NumField() {
		name, _, _ := strings.Cut(within.Field(i).Tag.Get("json"), ",")
		if path != "" {
			name = path + "." + name
		}
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return keys
}

func fieldOf(t reflect.Type, key string) reflect.Type {
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name == key {
			return t.Field(i).Type
		}
	}
	return nil
}

// ImagePrefixes reads the comma list of EnvImagePrefixes: blanks are dropped, and a list of blanks alone is none.
func ImagePrefixes(list string) []string {
	var prefixes []string
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			prefixes = append(prefixes, entry)
		}
	}
	return prefixes
}
