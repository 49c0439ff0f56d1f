package chaos_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"cato.dev/cato/test/controlplane/chaos"
)

// server answers each request with a ConfigMap and counts them.
func server(t *testing.T) (kubernetes.Interface, *chaos.Chaos, *atomic.Int32) {
	t.Helper()
	seen := &atomic.Int32{}
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		seen.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(&corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}})
	}))
	t.Cleanup(answers.Close)
	c := &chaos.Chaos{}
	config := &rest.Config{Host: answers.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	config.Wrap(c.Wrap)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client, c, seen
}

func TestAFaultIsWhatItSays(t *testing.T) {
	tests := map[string]struct {
		fault  chaos.Fault
		failed func(error) bool
		seen   int32
	}{
		"dropped":         {fault: chaos.Fault{Drop: true}, failed: lost, seen: 0},
		"answer dropped":  {fault: chaos.Fault{DropAnswer: true}, failed: lost, seen: 1},
		"conflict":        {fault: chaos.Fault{Status: http.StatusConflict}, failed: apierrors.IsConflict, seen: 0},
		"internal error":  {fault: chaos.Fault{Status: http.StatusInternalServerError}, failed: apierrors.IsInternalError, seen: 0},
		"only a delay":    {fault: chaos.Fault{Delay: time.Millisecond}, failed: func(err error) bool { return err == nil }, seen: 1},
		"delay, then 403": {fault: chaos.Fault{Delay: time.Millisecond, Status: http.StatusForbidden}, failed: apierrors.IsForbidden, seen: 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, c, seen := server(t)
			c.Inject(chaos.Writes, 1, test.fault)
			configMaps := client.CoreV1().ConfigMaps("default")
			if _, err := configMaps.Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{}); !test.failed(err) {
				t.Errorf("the request that goes wrong: %v", err)
			}
			if got := seen.Load(); got != test.seen {
				t.Errorf("the server saw %d requests, want %d", got, test.seen)
			}
			if _, err := configMaps.Create(t.Context(), &corev1.ConfigMap{}, metav1.CreateOptions{}); err != nil {
				t.Errorf("the request after it: %v", err)
			}
			if got := c.Faults(); got != 1 {
				t.Errorf("%d requests are said to have gone wrong, not 1", got)
			}
		})
	}
}

func lost(err error) bool { return errors.Is(err, chaos.ErrLost) }

func TestOnlyTheRequestsThatAreMeantGoWrong(t *testing.T) {
	client, c, _ := server(t)
	c.Inject(chaos.On("secrets", http.MethodGet), 10, chaos.Fault{Drop: true})
	ctx := t.Context()
	_, configMap := client.CoreV1().ConfigMaps("default").Get(ctx, "a", metav1.GetOptions{})
	_, list := client.CoreV1().Secrets("default").Get(ctx, "a", metav1.GetOptions{})
	deletion := client.CoreV1().Secrets("default").Delete(ctx, "a", metav1.DeleteOptions{})
	c.Clear()
	_, after := client.CoreV1().Secrets("default").Get(ctx, "a", metav1.GetOptions{})
	got := []bool{lost(configMap), lost(list), lost(deletion), lost(after)}
	if diff := cmp.Diff([]bool{false, true, false, false}, got); diff != "" {
		t.Error(diff)
	}
}

func TestADelayEndsWithTheRequestsContext(t *testing.T) {
	client, c, _ := server(t)
	c.Inject(nil, 1, chaos.Fault{Delay: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := client.CoreV1().ConfigMaps("default").Get(ctx, "a", metav1.GetOptions{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
