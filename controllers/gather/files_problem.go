package gather

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	sigsyaml "sigs.k8s.io/yaml"
)

// decodingProblem says what a decoder of typed objects could not read, with
// field, value and remedy. The value of a Secret is not repeated.
func decodingProblem(kind string, data []byte, err error) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		if problem := badQuantities(data); problem != nil {
			return problem
		}
		return fmt.Errorf("it could not be decoded, correct the field: %w", err)
	}
	found, value, _ := strings.Cut(mismatch.Value, " ")
	if value != "" && kind != "Secret" {
		found += " " + value
	}
	problem := fmt.Errorf("%s: holds a JSON %.64s where %s belongs: correct the value", mismatch.Field, found, inWords(mismatch.Type))
	return errors.Join(problem, badQuantities(data))
}

func inWords(t reflect.Type) string {
	if t == nil {
		return "another type"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("a whole number of %d bits", t.Bits())
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "a map of fields"
	}
}

// badQuantities names the fields that hold no quantity, which a decoder of
// typed objects does not tell.
func badQuantities(data []byte) error {
	var document any
	if err := sigsyaml.Unmarshal(data, &document); err != nil {
		return nil // told already
	}
	var problems []error
	walk("", document, false, func(path, text string) {
		if _, err := resource.ParseQuantity(text); err != nil {
			problems = append(problems, fmt.Errorf("%s: %.64q is no quantity: write a number with a suffix, such as 10Gi or 500m", path, text))
		}
	})
	return errors.Join(problems...)
}

// walk visits the texts of those fields that hold quantities in the kinds that are read.
func walk(path string, value any, quantities bool, visit func(path, text string)) {
	switch v := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			walk(strings.TrimPrefix(path+"."+key, "."), v[key], quantities || holdsQuantities(key), visit)
		}
	case []any:
		for i, item := range v {
			walk(fmt.Sprintf("%s[%d]", path, i), item, false, visit)
		}
	case string:
		if quantities {
			visit(path, v)
		}
	}
}

func holdsQuantities(field string) bool {
	switch field {
	case "hard", "used", "requests", "limits", "capacity", "min", "max", "default", "defaultRequest", "maxLimitRequestRatio", "guest", "maxGuest":
		return true
	}
	return false
}
