package provisioner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// clone copies the folder of a bound claim of the same namespace, as a CSI
// driver clones a volume. It tells whether the copy is there: a source that is
// not bound yet is waited for.
func (p *Provisioner) clone(ctx context.Context, claim *corev1.PersistentVolumeClaim, source, path string) (bool, error) {
	from, err := p.claims.PersistentVolumeClaims(claim.Namespace).Get(source)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if from.Status.Phase != corev1.ClaimBound {
		return false, nil
	}
	volume, err := p.volumes.Get(from.Spec.VolumeName)
	if err != nil {
		return false, err
	}
	if volume.Spec.HostPath == nil || volume.Annotations[provisionedAnnotation] != Name {
		return false, fmt.Errorf("the source %s/%s is not a volume of %s", from.Namespace, from.Name, Name)
	}
	// What an interrupted copy left must not be a part of the volume.
	if err := os.RemoveAll(path); err != nil {
		return false, err
	}
	out, err := exec.CommandContext(ctx, "cp", "--archive", "--sparse=always", "--reflink=auto", volume.Spec.HostPath.Path, path).CombinedOutput()
	if err != nil {
		return false, fmt.Errorf("copy the source %s/%s: %w: %s", from.Namespace, from.Name, err, strings.TrimSpace(string(out)))
	}
	return true, nil
}
