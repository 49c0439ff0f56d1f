package platform

import (
	"context"
	"errors"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"cato.dev/cato/api/platform"
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
	Client      client.Client // reads from the cache, writes
	Holder      *Holder
	Events      events.EventRecorder
	Attachments bool // NetworkAttachmentDefinitions are served
}

// Reconciler tells of a wrong file and brings the host bridges about.
type Reconciler struct {
	Deps
	mu   sync.Mutex
	told string // the problem that was told last
}

// New returns a Reconciler.
func New(deps Deps) *Reconciler { return &Reconciler{Deps: deps} }

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
	err := r.bridges(ctx, state.Config)
	switch {
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return reconcile.Result{RequeueAfter: outcome.AfterConflict}, nil
	case apierrors.IsForbidden(err):
		r.tell(ctx, EventNotMade, err.Error()+": apply config/bridges, which gives the operator this right")
		return reconcile.Result{RequeueAfter: outcome.AfterForbidden}, nil
	case errors.Is(err, errNotOurs), errors.Is(err, errUnresolved):
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

// tell says once what is new: in the log, and as an event of the ConfigMap.
func (r *Reconciler) tell(ctx context.Context, reason, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told == note {
		return
	}
	r.told = note
	about := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: r.Holder.key.Namespace, Name: r.Holder.key.Name}}
	var live corev1.ConfigMap
	if err := r.Client.Get(ctx, r.Holder.key, &live); err == nil {
		about.UID = live.UID
	}
	logger := log.FromContext(ctx).WithValues("configMap", r.Holder.key.String())
	if reason == EventAccepted {
		logger.Info("the platform configuration is in force")
		r.Events.Eventf(about, nil, corev1.EventTypeNormal, reason, actionReconcile, "the configuration is in force")
		return
	}
	logger.Info("the platform configuration is not in force as it is written", "reason", reason, "problem", note)
	r.Events.Eventf(about, nil, corev1.EventTypeWarning, reason, actionReconcile, "%s", outcome.Clip(note))
}

// errUnresolved tells that the public network cannot be told from the cluster.
var errUnresolved = errors.New("the public network")

// bridges brings the DaemonSet and the public network's attachment about, or
// takes them away.
func (r *Reconciler) bridges(ctx context.Context, config platform.Config) error {
	network := platform.Network{}
	if config.Networking.Public.Enabled {
		nodes, err := Nodes(ctx, r.Client)
		if err != nil {
			return err
		}
		if network, err = config.Networking.Public.Resolve(nodes); err != nil {
			return errors.Join(errUnresolved, err)
		}
	}
	if err := r.attachment(ctx, &config.Networking.Public); err != nil {
		return err
	}
	desired := Bridges(config, network)
	var all appsv1.DaemonSetList
	if err := r.Client.List(ctx, &all); err != nil {
		return err
	}
	for i := range all.Items {
		live := &all.Items[i]
		if live.Name != BridgesName || !ours(live) || desired != nil && live.Namespace == desired.Namespace {
			continue
		}
		if err := remove(ctx, r.Client, live); err != nil {
			return err
		}
	}
	if desired == nil {
		return nil
	}
	repaired, err := bring(ctx, r.Client, desired, func(live, wanted *appsv1.DaemonSet) { live.Spec = wanted.Spec })
	if repaired {
		r.Events.Eventf(desired, nil, corev1.EventTypeWarning, EventRepaired, actionReconcile, "DaemonSet %s/%s was put right", desired.Namespace, desired.Name)
	}
	return err
}
