// Package disk brings the volume of each Disk about, and has KubeVirt attach it
// to the Instance that the Disk names.
package disk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/hotplug"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// Reconciler reconciles Disks.
type Reconciler struct {
	lifecycle.Deps
	plugs *hotplug.Plugs
}

// New returns a Reconciler that attaches by the plugs.
func New(deps lifecycle.Deps, plugs *hotplug.Plugs) *Reconciler { return &Reconciler{deps, plugs} }

// Reconcile brings one Disk about.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	disk := &virtfoundryv1alpha1.Disk{}
	if err := r.Client.Get(ctx, request.NamespacedName, disk); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	found, err := r.Gatherer.Disk(ctx, disk, facts.Live)
	if err != nil {
		return reconcile.Result{}, err
	}
	before := disk.DeepCopy()
	s := lifecycle.Subject{Object: disk, Phase: &disk.Status.Phase, Observation: &disk.Status.Observation}
	if disk.DeletionTimestamp != nil {
		return r.remove(ctx, before, s, found)
	}
	judgement, planned := r.Judge.Disk(ctx, found, facts.Plan)
	decision := outcome.OfRules(judgement)
	w := lifecycle.Written{Found: r.Judge.Verdicts(ctx, found)}
	if decision.Status == metav1.ConditionTrue {
		child := apply.Child{Desired: planned}
		if live := decide.LiveClaim(found); live != nil {
			child.Live = live
		}
		w = r.Write(ctx, s, w.Found, []apply.Child{child}, s.Stood(), true)
		if w.Err == nil && child.Live != nil {
			w.Err = r.plug(ctx, disk, found)
		}
	}
	attached := attachment(disk, found)
	end := conclude(s, decision, w, attached, decide.LiveClaim(found))
	if own(disk, decide.LiveClaim(found)) {
		disk.Status.PVCName = facts.DiskClaim(disk.Name)
	} else {
		disk.Status.PVCName = ""
	}
	s.Set(virtfoundryv1alpha1.ConditionAttached, attached)
	return r.Report(ctx, before, s, decision, w, end)
}

// conclude is Ready once the volume is there and is where the Disk says.
func conclude(s lifecycle.Subject, decision outcome.Decision, w lifecycle.Written, attached outcome.Decision, claim *corev1.PersistentVolumeClaim) outcome.Failure {
	end := lifecycle.Conclude(s, decision, w, "the volume is as the Disk says")
	switch {
	case end.Decision.Status != metav1.ConditionTrue || end.Quiet:
		return end
	case claim == nil:
		return lifecycle.Pending("the volume is being made")
	case claim.Status.Phase == corev1.ClaimLost:
		return outcome.Failure{Decision: lifecycle.Failed(virtfoundryv1alpha1.ReasonVolumeLost, "the volume behind the claim is gone: restore it, or create another Disk")}
	case attached.Reason == virtfoundryv1alpha1.ReasonPending:
		return outcome.Failure{Decision: lifecycle.Failed(virtfoundryv1alpha1.ReasonPending, attached.Message)} // events of the machine wake it
	case claim.Status.Phase != corev1.ClaimBound:
		end.Decision.Message = "the claim is made and not bound yet: the volume comes when the StorageClass's driver provides it, with many when the Disk is first attached"
		if attached.Status == metav1.ConditionTrue {
			return outcome.Failure{Decision: lifecycle.Failed(virtfoundryv1alpha1.ReasonPending, "the claim is not bound yet")}
		}
	}
	return end
}

func own(disk *virtfoundryv1alpha1.Disk, claim *corev1.PersistentVolumeClaim) bool {
	return claim != nil && metav1.IsControlledBy(claim, disk)
}

// plug takes the volume out of the machines that the Disk does not name, and
// then asks for it to be put into the one that it names: it is for one node at a
// time.
func (r *Reconciler) plug(ctx context.Context, disk *virtfoundryv1alpha1.Disk, found *facts.Gathered) error {
	if !own(disk, decide.LiveClaim(found)) {
		return nil
	}
	uses := usesOf(disk, found)
	if err := r.unplug(ctx, disk.Namespace, uses, facts.InstanceOf(disk)); err != nil {
		return err
	}
	name := facts.InstanceOf(disk)
	elsewhere := slices.ContainsFunc(uses, func(u facts.VolumeUse) bool { return u.Name != name })
	declared := slices.ContainsFunc(uses, func(u facts.VolumeUse) bool { return u.Kind == facts.KindVirtualMachine && u.Name == name })
	if name == "" || elsewhere || declared || !hasMachine(found, name) {
		return nil
	}
	return r.plugs.Add(ctx, client.ObjectKey{Namespace: disk.Namespace, Name: name}, VolumeName(disk), facts.DiskClaim(disk.Name))
}

// unplug takes the volume out of every machine but the one of a name.
func (r *Reconciler) unplug(ctx context.Context, namespace string, uses []facts.VolumeUse, but string) error {
	for _, use := range uses {
		if use.Kind != facts.KindVirtualMachine || use.Name == but || !use.HotPlugged {
			continue
		}
		if err := r.plugs.Remove(ctx, client.ObjectKey{Namespace: namespace, Name: use.Name}, use.Volume); err != nil {
			return err
		}
	}
	return nil
}

func usesOf(disk *virtfoundryv1alpha1.Disk, found *facts.Gathered) []facts.VolumeUse {
	return facts.UsesOf(found.Volume.Machines, found.Volume.Running, facts.DiskClaim(disk.Name))
}

func hasMachine(found *facts.Gathered, name string) bool {
	for i := range found.Volume.Machines {
		if found.Volume.Machines[i].Name == name {
			return found.Volume.Machines[i].DeletionTimestamp == nil
		}
	}
	return false
}

// VolumeName is the name of a Disk's volume inside of a machine: one that no
// other volume has, and short enough for any name of a Disk.
func VolumeName(disk *virtfoundryv1alpha1.Disk) string {
	uid := strings.ReplaceAll(string(disk.UID), "-", "")
	return "disk-" + uid[:min(len(uid), 12)]
}

// attachment tells where the volume is, by the machines alone.
func attachment(disk *virtfoundryv1alpha1.Disk, found *facts.Gathered) outcome.Decision {
	name, uses := facts.InstanceOf(disk), usesOf(disk, found)
	kinds := map[string]bool{}
	for _, use := range uses {
		if use.Name != name {
			return lifecycle.Failed(virtfoundryv1alpha1.ReasonPending, fmt.Sprintf("%s %s still has the volume", use.Kind, use.Name))
		}
		kinds[use.Kind] = true
	}
	running := slices.ContainsFunc(found.Volume.Running, func(i kubevirtInstance) bool { return i.Name == name })
	switch {
	case name == "":
		return lifecycle.Failed(virtfoundryv1alpha1.ReasonDetached, "the Disk names no Instance")
	case !hasMachine(found, name):
		return lifecycle.Failed(virtfoundryv1alpha1.ReasonPending, "Instance "+name+" has no VirtualMachine yet")
	case !kinds[facts.KindVirtualMachine]:
		return lifecycle.Failed(virtfoundryv1alpha1.ReasonPending, "KubeVirt was asked to attach the volume to VirtualMachine "+name)
	case running && len(kinds) < 2:
		return lifecycle.Failed(virtfoundryv1alpha1.ReasonPending, "VirtualMachine "+name+" has the volume, and its guest does not yet")
	default:
		return outcome.Decision{Status: metav1.ConditionTrue, Reason: virtfoundryv1alpha1.ReasonReconciled, Message: "VirtualMachine " + name + " has the volume"}
	}
}
