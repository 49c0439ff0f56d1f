package check

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes a report with one verdict a line. It makes one verdict at a
// time: those of ten thousand machines need more memory as text than as facts.
func (r *Report) WriteJSON(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	fmt.Fprintf(out, "{\n  \"apiVersion\": %q,\n  \"kind\": %q,\n  \"revision\": %q,\n  \"verdicts\": [", r.APIVersion, r.Kind, r.Revision)
	for i := range r.Verdicts {
		text, err := plainJSON(&r.Verdicts[i])
		if err != nil {
			return fmt.Errorf("verdict of %s on %s: %w", r.Verdicts[i].Rule, r.Verdicts[i].Subject, err)
		}
		separator := ",\n    "
		if i == 0 {
			separator = "\n    "
		}
		fmt.Fprintf(out, "%s%s", separator, text)
	}
	fmt.Fprint(out, "\n  ]")
	for _, field := range []struct {
		name  string
		value any
	}{{"assumptions", r.Assumptions}, {"later", r.Later}, {"skipped", r.Skipped}, {"errors", r.Errors}} {
		text, err := plainJSON(field.value)
		if err != nil {
			return fmt.Errorf("%s: %w", field.name, err)
		}
		fmt.Fprintf(out, ",\n  %q: %s", field.name, text)
	}
	fmt.Fprint(out, "\n}\n")
	return out.Flush()
}

// plainJSON leaves <, > and & as they are, since no browser reads this.
func plainJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
