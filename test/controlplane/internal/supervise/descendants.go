package supervise

import (
	"maps"
	"syscall"
	"time"

	"cato.dev/cato/test/controlplane/internal/proc"
)

// reapedWithin bounds the wait for init to take note of the end of orphans.
const reapedWithin = 10 * time.Second

// descendants are all processes below these, which become orphans with them.
func descendants(roots map[int]bool) map[proc.Identity]bool {
	below := map[proc.Identity]bool{}
	ancestors := maps.Clone(roots)
	all := proc.All()
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if ancestors[p.Parent] && !ancestors[p.PID] {
				ancestors[p.PID], below[p.Identity], grown = true, true, true
			}
		}
	}
	return below
}

// end kills these processes and waits until none is listed any more, not even
// as one that has ended and of which init took no note yet.
func end(orphans map[proc.Identity]bool) {
	for deadline := time.Now().Add(reapedWithin); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		left := false
		for _, p := range proc.All() {
			if orphans[p.Identity] {
				left = true
				_ = syscall.Kill(p.PID, syscall.SIGKILL) // an error means that it has just ended
			}
		}
		if !left {
			return
		}
	}
}
