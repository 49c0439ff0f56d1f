package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// fleet is what the users of the spec of kills want at the moment.
type fleet struct {
	random     *rand.Rand
	prefix     string
	namespaces []string
	tenants    []bool // by number: whether it is to exist
	machines   []bool
	actions    int
}

var _ = Describe("An operator that is killed again and again", func() {
	It("ends where an undisturbed one does, and touches nothing of others", func(ctx SpecContext) {
		seed := uint64(GinkgoRandomSeed())
		f := &fleet{
			random: rand.New(rand.NewPCG(seed, seed)), prefix: unique("k"), namespaces: []string{vmNamespace(ctx), vmNamespace(ctx)},
			tenants: make([]bool, tenantCount), machines: make([]bool, machineCount),
		}
		DeferCleanup(f.clear, NodeTimeout(12*time.Minute))
		others := lookalikes(ctx, f.prefix)
		begin := time.Now()

		users, stop := context.WithCancel(ctx)
		var acting sync.WaitGroup
		acting.Go(func() { defer GinkgoRecover(); f.act(users) })
		delays := rand.New(rand.NewPCG(seed, seed+1))
		running.KillOperator()
		while := []time.Duration{}
		for i := range kills {
			Expect(running.LaunchOperator(ctx)).To(Succeed())
			if i%2 == 0 { // in the midst of its work
				Expect(running.WaitReady(ctx)).To(Succeed())
			}
			delay := time.Duration(delays.Int64N(int64(1500 * time.Millisecond)))
			while = append(while, delay)
			select {
			case <-time.After(delay):
			case <-ctx.Done():
			}
			running.KillOperator()
			expectSafe(ctx, f.namespaces)
			others.unchanged(ctx)
		}
		stop()
		acting.Wait()
		killed := time.Since(begin)
		Expect(running.StartOperator(ctx)).To(Succeed())
		since := time.Now()
		f.settle(ctx)
		f.expectNoOrphans(ctx)
		others.unchanged(ctx)
		say("Kills: seed %d, %d SIGKILLs in %s (half after it was ready, half while it started), %d actions of users on %d Tenants and %d machines; converged %s after the last start",
			seed, len(while), killed.Round(time.Second), f.actions, tenantCount, machineCount, time.Since(since).Round(100*time.Millisecond))
	}, NodeTimeout(24*time.Minute))
})

func (f *fleet) tenantName(i int) string { return fmt.Sprintf("%s-%d", f.prefix, i) }

func (f *fleet) machineKey(i int) client.ObjectKey {
	return client.ObjectKey{Namespace: f.namespaces[i%len(f.namespaces)], Name: fmt.Sprintf("vm-%d", i)}
}

