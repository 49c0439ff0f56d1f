package instance

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestWhatCloudInitIsToldAnewAsksForARestart(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	key := &virtfoundryv1alpha1.SSHKey{ObjectMeta: metav1.ObjectMeta{Name: "alice", Namespace: w.namespace}, Spec: virtfoundryv1alpha1.SSHKeySpec{PublicKey: keyOfAlice}}
	create(t, key)
	w.make(t, "web", func(i *virtfoundryv1alpha1.Instance) {
		i.Spec.CloudInitUserData = "#cloud-config\nhostname: web\n"
		i.Spec.SSHKeyRefs = []virtfoundryv1alpha1.LocalObjectRef{{Name: "alice"}}
	})
	w.settle(t, "web")
	guest := w.running(t, "web")
	expect(t, w.settle(t, "web"), virtfoundryv1alpha1.InstanceRunning, "RestartRequired", metav1.ConditionFalse, "UpToDate", "")
	for _, c := range []struct {
		change func()
		says   string
	}{
		{func() {
			instance := w.instance(t, "web")
			instance.Spec.CloudInitUserData = "#cloud-config\nhostname: db\n"
			update(t, instance)
		}, "another user data than"},
		{func() {
			key.Spec.PublicKey = keyOfAlice + "-again"
			update(t, key)
		}, "another set of SSH keys than"},
		{func() {
			network := get(t, &virtfoundryv1alpha1.Network{}, w.namespace, "web")
			network.Spec.Gateway = "10.0.1.254"
			update(t, network)
		}, "another network configuration than"},
	} {
		c.change()
		expect(t, w.settle(t, "web"), virtfoundryv1alpha1.InstanceRunning, "RestartRequired", metav1.ConditionTrue, "RestartRequired", c.says)
		remove(t, guest)
		guest = w.running(t, "web")
		expect(t, w.settle(t, "web"), virtfoundryv1alpha1.InstanceRunning, "RestartRequired", metav1.ConditionFalse, "UpToDate", "")
	}
}
