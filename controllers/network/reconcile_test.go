package network

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/lifecycle"
)

func TestAnIsolatedNetworkGetsAnAttachmentInAVLANOfItsOwn(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "whole")
	w := newWorld(fixture.Judge(t, nil))
	network := w.settle(t, create(t, isolatedNamed(namespace, "web", "10.0.1.0/24")))
	nad := read(t, attachmentOf(network))
	config := fmt.Sprintf(`{"cniVersion":"0.3.1","name":"web","type":"bridge","bridge":"virtfoundry-br0","vlan":%d,"preserveDefaultVlan":false,"ipam":{}}`, network.Status.VLAN)
	if nad.Spec.Config != config {
		t.Errorf("config %s, want %s", nad.Spec.Config, config)
	}
	if owner := metav1.GetControllerOf(nad); owner == nil || owner.UID != network.UID || nad.Labels["app.kubernetes.io/managed-by"] != "virtfoundry-operator" {
		t.Errorf("owner %+v, labels %v", owner, nad.Labels)
	}
	want := virtfoundryv1alpha1.NetworkStatus{
		Phase: virtfoundryv1alpha1.PhaseReady, NADNamespace: namespace, NADName: "web", Bridge: "virtfoundry-br0", VLAN: network.Status.VLAN, Observation: network.Status.Observation,
	}
	if diff := cmp.Diff(want, network.Status); diff != "" || network.Status.VLAN < 2 {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	for _, kind := range []string{"Ready", "PolicyAllowed", "Separated", "Compliant"} {
		is(t, network.Status.Conditions, kind, metav1.ConditionTrue, "")
	}
	if len(w.found) > 0 || len(w.events.Notes) > 0 || network.Finalizers[0] != "virtfoundry.io/finalizer" {
		t.Errorf("%d judgements, events %v, finalizers %v", len(w.found), w.events.Notes, network.Finalizers)
	}
	again := newWorld(fixture.Judge(t, nil)) // a process that starts
	again.settle(t, network)
	if again.writes.Count() != 0 {
		t.Errorf("a settled Network is written again: %v", again.writes.Made())
	}
}

func TestDriftIsJudgedAndPutRight(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "drift")
	w := newWorld(fixture.Judge(t, nil))
	network := w.settle(t, create(t, isolatedNamed(namespace, "web", "10.0.1.0/24")))
	other := w.settle(t, create(t, isolatedNamed(namespace, "db", "10.0.2.0/24")))
	was := *read(t, attachmentOf(network))
	for what, spoil := range map[string]func(nad *cniv1.NetworkAttachmentDefinition){
		"another's VLAN": func(nad *cniv1.NetworkAttachmentDefinition) {
			nad.Spec.Config = strings.Replace(nad.Spec.Config, fmt.Sprintf(`"vlan":%d`, network.Status.VLAN), fmt.Sprintf(`"vlan":%d`, other.Status.VLAN), 1)
		},
		"the record too": func(nad *cniv1.NetworkAttachmentDefinition) {
			nad.Annotations["virtfoundry.io/segment"] = fmt.Sprintf("virtfoundry-br0/%d", other.Status.VLAN)
		},
		"no configuration": func(nad *cniv1.NetworkAttachmentDefinition) { nad.Spec.Config = "" },
		"no owner":         func(nad *cniv1.NetworkAttachmentDefinition) { nad.OwnerReferences, nad.Labels = nil, nil },
	} {
		nad := read(t, attachmentOf(network))
		spoil(nad)
		update(t, nad)
		w.found, w.events.Notes = nil, nil
		w.settle(t, network)
		now := read(t, attachmentOf(network))
		if now.Spec.Config != was.Spec.Config || now.Annotations["virtfoundry.io/segment"] != was.Annotations["virtfoundry.io/segment"] || metav1.GetControllerOf(now) == nil {
			t.Errorf("%s: %s %v %v", what, now.Spec.Config, now.Annotations, now.OwnerReferences)
		}
		if len(w.found) == 0 || !w.events.Has(lifecycle.EventRepaired) {
			t.Errorf("%s: %d judgements, events %v", what, len(w.found), w.events.Reasons())
		}
	}
	if now := w.settle(t, other); now.Status.VLAN != other.Status.VLAN {
		t.Errorf("the other network moved from %d to %d", other.Status.VLAN, now.Status.VLAN)
	}
	remove(t, attachmentOf(network))
	if w.settle(t, network); read(t, attachmentOf(network)).Spec.Config != was.Spec.Config {
		t.Error("the attachment that was deleted came back in another segment")
	}
}

