package outcome

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/apply"
)

// Change is what has to be done, or was done, to one child.
type Change struct {
	Child  apply.Child
	Result apply.Result
}

// Needed tells which children are not as they should be. It fails before
// anything is written when one of the names is another's.
func Needed(children []apply.Child) ([]Change, error) {
	changes := []Change{}
	for _, child := range children {
		result, err := apply.Needed(child)
		if err != nil {
			return nil, err
		}
		if result.Outcome != apply.Unchanged {
			changes = append(changes, Change{child, result})
		}
	}
	return changes, nil
}

// Repairs are those changes that put right what stood before: with since, also
// the making of a child that had been made already.
func Repairs(changes []Change, since bool) []Change {
	repairs := []Change{}
	for _, change := range changes {
		if since || change.Result.Outcome != apply.Created {
			repairs = append(repairs, change)
		}
	}
	return repairs
}

// Write carries the changes out in their order and stops at the first error.
func Write(ctx context.Context, c client.Client, changes []Change) error {
	for _, change := range changes {
		if _, err := apply.Apply(ctx, c, change.Child); err != nil {
			return fmt.Errorf("%s: %w", Name(change.Child.Desired), err)
		}
	}
	return nil
}

// Name names an object for people.
func Name(object client.Object) string {
	kind := object.GetObjectKind().GroupVersionKind().Kind
	if object.GetNamespace() == "" {
		return kind + " " + object.GetName()
	}
	return kind + " " + object.GetNamespace() + "/" + object.GetName()
}

// Describe tells what is put right, for an event. It names fields, no values.
func (c Change) Describe() string {
	if c.Result.Outcome == apply.Created {
		return Name(c.Child.Desired) + " was gone and is made again"
	}
	const most = 5
	fields := c.Result.Drifted
	more := ""
	if len(fields) > most {
		more = fmt.Sprintf(" and %d more", len(fields)-most)
		fields = fields[:most]
	}
	return fmt.Sprintf("%s: %s%s put right", Name(c.Child.Desired), strings.Join(fields, ", "), more)
}
