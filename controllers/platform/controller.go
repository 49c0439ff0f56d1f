package platform

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/outcome"
)

// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=daemonsets,verbs=get;list;watch
// +kubebuilder:rbac:groups=k8s.cni.cncf.io,resources=network-attachment-definitions,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// The reasons of events of the ConfigMap.
const (
	// EventRejected: the file is wrong and not in force; the note names key, value and remedy.
	EventRejected = "ConfigurationRejected"
	// EventAccepted: the file is in force again.
	EventAccepted = "ConfigurationAccepted"
	// EventNotMade: the host bridges are not as the file says; the note tells why.
	EventNotMade = "BridgesNotMade"
	// EventRepaired: what makes the bridges was found changed or gone and was put right.
	EventRepaired = "Repaired"
)

const actionReconcile = "Reconcile"

// Deps is what a reconciler works with.
type Deps struct {
	Client   client.Client // reads from the cache, writes
	Holder   *Holder
	Events   events.EventRecorder
	Gatherer *gather.Gatherer // its Platform is the Holder's
	Judge    *decide.Judge
	// Record is handed what the rules said of a DaemonSet that was found changed.
	Record      func(ctx context.Context, found decide.Judgement, at time.Time)
	Now         func() time.Time
	Attachments bool // NetworkAttachmentDefinitions are served
}

// Reconciler tells of a wrong file and brings the host bridges about.
type Reconciler struct {
	Deps
	mu   sync.Mutex
	told map[string]string // the note that was told last, by reason
}

// New returns a Reconciler.
func New(deps Deps) *Reconciler { return &Reconciler{Deps: deps, told: map[string]string{}} }

// Reconcile brings about what the configuration in force says.
func (r *Reconciler) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	state := r.Holder.State(ctx)
	problem := state.Problem
	if problem != "" {
		r.tell(ctx, EventRejected, problem)
	}
	if !state.Known {
		return reconcile.Result{}, nil // its event wakes it; what stands is left alone
	}
	err := r.bridges(ctx)
	switch {
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return reconcile.Result{RequeueAfter: outcome.AfterConflict}, nil
	case apierrors.IsForbidden(err):
		r.tell(ctx, EventNotMade, err.Error()+": apply config/bridges, which gives the operator this right")
		return reconcile.Result{RequeueAfter: outcome.AfterForbidden}, nil
	case errors.Is(err, errNotOurs), errors.Is(err, errUnresolved), errors.Is(err, errHeldBack):
		r.tell(ctx, EventNotMade, err.Error())
		return reconcile.Result{RequeueAfter: outcome.AfterForbidden}, nil
	case err != nil:
		return reconcile.Result{}, err
	}
	if problem == "" {
		r.tell(ctx, EventAccepted, "")
	}
	return reconcile.Result{}, nil
}

// file is the ConfigMap; one without uid where there is none.
func (r *Reconciler) file(ctx context.Context) *corev1.ConfigMap {
	var live corev1.ConfigMap
	if err := r.Client.Get(ctx, r.Holder.key, &live); err != nil {
		live = corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.Holder.key.Namespace, Name: r.Holder.key.Name}}
	}
	live.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}
	return &live
}

// tell says once what is new: in the log, and as an event of the ConfigMap.
func (r *Reconciler) tell(ctx context.Context, reason, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case reason == EventAccepted && len(r.told) == 0, reason != EventAccepted && r.told[reason] == note:
		return
	case reason == EventAccepted:
		clear(r.told)
	default:
		r.told[reason] = note
	}
	about := r.file(ctx)
	logger := log.FromContext(ctx).WithValues("configMap", r.Holder.key.String())
	if reason == EventAccepted {
		logger.Info("the platform configuration is in force")
		r.Events.Eventf(about, nil, corev1.EventTypeNormal, reason, actionReconcile, "the configuration is in force")
		return
	}
	logger.Info("the platform configuration is not in force as it is written", "reason", reason, "problem", note)
	r.Events.Eventf(about, nil, corev1.EventTypeWarning, reason, actionReconcile, "%s", outcome.Clip(note))
}
