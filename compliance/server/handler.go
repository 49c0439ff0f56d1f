package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Content is a document that is ready to be written.
type Content struct {
	ETag     string // equal for equal bytes, without quotes
	Modified time.Time
	Write    func(io.Writer) error
}

// ErrNotFound says that there is nothing to be said about the scope.
var ErrNotFound = errors.New("nothing is judged in this scope")

// Provider makes a document; ErrNotFound when the scope has none.
type Provider func(ctx context.Context, request Request) (Content, error)

// Bounds of one process.
const (
	maxToken      = 16 << 10
	maxCompressed = 64 << 20 // of one document, compressed
	rendering     = 2        // documents made at the same time
	patience      = 30 * time.Second
)

// Handler answers requests for documents. It serves many goroutines.
type Handler struct {
	provide Provider
	reviews *reviews
	slots   chan struct{}
}

// NewHandler returns the handler of the documents of a provider.
func NewHandler(provide Provider, authenticate Authenticate, authorize Authorize) *Handler {
	return &Handler{
		provide: provide, reviews: newReviews(authenticate, authorize, time.Now), slots: make(chan struct{}, rendering),
	}
}

// refusal is an answer that is not a document.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

func refuse(status int, format string, args ...any) error {
	return refusal{status, fmt.Sprintf(format, args...)}
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", "Accept, Accept-Encoding, Authorization")
	err := h.serve(w, r)
	if err == nil {
		return
	}
	var answer refusal
	if !errors.As(err, &answer) {
		log.FromContext(r.Context()).Error(err, "OSCAL document", "path", r.URL.Path, "query", r.URL.RawQuery)
		answer = refusal{http.StatusInternalServerError, "the document could not be made; the operator's log says why"}
	}
	switch answer.status {
	case http.StatusUnauthorized:
		header.Set("WWW-Authenticate", `Bearer realm="cato"`)
	case http.StatusMethodNotAllowed:
		header.Set("Allow", "GET, HEAD")
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", "10")
	}
	http.Error(w, answer.text, answer.status)
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	doc, known := documentOf(r.URL.Path)
	if !known {
		return refuse(http.StatusNotFound, "no such document; there are component-definition, assessment-plan, assessment-results and verdicts below %s", root)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return refuse(http.StatusMethodNotAllowed, "method %s: documents are only read, by GET", r.Method)
	}
	token, user, err := h.authenticate(r)
	if err != nil {
		return err
	}
	request, asked, err := parameters(doc, r.URL.RawQuery)
	if err != nil {
		return refuse(http.StatusBadRequest, "%s", err)
	}
	if err := h.authorize(r.Context(), token, user, request); err != nil {
		return err
	}
	return h.answer(w, r, request, formatOf(doc, asked, r.Header.Values("Accept")))
}

func (h *Handler) authenticate(r *http.Request) (string, User, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "bearer") || token == "" || len(token) > maxToken {
		return "", User{}, refuse(http.StatusUnauthorized, "a bearer token is needed, for instance of: kubectl create token NAME")
	}
	user, err := h.reviews.user(r.Context(), token)
	switch {
	case errors.Is(err, ErrUnauthenticated):
		return "", User{}, refuse(http.StatusUnauthorized, "%s", err)
	case err != nil:
		return "", User{}, h.notAsked(r.Context(), err)
	}
	return token, user, nil
}

func (h *Handler) authorize(ctx context.Context, token string, user User, request Request) error {
	if request.Document == ComponentDefinition {
		return nil
	}
	allowed, err := h.reviews.may(ctx, token, user, request.Namespace)
	if err != nil {
		return h.notAsked(ctx, err)
	}
	where := "in the whole cluster (a ClusterRoleBinding); add ?namespace=N for one namespace"
	if request.Namespace != "" {
		where = fmt.Sprintf("in namespace %q", request.Namespace)
	}
	if !allowed {
		return refuse(http.StatusForbidden, "user %q may not get compliancereports/oscal of group cato.dev %s", user.Name, where)
	}
	return nil
}

// notAsked is neither yes nor no, so the reader may try again.
func (h *Handler) notAsked(ctx context.Context, err error) error {
	log.FromContext(ctx).Error(err, "review of a reader of OSCAL documents")
	return refuse(http.StatusServiceUnavailable, "the API server could not be asked who you are and what you may read")
}

// answer makes the whole document before it promises anything: what the strict check refuses is an error, not a
// document that is cut off. It is held compressed.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, request Request, format string) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return refuse(http.StatusServiceUnavailable, "too many documents are being made; try again")
	}
	content, err := h.provide(ctx, request)
	if errors.Is(err, ErrNotFound) {
		return refuse(http.StatusNotFound, "%s: %s", scopeOf(request), ErrNotFound)
	}
	if err != nil {
		return err
	}
	tag := `"` + content.ETag + "." + orJSON(format) + `"`
	header := w.Header()
	header.Set("ETag", tag)
	header.Set("Last-Modified", content.Modified.UTC().Format(http.TimeFormat))
	if unchanged(r.Header, tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	body, err := compressed(content, format)
	if err != nil {
		header.Del("ETag")
		header.Del("Last-Modified")
		return err
	}
	header.Set("Content-Type", contentType(request.Document, format))
	return send(w, r, tag, body)
}

func orJSON(format string) string {
	if format == "" {
		return formatJSON
	}
	return format
}

func scopeOf(request Request) string {
	if request.Namespace == "" {
		return "the cluster"
	}
	return fmt.Sprintf("namespace %q", request.Namespace)
}
