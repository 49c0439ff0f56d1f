package server

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Document is the last part of a document's address.
type Document string

// The documents that are served.
const (
	ComponentDefinition Document = "component-definition"
	AssessmentPlan      Document = "assessment-plan"
	AssessmentResults   Document = "assessment-results"
	Verdicts            Document = "verdicts"
)

const root = "/oscal/v1/"

// Request is what a reader asks for.
type Request struct {
	Document  Document
	Namespace string // empty for the whole cluster
	ByRule    bool   // one observation a rule
}

// documentOf finds the document by the path of the address.
func documentOf(path string) (Document, bool) {
	name, below := strings.CutPrefix(path, root)
	doc := Document(name)
	return doc, below && slices.Contains([]Document{ComponentDefinition, AssessmentPlan, AssessmentResults, Verdicts}, doc)
}

// parameters reads the query. What is unknown, repeated or has no meaning for the document is refused: a reader who
// misspells a namespace must not get the whole cluster.
func parameters(doc Document, query string) (request Request, format string, err error) {
	request.Document = doc
	values, err := url.ParseQuery(query)
	if err != nil {
		return request, "", fmt.Errorf("query: %w", err)
	}
	for name, given := range values {
		if len(given) != 1 {
			return request, "", fmt.Errorf("parameter %s: given %d times; give it once", name, len(given))
		}
		value := given[0]
		switch name {
		case "namespace":
			if problems := validation.IsDNS1123Label(value); len(problems) > 0 {
				return request, "", fmt.Errorf("parameter namespace %q: %s", value, strings.Join(problems, "; "))
			}
			request.Namespace = value
		case "view":
			if value != "rules" || doc != AssessmentResults {
				return request, "", fmt.Errorf("parameter view %q: only view=rules, and only of assessment-results", value)
			}
			request.ByRule = true
		case "format":
			if value != formatJSON && value != formatYAML || doc == Verdicts {
				return request, "", fmt.Errorf("parameter format %q: json or yaml, and not for verdicts", value)
			}
			format = value
		default:
			return request, "", fmt.Errorf("parameter %q: unknown; there are namespace, view and format", name)
		}
	}
	return request, format, nil
}

const (
	formatJSON = "json"
	formatYAML = "yaml"
)

// formatOf is what the query says, else the first form that Accept names, else JSON.
func formatOf(doc Document, asked string, accept []string) string {
	if asked != "" || doc == Verdicts {
		return asked
	}
	for _, part := range strings.Split(strings.Join(accept, ","), ",") {
		kind, _, err := mime.ParseMediaType(part)
		switch {
		case err != nil:
		case kind == "application/yaml" || kind == "application/x-yaml" || kind == "text/yaml":
			return formatYAML
		case kind == "application/json" || kind == "application/*" || kind == "*/*":
			return formatJSON
		}
	}
	return formatJSON
}

func contentType(doc Document, format string) string {
	switch {
	case doc == Verdicts:
		return "application/x-ndjson"
	case format == formatYAML:
		return "application/yaml"
	default:
		return "application/json"
	}
}

// acceptsGzip reports whether the reader takes gzip; a quality of zero says that it does not.
func acceptsGzip(header http.Header) bool {
	for _, part := range strings.Split(strings.Join(header.Values("Accept-Encoding"), ","), ",") {
		coding, params, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) != "gzip" {
			continue
		}
		quality, _ := strings.CutPrefix(strings.TrimSpace(params), "q=")
		return strings.Trim(quality, "0.") != "" || quality == ""
	}
	return false
}

// unchanged reports whether the reader already has the content of the tag.
func unchanged(header http.Header, tag string) bool {
	for _, part := range strings.Split(strings.Join(header.Values("If-None-Match"), ","), ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "W/")
		if part == "*" || part == tag {
			return true
		}
	}
	return false
}
