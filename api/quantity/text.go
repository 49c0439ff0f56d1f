// Package quantity holds the type by which every Cato CRD carries a Kubernetes quantity.
package quantity

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Text is a quantity as its author wrote it, for example `4Gi`, `500m` or `12`.
//
// resource.Quantity parses while it decodes, so a single stored `1e1.5` makes the typed decode of a whole
// list fail and blinds the watch behind it, and `1e30` decodes to a value that reads as 0. Text never
// parses: decoding accepts any JSON value, and the policy facts turn what is no quantity into a refusal
// that names object, field and value.
//
// A JSON string is kept as its content, every other value as its JSON text (`12` becomes "12", `1e30`
// becomes "1e30"); null and an absent field are the empty Text. Encoding always writes a JSON string, as
// resource.Quantity does, so that no text is changed by a round trip.
//
// The schema is x-kubernetes-int-or-string; the empty Type marker keeps controller-gen from adding
// `type: string`, which would refuse a number.
//
// +kubebuilder:validation:XIntOrString
// +kubebuilder:validation:Type=""
// +kubebuilder:validation:MaxLength=256
type Text string

// UnmarshalJSON keeps the raw text. It returns an error only for bytes that are not JSON.
func (t *Text) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, []byte("null")) {
		*t = ""
		return nil
	}
	if len(data) > 0 && data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return fmt.Errorf("quantity: malformed JSON string: %w", err)
		}
		*t = Text(s)
		return nil
	}
	if !json.Valid(data) {
		return fmt.Errorf("quantity: %d bytes are no JSON value: write a quantity such as \"4Gi\" or 12", len(data))
	}
	*t = Text(data)
	return nil
}

// MarshalJSON writes the text as a JSON string.
func (t Text) MarshalJSON() ([]byte, error) {
	return json.Marshal(string(t))
}

// String returns the text as it was written.
func (t Text) String() string { return string(t) }
