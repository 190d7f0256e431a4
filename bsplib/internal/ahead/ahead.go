// Package ahead prefetches the memory of processes. If a rank has very many processes, the next
// process incurs cache misses for some twenty lines of its stack, of the Go runtime's record of its
// coroutine and of the process itself, one after another. They are therefore prefetched together a
// few processes earlier. A prefetch is a hint to the processor and not an access, so an address that
// is stale because a stack has moved is harmless.
package ahead

import "unsafe"

const (
	// manyProcs is the minimum number of processes of a rank for prefetching. Fewer processes
	// stay in the cache, and prefetching cached memory costs time.
	manyProcs = 512
	// By is the prefetch distance in processes, which covers the latency of one access.
	By = 4
)

// Marks holds the addresses of a rank's processes.
type Marks struct {
	Many bool   // the rank has enough processes for prefetching
	At   []Mark // by process, nil until the first Suspend
}

// Mark holds the addresses of a process that waits for a barrier. They are hints and never
// dereferenced. The assembly function fetch depends on the layout.
type Mark struct {
	stack     uintptr // address of the end in use
	goroutine uintptr
	passing   [2]uintptr // variables of iter.Pull that pass values and control
}

// Set prepares for n processes. Processes that call no Sync are not prefetched.
func (m *Marks) Set(n int) { m.At, m.Many = nil, canFetch && n >= manyProcs }

// Fetch prefetches the memory of the i-th process, whose address is p.
func (m *Marks) Fetch(i int, p unsafe.Pointer) { fetch(p, unsafe.Pointer(&m.At[i])) }

// Suspend records the addresses of the i-th of n processes. The process calls it immediately before
// it yields. next is the function that resumes it.
func (m *Marks) Suspend(i, n int, next func() (struct{}, bool)) {
	var here byte
	if m.At == nil {
		m.At = make([]Mark, n)
	}
	a := &m.At[i]
	a.stack = uintptr(unsafe.Pointer(&here))
	if a.goroutine == 0 {
		a.goroutine = currentG()
		captured := *(*unsafe.Pointer)(unsafe.Pointer(&next)) // the closure: a function and its captured variables
		a.passing = [2]uintptr((*[3]uintptr)(captured)[1:])
	}
}
