package stack

import "runtime"

// thread is an operating system thread of our own. The kernel ends a child
// whose parent has died (Pdeathsig), and takes the death of the thread that
// forked it for that: so one thread forks, and lives as long as the stack.
type thread chan func()

func newThread() thread {
	t := make(thread)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for do := range t {
			do()
		}
	}()
	return t
}

// run has the thread do it, and returns what it returned.
func (t thread) run(do func() error) error {
	done := make(chan error, 1)
	t <- func() { done <- do() }
	return <-done
}
