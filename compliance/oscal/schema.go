package oscal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/defenseunicorns/go-oscal/src/pkg/validation"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Versions of OSCAL that can be written.
const (
	Version113     = "1.1.3"
	Version122     = "1.2.2"
	DefaultVersion = Version122
)

// Versions lists the accepted values of the setting for oscal-version.
func Versions() []string { return []string{Version113, Version122} }

// CheckVersion refuses a version that is not in Versions.
func CheckVersion(version string) error {
	if slices.Contains(Versions(), version) {
		return nil
	}
	return fmt.Errorf("oscal-version %q: must be one of %s", version, strings.Join(Versions(), ", "))
}

// Schema returns the decoded JSON Schema of the version, as go-oscal carries it.
func Schema(version string) (map[string]any, error) {
	if err := CheckVersion(version); err != nil {
		return nil, err
	}
	// go-oscal hands its schemas out only through a validator, and a validator only for a document.
	stub := map[string]any{"catalog": map[string]any{"metadata": map[string]any{"oscal-version": version}}}
	validator, err := validation.NewValidator(stub)
	if err != nil {
		return nil, fmt.Errorf("schema of OSCAL %s: %w", version, err)
	}
	params, err := validator.GetValidationParams()
	if err != nil {
		return nil, fmt.Errorf("schema of OSCAL %s: %w", version, err)
	}
	return params.SchemaData, nil
}

// compiled are the schemas of one version: the whole document, and the items that are streamed.
type compiled struct {
	document, observation, finding, item *jsonschema.Schema
}

// compiledSchema compiles once a version: it takes 50 ms, a validation of a small document less than one.
func compiledSchema(version string) (*compiled, error) {
	switch version {
	case Version113:
		return compiled113()
	case Version122:
		return compiled122()
	}
	return nil, CheckVersion(version)
}

var (
	compiled113 = sync.OnceValues(func() (*compiled, error) { return compileSchema(Version113) })
	compiled122 = sync.OnceValues(func() (*compiled, error) { return compileSchema(Version122) })
)

func compileSchema(version string) (*compiled, error) {
	data, err := Schema(version)
	if err != nil {
		return nil, err
	}
	const at = "oscal.json"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(at, any(data)); err != nil {
		return nil, fmt.Errorf("schema of OSCAL %s: %w", version, err)
	}
	var errs []error
	compile := func(fragment string) *jsonschema.Schema {
		schema, err := compiler.Compile(at + fragment)
		errs = append(errs, err)
		return schema
	}
	const common = "#/definitions/oscal-complete-oscal-"
	c := &compiled{
		document:    compile(""),
		observation: compile(common + "assessment-common:observation"),
		finding:     compile(common + "assessment-common:finding"),
		item:        compile(common + "implementation-common:inventory-item"),
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("schema of OSCAL %s: %w", version, err)
	}
	return c, nil
}

// schemaProblems are the leaves of the validator's tree: the branches above only repeat them.
func schemaProblems(schema *jsonschema.Schema, value any, base string) Problems {
	var failed *jsonschema.ValidationError
	err := schema.Validate(value)
	if err == nil {
		return nil
	}
	if !errors.As(err, &failed) {
		return Problems{{Pointer: base, Message: err.Error()}}
	}
	printer := message.NewPrinter(language.English)
	var found Problems
	var visit func(e *jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			visit(cause)
		}
		if len(e.Causes) == 0 {
			found = append(found, Problem{Pointer: base + pointer(e.InstanceLocation), Message: "schema: " + e.ErrorKind.LocalizedString(printer)})
		}
	}
	visit(failed)
	return withoutOtherModels(found)
}

// withoutOtherModels drops the noise of the oneOf at the root, which asks for each of the other models.
func withoutOtherModels(found Problems) Problems {
	deeper := slices.DeleteFunc(slices.Clone(found), func(p Problem) bool { return p.Pointer == "" })
	if len(deeper) > 0 {
		return deeper
	}
	return found
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(escapeToken(token))
	}
	return b.String()
}

func escapeToken(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}