// act creates, changes and deletes until the context ends, and ends with three
// quarters of everything there.
func (f *fleet) act(ctx context.Context) {
	const pause = 120 * time.Millisecond
	for i := 0; ctx.Err() == nil; i++ {
		if i < tenantCount+machineCount { // first everything is made once, mixed
			f.toggle(context.WithoutCancel(ctx), i%3 == 0, i/3, i-i/3-1)
		} else {
			f.step(context.WithoutCancel(ctx))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	for i := range f.tenants {
		if !f.tenants[i] && i%4 != 0 {
			f.makeTenant(context.WithoutCancel(ctx), i)
		}
	}
	for i := range f.machines {
		if !f.machines[i] && i%4 != 0 {
			f.makeMachine(context.WithoutCancel(ctx), i)
		}
	}
}

func (f *fleet) toggle(ctx context.Context, tenant bool, t, m int) {
	if tenant && t < tenantCount {
		f.makeTenant(ctx, t)
	} else if m >= 0 && m < machineCount {
		f.makeMachine(ctx, m)
	}
}

// step is one random action.
func (f *fleet) step(ctx context.Context) {
	if f.random.IntN(3) == 0 {
		i := f.random.IntN(tenantCount)
		switch {
		case !f.tenants[i]:
			f.makeTenant(ctx, i)
		case f.random.IntN(4) == 0:
			f.drop(ctx, tenantNamed(f.tenantName(i)))
			f.tenants[i] = false
		default:
			f.changeTenant(ctx, i)
		}
		return
	}
	i := f.random.IntN(machineCount)
	switch {
	case !f.machines[i]:
		f.makeMachine(ctx, i)
	case f.random.IntN(4) == 0:
		f.drop(ctx, linuxMachine(f.machineKey(i).Namespace, f.machineKey(i).Name))
		f.machines[i] = false
	default:
		f.changeMachine(ctx, i)
	}
}

// done counts an action. What is still being deleted can be neither made nor
// changed, and the webhook refuses a Tenant while it sees the namespace of the
// one before: these are tried another time.
func (f *fleet) done(err error) bool {
	if err == nil {
		f.actions++
		return true
	}
	before := apierrors.IsForbidden(err) && strings.Contains(err.Error(), "which is not this Tenant")
	busy := apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) || apierrors.IsNotFound(err)
	Expect(busy || before).To(BeTrue(), "%v", err)
	return false
}

func (f *fleet) makeTenant(ctx context.Context, i int) {
	f.tenants[i] = f.done(k8s().Create(ctx, tenantNamed(f.tenantName(i))))
}

func (f *fleet) changeTenant(ctx context.Context, i int) {
	tenant := &virtfoundryv1alpha1.Tenant{}
	if f.done(k8s().Get(ctx, client.ObjectKey{Name: f.tenantName(i)}, tenant)) {
		tenant.Spec.Name = fmt.Sprintf("renamed %d", f.actions)
		f.done(k8s().Update(ctx, tenant))
	}
}

// makeMachine makes a machine; every tenth asks for what it may not have, and
// is stored only while the webhook is away.
func (f *fleet) makeMachine(ctx context.Context, i int) {
	machine := linuxMachine(f.machineKey(i).Namespace, f.machineKey(i).Name)
	machine.Spec.CPU.Dedicated = i%10 == 0
	if i%3 == 0 {
		machine.Spec.RunStrategy = udsv1alpha1.RunHalted
	}
	err := k8s().Create(ctx, machine)
	if machine.Spec.CPU.Dedicated && apierrors.IsForbidden(err) {
		return
	}
	f.machines[i] = f.done(err)
}

func (f *fleet) changeMachine(ctx context.Context, i int) {
	machine := &udsv1alpha1.UDSVirtualMachine{}
	if !f.done(k8s().Get(ctx, f.machineKey(i), machine)) {
		return
	}
	cores := int32(1 + f.random.IntN(4))
	switch f.random.IntN(3) {
	case 0:
		machine.Spec.CPU.Cores = &cores
	case 1:
		machine.Spec.RunStrategy = []udsv1alpha1.RunStrategy{udsv1alpha1.RunAlways, udsv1alpha1.RunHalted}[f.random.IntN(2)]
	default:
		machine.Spec.Guest.User = fmt.Sprintf("user%d", cores)
	}
	err := k8s().Update(ctx, machine)
	if machine.Spec.CPU.Dedicated && apierrors.IsForbidden(err) {
		return
	}
	f.done(err)
}

func (f *fleet) drop(ctx context.Context, object client.Object) { f.done(k8s().Delete(ctx, object)) }

// clear deletes everything at once and waits until it is gone.
func (f *fleet) clear(ctx SpecContext) {
	objects := []client.Object{}
	for i := range tenantCount {
		objects = append(objects, tenantNamed(f.tenantName(i)))
	}
	for i := range machineCount {
		objects = append(objects, linuxMachine(f.machineKey(i).Namespace, f.machineKey(i).Name))
	}
	for _, object := range objects {
		Expect(client.IgnoreNotFound(k8s().Delete(ctx, object))).To(Succeed())
	}
	for _, object := range objects {
		removed(ctx, object)
	}
}
