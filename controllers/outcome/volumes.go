package outcome

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/apply"
)

// WriteVolumes is Write for children with DataVolumes. Where an admission
// refuses to take back the edit of an import under way (CDI's does), that is
// said in refused and not tried again and again.
func WriteVolumes(ctx context.Context, c client.Client, changes []Change) (refused string, err error) {
	for _, change := range changes {
		err := Write(ctx, c, []Change{change})
		_, disk := change.Child.Live.(*cdiv1beta1.DataVolume)
		if disk && change.Result.Outcome == apply.Updated && Touches(change.Result.Drifted, "spec") && refusal(err) {
			refused = fmt.Sprintf("%s was edited (%s) and the edit cannot be taken back: %v",
				Name(change.Child.Desired), strings.Join(change.Result.Drifted, ", "), err)
			continue
		}
		if err != nil {
			return refused, err
		}
	}
	return refused, nil
}

// refusal tells that the API server will not take a change, however often it is
// sent. A missing right is Forbidden too, but says so in other words.
func refusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsForbidden(err) && strings.Contains(err.Error(), "admission webhook")
}

// Touches tells whether one of the paths lies below a field.
func Touches(paths []string, field string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return path == field || strings.HasPrefix(path, field+".") })
}
