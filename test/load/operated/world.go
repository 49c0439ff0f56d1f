package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/test/e2e/stack"
)

const (
	creators = 8 // clients that create side by side
	offering = "small"
	template = "linux"
	image    = "quay.io/containerdisks/ubuntu@sha256:1f2d4a3c5b6e79808d9cabeef0123456789abcdef0123456789abcdef0123456"
)

// world is what is made, and what the operator has asked for so far.
type world struct {
	size
	stack *stack.Stack
	audit *auditReader
}

func newWorld(s *stack.Stack, of size) *world {
	return &world{size: of, stack: s, audit: &auditReader{path: s.ControlPlane.AuditLog()}}
}

func slug(i int) string { return fmt.Sprintf("load-%05d", i) }

func namespace(i int) string { return virtfoundryv1alpha1.NamespacePrefix + slug(i) }

// makeTenants creates the Tenants and waits until each is Ready.
func (w *world) makeTenants(ctx context.Context) error {
	err := sideBySide(ctx, w.tenants, func(ctx context.Context, i int) error {
		return w.stack.Client.Create(ctx, &virtfoundryv1alpha1.Tenant{
			ObjectMeta: metav1.ObjectMeta{Name: slug(i)},
			Spec:       virtfoundryv1alpha1.TenantSpec{Name: slug(i), Slug: slug(i)},
		})
	})
	if err != nil {
		return err
	}
	return w.until(ctx, w.tenants, func(ctx context.Context) (int, error) {
		list := &virtfoundryv1alpha1.TenantList{}
		if err := w.stack.Client.List(ctx, list); err != nil {
			return 0, err
		}
		ready := 0
		for i := range list.Items {
			if list.Items[i].Status.Phase == virtfoundryv1alpha1.TenantReady {
				ready++
			}
		}
		return ready, nil
	})
}

// makeInstances creates the Instances, with what they refer to, and waits until
// each has its VirtualMachine.
func (w *world) makeInstances(ctx context.Context) error {
	size := &virtfoundryv1alpha1.Offering{
		ObjectMeta: metav1.ObjectMeta{Name: offering, Labels: map[string]string{virtfoundryv1alpha1.LabelPlatformOwned: "true"}},
		Spec:       virtfoundryv1alpha1.OfferingSpec{CPU: 1, MemoryMi: 512},
	}
	if err := w.stack.Client.Create(ctx, size); err != nil {
		return err
	}
	err := sideBySide(ctx, w.tenants, func(ctx context.Context, i int) error {
		return w.stack.Client.Create(ctx, &virtfoundryv1alpha1.Template{
			ObjectMeta: metav1.ObjectMeta{Name: template, Namespace: namespace(i)},
			Spec:       virtfoundryv1alpha1.TemplateSpec{DisplayName: template, Image: image, SourceType: virtfoundryv1alpha1.TemplateContainer},
		})
	})
	if err != nil {
		return err
	}
	err = sideBySide(ctx, w.instances, func(ctx context.Context, i int) error {
		return w.stack.Client.Create(ctx, &virtfoundryv1alpha1.Instance{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("guest-%05d", i), Namespace: namespace(i % w.tenants),
				Annotations: map[string]string{virtfoundryv1alpha1.AnnotationAllowPodNetwork: "true"},
			},
			Spec: virtfoundryv1alpha1.InstanceSpec{
				OfferingRef: &virtfoundryv1alpha1.LocalObjectRef{Name: offering},
				TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: template},
			},
		})
	})
	if err != nil {
		return err
	}
	return w.until(ctx, w.instances, func(ctx context.Context) (int, error) {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kubevirtv1.VirtualMachineGroupVersionKind)
		if err := w.stack.Client.List(ctx, list, client.MatchingLabels{virtfoundryv1alpha1.LabelManagedBy: virtfoundryv1alpha1.InstanceManagedBy}); err != nil {
			return 0, err
		}
		return len(list.Items), nil
	})
}

// sideBySide does something for each number below n, a few at a time.
func sideBySide(ctx context.Context, n int, do func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(creators)
	for i := range n {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}