func TestAForeignAttachmentIsNeverOverwritten(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "foreign")
	foreign := create(t, &cniv1.NetworkAttachmentDefinition{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"}, Spec: cniv1.NetworkAttachmentDefinitionSpec{Config: `{"type":"macvlan"}`}})
	w := newWorld(fixture.Judge(t, nil))
	network := w.settle(t, create(t, isolatedNamed(namespace, "web", "10.0.1.0/24")))
	if read(t, foreign).Spec.Config != `{"type":"macvlan"}` || len(foreign.OwnerReferences) != 0 {
		t.Errorf("it was overwritten: %+v", foreign)
	}
	is(t, network.Status.Conditions, "Ready", metav1.ConditionFalse, "OwnedByOther")
	if network.Status.NADName != "" || network.Status.Phase != virtfoundryv1alpha1.PhaseFailed || !w.events.Has(lifecycle.EventOwnedByOther) {
		t.Errorf("status %+v, events %v", network.Status, w.events.Reasons())
	}
	remove(t, foreign)
	network = w.settle(t, network)
	is(t, network.Status.Conditions, "Ready", metav1.ConditionTrue, "")
	for _, c := range network.Status.Conditions {
		if c.Type == "Stalled" {
			t.Errorf("a stale condition is left: %+v", c)
		}
	}
}

func TestASegmentThatAnAttachmentOfOthersUsesIsNotGivenAndIsShown(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "squat")
	w := newWorld(fixture.Judge(t, nil))
	network := w.settle(t, create(t, isolatedNamed(namespace, "web", "10.0.1.0/24")))
	squatter := create(t, &cniv1.NetworkAttachmentDefinition{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "squatter"}, Spec: cniv1.NetworkAttachmentDefinitionSpec{
		Config: fmt.Sprintf(`{"type":"bridge","bridge":"virtfoundry-br0","vlanTrunk":[{"minID":%d,"maxID":%d}]}`, network.Status.VLAN-1, network.Status.VLAN+1),
	}})
	vlan := network.Status.VLAN
	network = w.settle(t, network)
	if message := is(t, network.Status.Conditions, "Separated", metav1.ConditionFalse, ""); !strings.Contains(message, "default/squatter") {
		t.Errorf("the message does not name the squatter: %s", message)
	}
	if network.Status.VLAN != vlan || read(t, attachmentOf(network)).Name == "" {
		t.Errorf("the network was moved: %+v", network.Status)
	}
	remove(t, squatter)
	is(t, w.settle(t, network).Status.Conditions, "Separated", metav1.ConditionTrue, "")
}

func TestWhatTheRulesRefuseIsNotMade(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "refused")
	w := newWorld(fixture.Judge(t, nil))
	w.settle(t, create(t, isolatedNamed(namespace, "web", "10.0.0.0/16")))
	for rule, network := range map[string]*virtfoundryv1alpha1.Network{
		"NET-022": isolatedNamed(namespace, "inside", "10.0.1.0/24"),
		"NET-020": isolatedNamed("default", "nobodys", "10.1.0.0/24"),
	} {
		network = w.settle(t, create(t, network))
		if message := is(t, network.Status.Conditions, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied"); !strings.Contains(message, rule) {
			t.Errorf("the refusal does not name %s: %s", rule, message)
		}
		if !gone(t, attachmentOf(network)) || len(network.Finalizers) != 0 {
			t.Errorf("%s: it was made all the same: %v", rule, network.Finalizers)
		}
	}
	nothing := newWorld(fixture.Judge(t, fixture.EverythingGranted(t)))
	if network := nothing.settle(t, create(t, isolatedNamed(namespace, "norules", "10.0.3.0/24"))); network.Status.Phase != virtfoundryv1alpha1.PhaseReady {
		t.Errorf("without rules: %+v", network.Status)
	}
}

func TestASharedNetworkShowsThePlatformsAttachment(t *testing.T) {
	namespace := virtfoundryv1alpha1.SystemNamespace
	system(t)
	network := isolatedNamed(namespace, "public", "")
	network.Spec.NetworkType = virtfoundryv1alpha1.NetworkShared
	w := newWorld(fixture.Judge(t, nil))
	network = w.settle(t, create(t, network))
	is(t, network.Status.Conditions, "Ready", metav1.ConditionFalse, "Pending")
	create(t, &cniv1.NetworkAttachmentDefinition{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "virtfoundry-public"},
		Spec:       cniv1.NetworkAttachmentDefinitionSpec{Config: `{"type":"bridge","bridge":"vf-pub0","ipam":{}}`},
	})
	network = w.settle(t, network)
	if network.Status.NADName != "virtfoundry-public" || network.Status.Bridge != "vf-pub0" || network.Status.Phase != virtfoundryv1alpha1.PhaseReady {
		t.Errorf("status %+v", network.Status)
	}
}
