package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"cato.dev/cato/config/crd"
)

// validators hold what an API server would check of each kind of Cato before
// it stores an object: the schema, list types and CEL.
type validators map[schema.GroupVersionKind]*validator

type validator struct {
	namespaced bool
	structural *structuralschema.Structural
	schema     validation.SchemaValidator
	cel        *cel.Validator
}

func newValidators() (validators, error) {
	files, err := crd.FS()
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	all := validators{}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if err := all.add(data); err != nil {
			return nil, fmt.Errorf("embedded %s: %w", name, err)
		}
	}
	return all, nil
}

func (all validators) add(manifest []byte) error {
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(manifest, definition); err != nil {
		return err
	}
	for _, version := range definition.Spec.Versions {
		internal := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, internal, nil); err != nil {
			return err
		}
		structural, err := structuralschema.NewStructural(internal)
		if err != nil {
			return err
		}
		byOpenAPI, _, err := validation.NewSchemaValidator(internal)
		if err != nil {
			return err
		}
		kind := schema.GroupVersionKind{Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind}
		all[kind] = &validator{
			namespaced: definition.Spec.Scope == apiextensionsv1.NamespaceScoped,
			structural: structural, schema: byOpenAPI, cel: cel.NewValidator(structural, true, celconfig.PerCallLimit),
		}
	}
	return nil
}

// validate returns an error a field, each with field, value and remedy.
func (all validators) validate(ctx context.Context, kind schema.GroupVersionKind, document []byte) error {
	v := all[kind]
	if v == nil {
		return nil // a list
	}
	object := map[string]any{}
	if err := json.Unmarshal(document, &object); err != nil {
		return fmt.Errorf("not an object: %w", err)
	}
	defaulting.Default(object, v.structural)
	errs := v.metadata(object)
	errs = append(errs, validation.ValidateCustomResource(nil, object, v.schema)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, v.structural, object)...)
	if !slices.ContainsFunc(errs, blocksCEL) {
		byCEL, _ := v.cel.Validate(ctx, nil, v.structural, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, byCEL...)
	}
	return sentences(errs, object)
}

// blocksCEL tells, as an API server does, whether CEL would stumble over what
// the schema has already refused.
func blocksCEL(err *field.Error) bool {
	switch err.Type {
	case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
		return true
	default:
		return false
	}
}

// metadata is checked as kubectl would send it: into the default namespace.
func (v *validator) metadata(object map[string]any) field.ErrorList {
	meta := &unstructured.Unstructured{Object: object}
	path := field.NewPath("metadata")
	if meta.GetName() == "" {
		return field.ErrorList{field.Required(path.Child("name"), "give the object a name")}
	}
	named := &unstructured.Unstructured{Object: map[string]any{"metadata": object["metadata"]}}
	if v.namespaced && meta.GetNamespace() == "" {
		named = named.DeepCopy()
		named.SetNamespace("default")
	}
	return apivalidation.ValidateObjectMetaAccessor(named, v.namespaced, apivalidation.NameIsDNSSubdomain, path)
}

func sentences(errs field.ErrorList, object map[string]any) error {
	var problems []error
	seen := map[string]bool{}
	for _, err := range errs {
		text := sentence(err, object)
		if !seen[text] {
			problems = append(problems, errors.New(text))
		}
		seen[text] = true
	}
	return errors.Join(problems...)
}

// valueAt finds what lies at the path of an error, such as spec.dataDisks[0].size; the path itself where nothing does.
func valueAt(object any, path string) any {
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		switch v := object.(type) {
		case map[string]any:
			object = v[step]
		case []any:
			index, err := strconv.Atoi(step)
			if err != nil || index < 0 || index >= len(v) {
				return path
			}
			object = v[index]
		default:
			return path
		}
	}
	return object
}

const longestValue = 100

func sentence(err *field.Error, object map[string]any) string {
	where := strings.TrimPrefix(err.Field, "<nil>")
	if where != "" {
		where += ": "
	}
	switch err.Type {
	case field.ErrorTypeRequired:
		return where + orElse(err.Detail, "is missing: add it")
	case field.ErrorTypeTypeInvalid:
		return fmt.Sprintf("%s%s: %s", where, shortened(valueAt(object, err.Field)), strings.TrimPrefix(err.Detail, err.Field+" in body "))
	case field.ErrorTypeDuplicate:
		return fmt.Sprintf("%s%v is there twice: leave one out", where, shortened(err.BadValue))
	case field.ErrorTypeNotSupported:
		return fmt.Sprintf("%s%q is not supported: use one of the %s", where, shortened(err.BadValue), err.Detail)
	}
	switch err.BadValue.(type) {
	case string, int64, float64, bool:
		text := shortened(err.BadValue)
		if strings.Contains(err.Detail, text) {
			return where + err.Detail
		}
		return fmt.Sprintf("%s%q: %s", where, text, err.Detail)
	default: // an object says nothing that its fields' errors do not
		return where + orElse(err.Detail, string(err.Type))
	}
}

func shortened(value any) string {
	text := fmt.Sprint(value)
	if len(text) > longestValue {
		return string(bytes.ToValidUTF8([]byte(text[:longestValue]), nil)) + "…"
	}
	return text
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
