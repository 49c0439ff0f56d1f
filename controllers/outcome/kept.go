package outcome

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Kept remembers what was last accepted for each subject, so that what
// protects it is kept up while a later change is refused. It is lost with the
// process: who finds nothing leaves what exists as it is.
type Kept[T any] struct {
	mu   sync.Mutex
	last map[types.UID]T
}

// NewKept returns an empty memory.
func NewKept[T any]() *Kept[T] { return &Kept[T]{last: map[types.UID]T{}} }

// Accept remembers what was accepted.
func (k *Kept[T]) Accept(uid types.UID, accepted T) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last[uid] = accepted
}

// Last returns what was last accepted.
func (k *Kept[T]) Last(uid types.UID) (accepted T, found bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	accepted, found = k.last[uid]
	return accepted, found
}

// Forget drops what is remembered of a subject that is gone.
func (k *Kept[T]) Forget(uid types.UID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.last, uid)
}
