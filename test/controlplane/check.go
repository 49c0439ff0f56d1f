package controlplane

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/kubernetes"
)

// Check tells what of the cluster went wrong so far: components that ended by
// themselves and containers of KubeVirt and CDI in a crash loop, with the place
// of each log. A test run calls it at its end, because a component that comes
// back hides the defect that made it go.
func (cp *ControlPlane) Check(ctx context.Context) error {
	var found []error
	for _, process := range cp.group.Ended() {
		found = append(found, fmt.Errorf("%s ended by itself: %w (log: %s)", process.Name, process.Err(), process.Log))
	}
	if cp.nodes > 0 {
		client, err := kubernetes.NewForConfig(cp.admin)
		if err != nil {
			return fmt.Errorf("make a client of the API server: %w", err)
		}
		for _, namespace := range []string{kubeVirtNamespace, cdiNamespace} {
			found = append(found, cp.crashLoop(ctx, client, namespace))
		}
	}
	if err := errors.Join(found...); err != nil {
		cp.KeepLogs()
		return err
	}
	return nil
}
