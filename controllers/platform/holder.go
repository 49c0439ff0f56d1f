// Package platform keeps the platform's configuration that is in force, and says
// when the file that was written is not it.
package platform

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/api/platform"
)

// +kubebuilder:rbac:groups="",resources=configmaps,resourceNames=virtfoundry-platform,namespace=virtfoundry-system,verbs=get;list;watch

// State is what is in force, and what is wrong with the file that is written.
type State struct {
	Config platform.Config
	// Known is false while no file could be read since the start: what the
	// administrator wrote is then not known, and the defaults may be wider.
	Known bool
	// Problem is why the file that is written is not in force; empty where it is.
	Problem string
}

// Holder reads the file where it changed. The reader is a cache's, so that what
// an event of the ConfigMap wakes finds the file of that event.
type Holder struct {
	reader client.Reader
	key    types.NamespacedName
	env    []string // image prefixes, by platform.EnvImagePrefixes

	mu    sync.Mutex
	read  string // uid and version of the ConfigMap that was read last
	state State
}

// NewHolder returns a Holder of the file in a namespace; env is the value of
// platform.EnvImagePrefixes.
func NewHolder(reader client.Reader, namespace, env string) *Holder {
	return &Holder{reader: reader, key: types.NamespacedName{Namespace: namespace, Name: platform.ConfigMapName}, env: platform.ImagePrefixes(env)}
}

// State returns what is in force. A file that is wrong leaves the last good one
// in force; one that is deleted means the defaults.
func (h *Holder) State(ctx context.Context) State {
	h.mu.Lock()
	defer h.mu.Unlock()
	var file corev1.ConfigMap
	switch err := h.reader.Get(ctx, h.key, &file); {
	case apierrors.IsNotFound(err):
		h.read, h.state = "", State{Config: platform.Defaults(), Known: true}
	case err != nil:
		h.read, h.state.Problem = "", fmt.Sprintf("ConfigMap %s cannot be read: %v", h.key, err)
	default:
		version := string(file.UID) + "/" + file.ResourceVersion
		if version != h.read {
			h.read = version
			h.take(&file)
		}
	}
	return h.state
}

func (h *Holder) take(file *corev1.ConfigMap) {
	config, err := platform.FromConfigMap(file)
	if err != nil {
		h.state.Problem = fmt.Sprintf("ConfigMap %s, %v", h.key, err)
		return
	}
	h.state = State{Config: config, Known: true}
}

// ImagePrefixes are those of the file, else of the environment; nil keeps the
// built-in list (VirtFoundry sheet, section 3.5).
func (h *Holder) ImagePrefixes(state State) []string {
	if state.Config.ImageAllowlist.Prefixes != nil {
		return state.Config.ImageAllowlist.Prefixes
	}
	return h.env
}
