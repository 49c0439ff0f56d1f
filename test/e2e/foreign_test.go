package e2e

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/apply"
)

// foreign are objects of others beside the children.
type foreign struct{ objects []client.Object }

// foreignTo makes a policy, a Secret and a ConfigMap of somebody else.
func foreignTo(ctx context.Context, namespace string) *foreign {
	GinkgoHelper()
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace, Name: name} }
	f := &foreign{objects: []client.Object{
		&networkingv1.NetworkPolicy{ObjectMeta: meta("somebodys"), Spec: networkingv1.NetworkPolicySpec{
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		}},
		&corev1.Secret{ObjectMeta: meta("somebodys"), StringData: map[string]string{"key": "value"}},
		&corev1.ConfigMap{ObjectMeta: meta("somebodys"), Data: map[string]string{"key": "value"}},
	}}
	for _, object := range f.objects {
		Expect(k8s().Create(ctx, object, somebody)).To(Succeed())
	}
	return f
}

// unchanged tells that nobody wrote them. KubeVirt writes to a VirtualMachine
// whenever it likes: that one must have its spec, and nothing of Cato's.
func (f *foreign) unchanged(ctx context.Context) {
	GinkgoHelper()
	for _, object := range f.objects {
		version, generation := object.GetResourceVersion(), object.GetGeneration()
		Expect(k8s().Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		if _, kubeVirts := object.(*kubevirtv1.VirtualMachine); kubeVirts {
			Expect(object.GetGeneration()).To(Equal(generation), "%T %s was changed", object, object.GetName())
			for _, entry := range object.GetManagedFields() {
				Expect(entry.Manager).NotTo(Equal(apply.FieldManager), "%T %s was touched", object, object.GetName())
			}
			continue
		}
		Expect(object.GetResourceVersion()).To(Equal(version), "%T %s was touched", object, object.GetName())
	}
}

// theirDisk is the name of a disk that somebody hot-plugs.
const theirDisk = "somebodys-disk"

// mark adds to a child what somebody else may add: a label, an annotation and,
// to a VirtualMachine, a disk as virtctl addvolume --persist does.
func (c *child) mark(ctx context.Context) {
	GinkgoHelper()
	c.update(ctx, func(live *unstructured.Unstructured) {
		live.SetLabels(with(live.GetLabels(), "team", "blue"))
		live.SetAnnotations(with(live.GetAnnotations(), "example.com/ticket", "42"))
		if c.document["kind"] != "VirtualMachine" {
			return
		}
		for _, l := range machineLists() {
			if l.theirs != nil {
				list, _, _ := unstructured.NestedSlice(live.Object, l.path...)
				Expect(unstructured.SetNestedSlice(live.Object, append(list, l.theirs), l.path...)).To(Succeed())
			}
		}
	})
	c.marked = c.live(ctx).GetUID()
}

// keepsForeign tells that what was marked is still there. An object that had to
// be made again (its owner was forged, so the garbage collector took it) is
// marked anew.
func (c *child) keepsForeign(ctx context.Context, after edit) {
	GinkgoHelper()
	if c.marked == "" {
		return
	}
	live := c.live(ctx)
	if live.GetUID() != c.marked {
		c.mark(ctx)
		return
	}
	Expect(live.GetLabels()).To(HaveKeyWithValue("team", "blue"), "%s after %s", c, after)
	Expect(live.GetAnnotations()).To(HaveKeyWithValue("example.com/ticket", "42"), "%s after %s", c, after)
	if c.document["kind"] != "VirtualMachine" {
		return
	}
	for _, l := range machineLists() {
		if l.theirs != nil {
			Expect(l.names(live)).To(ContainElement(theirDisk), "%s after %s", c, after)
		}
	}
	c.tidy(ctx)
}

// machineList is a list of a VirtualMachine without keys of its own, in which
// entries of others stand beside ours.
type machineList struct {
	path   []string
	theirs map[string]any
}

func machineLists() []machineList {
	template := []string{"spec", "template", "spec"}
	at := func(path ...string) []string { return append(append([]string{}, template...), path...) }
	return []machineList{
		{at("volumes"), map[string]any{"name": theirDisk, "persistentVolumeClaim": map[string]any{"claimName": theirDisk, "hotpluggable": true}}},
		{at("domain", "devices", "disks"), map[string]any{"name": theirDisk, "disk": map[string]any{"bus": "scsi"}}},
		{at("networks"), nil},
		{at("domain", "devices", "interfaces"), nil},
	}
}

func (l machineList) names(live *unstructured.Unstructured) []string {
	list, _, _ := unstructured.NestedSlice(live.Object, l.path...)
	names := []string{}
	for _, entry := range list {
		fields, _ := entry.(map[string]any)
		name, _ := fields["name"].(string)
		names = append(names, name)
	}
	return names
}

// tidy removes what an edit of a name left: to Cato an entry of another name is
// somebody else's, and stays.
func (c *child) tidy(ctx context.Context) {
	GinkgoHelper()
	ours := &unstructured.Unstructured{Object: c.document}
	c.update(ctx, func(live *unstructured.Unstructured) {
		for _, l := range machineLists() {
			known := map[string]bool{theirDisk: true}
			for _, name := range l.names(ours) {
				known[name] = true
			}
			list, _, _ := unstructured.NestedSlice(live.Object, l.path...)
			kept := []any{}
			for i, name := range l.names(live) {
				if known[name] {
					kept = append(kept, list[i])
				}
			}
			Expect(unstructured.SetNestedSlice(live.Object, kept, l.path...)).To(Succeed())
		}
	})
	c.restored(ctx, "tidying up")
}

// update changes the live object as somebody else, against other writers.
func (c *child) update(ctx context.Context, change func(*unstructured.Unstructured)) {
	GinkgoHelper()
	Eventually(func() error {
		live := c.object()
		if err := k8s().Get(ctx, c.key(), live); err != nil {
			return err
		}
		change(live)
		return k8s().Update(ctx, live, somebody)
	}).WithContext(ctx).Should(Succeed())
}

func with(entries map[string]string, name, value string) map[string]string {
	if entries == nil {
		entries = map[string]string{}
	}
	entries[name] = value
	return entries
}
