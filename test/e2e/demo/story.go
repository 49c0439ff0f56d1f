package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/test/e2e/stack"
)

// The names of the story: those of config/samples.
const (
	missionNamespace = "mission-a"
	machineName      = "web-1"
	tenantNamespace  = virtfoundryv1alpha1.NamespacePrefix + "acme"
	watchedControl   = "sc-7.5"
)

// patience bounds every wait of the story.
const patience = 90 * time.Second

type demo struct {
	*teller
	stack  *stack.Stack
	images map[string]stack.Image
}

func (d *demo) story(ctx context.Context) error {
	for _, part := range []func(context.Context) error{
		d.create, d.ready, d.tampered, d.refused, d.deletePolicy, d.allowAll, d.editCloudInit, d.howFast, d.evidence,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// refused sends machines that ask for what they may not have.
func (d *demo) refused(ctx context.Context) error {
	d.chapter("5. What nobody granted is refused, by the rule that would fail it")
	var machine udsv1alpha1.UDSVirtualMachine
	if err := d.get(ctx, missionNamespace, machineName, &machine); err != nil {
		return err
	}
	for _, ask := range []struct {
		name, what string
		change     func(*udsv1alpha1.UDSVirtualMachineSpec)
	}{
		{"greedy", "dedicated processors", func(s *udsv1alpha1.UDSVirtualMachineSpec) { s.CPU.Dedicated = true }},
		{"chatty", "egress to 10.0.0.0/8", func(s *udsv1alpha1.UDSVirtualMachineSpec) {
			s.Network = &udsv1alpha1.Network{Egress: []udsv1alpha1.EgressRule{{CIDR: "10.0.0.0/8"}}}
		}},
		{"careless", "an image with an MD5 checksum", func(s *udsv1alpha1.UDSVirtualMachineSpec) {
			s.Checksum = "md5:9e107d9d372bb6826bd81d3542a419d6"
		}},
	} {
		wanted := &udsv1alpha1.UDSVirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: missionNamespace, Name: ask.name}, Spec: *machine.Spec.DeepCopy()}
		ask.change(&wanted.Spec)
		err := d.stack.Client.Create(ctx, wanted)
		if err == nil {
			return fmt.Errorf("a machine that asks for %s was admitted", ask.what)
		}
		d.say("A machine that asks for " + ask.what + ":")
		d.block(err.Error())
	}
	return nil
}

func (d *demo) deletePolicy(ctx context.Context) error {
	d.chapter("6. Somebody deletes the machine's NetworkPolicy")
	took, err := d.repaired(ctx, missionNamespace, machineName)
	if err != nil {
		return err
	}
	d.say(fmt.Sprintf("Put right after %s. What was found meanwhile is in the record:", took.Round(time.Millisecond)))
	d.block(d.metric(ctx, "cato_drift_to_verdict_seconds_count"))
	return nil
}

func (d *demo) allowAll(ctx context.Context) error {
	d.chapter("7. Somebody adds a policy that allows everything: policies only ever add up")
	open := &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: missionNamespace, Name: "legacy-allow-all"},
		Spec: networkingv1.NetworkPolicySpec{
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{}}, Egress: []networkingv1.NetworkPolicyEgressRule{{}},
		},
	}
	started := time.Now()
	if err := d.stack.Client.Create(ctx, open); err != nil {
		return err
	}
	if err := d.until(ctx, "the control is not satisfied", func() bool { return d.satisfied(ctx) == "0" }); err != nil {
		return err
	}
	d.say(fmt.Sprintf("Seen after %s. It is another's object: reported, not deleted.", time.Since(started).Round(time.Millisecond)))
	d.showControl(ctx)
	if err := d.until(ctx, "the report tells it", func() bool {
		text, err := d.stack.ControlPlane.Kubectl(ctx, "get", "creport", "-n", missionNamespace, "-o", "jsonpath={.items[*].status.failing[*].rule}")
		return err == nil && strings.Contains(text, "NET-001")
	}); err != nil {
		return err
	}
	if err := d.kubectl(ctx, "get", "creport", "-n", missionNamespace); err != nil {
		return err
	}
	if err := d.stack.Client.Delete(ctx, open); err != nil {
		return err
	}
	if err := d.until(ctx, "the control is satisfied again", func() bool { return d.satisfied(ctx) == "1" }); err != nil {
		return err
	}
	d.say("The policy is deleted:")
	d.showControl(ctx)
	return nil
}

func (d *demo) editCloudInit(ctx context.Context) error {
	d.chapter("8. Somebody turns password logins on in the cloud-init Secret")
	name := machineName + udsv1alpha1.CloudInitSuffix
	var secret corev1.Secret
	if err := d.get(ctx, missionNamespace, name, &secret); err != nil {
		return err
	}
	good := string(secret.Data["userdata"])
	started := time.Now()
	secret.Data["userdata"] = []byte("#cloud-config\nssh_pwauth: true\ndisable_root: false\n")
	if err := d.stack.Client.Update(ctx, &secret); err != nil {
		return err
	}
	if err := d.until(ctx, "the Secret is as it was", func() bool {
		return d.get(ctx, missionNamespace, name, &secret) == nil && string(secret.Data["userdata"]) == good
	}); err != nil {
		return err
	}
	d.say(fmt.Sprintf("Put right after %s.", time.Since(started).Round(time.Millisecond)))
	return nil
}

func (d *demo) until(ctx context.Context, what string, holds func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("not after %s: %s", patience, what)
		case <-ticker.C:
		}
	}
	return nil
}

func (d *demo) get(ctx context.Context, namespace, name string, into client.Object) error {
	return d.stack.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into)
}

// kubectl runs a command and shows it with what it prints.
func (d *demo) kubectl(ctx context.Context, arguments ...string) error {
	shown := strings.NewReplacer(d.stack.Root+"/", "", d.stack.Dir+"/", "").Replace(strings.Join(arguments, " "))
	d.say("$ kubectl " + shown)
	text, err := d.stack.ControlPlane.Kubectl(ctx, arguments...)
	if err != nil {
		return err
	}
	d.block(text)
	return nil
}

func (d *demo) operatorLog() string {
	text, err := os.ReadFile(d.stack.OperatorLog())
	if err != nil {
		return err.Error()
	}
	const most = 6000
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return string(text)
}

// stay leaves the stack running until the user ends it.
func (d *demo) stay(ctx context.Context) error {
	d.chapter("It runs on. Try:")
	d.block(strings.Join([]string{
		"export KUBECONFIG=" + d.stack.ControlPlane.Kubeconfig,
		"kubectl get tenants,udsvm -A",
		"kubectl delete networkpolicy -n " + missionNamespace + " --all; kubectl get networkpolicy -n " + missionNamespace,
		"kubectl get creport -A -o yaml",
		"curl -s " + d.stack.MetricsURL + " | grep ^cato_",
		"Ctrl-C ends it and removes everything.",
	}, "\n"))
	<-ctx.Done()
	return nil
}
