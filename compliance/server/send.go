package server

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"cato.dev/cato/compliance/oscal"
)

// send writes the body as it is held, or for a reader without gzip as it is read back.
func send(w http.ResponseWriter, r *http.Request, tag string, body []byte) error {
	gzipped := acceptsGzip(r.Header)
	if gzipped {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		// Other bytes under the same name: the tag is weak (RFC 9110, 8.8.1).
		w.Header().Set("ETag", "W/"+tag)
	}
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	var from io.Reader = bytes.NewReader(body)
	if !gzipped {
		plain, err := gzip.NewReader(from)
		if err != nil {
			return nil // not reached: we compressed it
		}
		from = plain
	}
	if _, err := io.Copy(w, from); err != nil {
		log.FromContext(r.Context()).V(1).Info("a reader of an OSCAL document went away", "path", r.URL.Path, "cause", err.Error())
	}
	return nil
}

func compressed(content Content, format string) ([]byte, error) {
	limited := &limitedBuffer{limit: maxCompressed}
	zip := gzip.NewWriter(limited)
	if format != formatYAML {
		if err := errors.Join(content.Write(zip), zip.Close()); err != nil {
			return nil, err
		}
		return limited.Bytes(), nil
	}
	plain := &limitedBuffer{limit: oscal.YAMLLimit}
	err := content.Write(plain)
	if errors.Is(err, errTooLarge) {
		return nil, refuse(http.StatusNotAcceptable, "the document is too large for YAML; ask for JSON, or for view=rules")
	}
	if err != nil {
		return nil, err
	}
	text, err := oscal.YAML(plain.Bytes())
	if err != nil {
		return nil, err
	}
	_, err = zip.Write(text)
	if err := errors.Join(err, zip.Close()); err != nil {
		return nil, err
	}
	return limited.Bytes(), nil
}

var errTooLarge = errors.New("larger than its bound")

type limitedBuffer struct {
	bytes.Buffer
	limit int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}
