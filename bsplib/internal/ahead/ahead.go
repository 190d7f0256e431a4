// Package ahead asks for memory before it is needed. Where a rank has very many processes, what
// the next one needs is in no cache when its turn comes: some twenty lines of its stack, of the
// Go runtime's record of its coroutine and of the process itself, one after the other. So they
// are asked for a few processes earlier, all at once. That is a hint to the processor, and no
// access: an address that is out of date, after a stack has moved, does no harm.
package ahead

import "unsafe"

const (
	// manyProcs is from how many processes of a rank on it looks ahead: fewer stay in
	// the cache, and asking for what is there takes time.
	manyProcs = 512
	// By is how many processes ahead, which covers the time of one access.
	By = 4
)

// Marks are where a rank's processes lie in memory.
type Marks struct {
	Many bool   // there are so many processes that it pays to look ahead
	At   []Mark // by process, nil as long as none has been marked
}

// Mark is where a process lies that waits for a barrier: hints, never followed. Its layout is
// known to fetch.
type Mark struct {
	stack     uintptr // the end that is in use
	goroutine uintptr
	passing   [2]uintptr // what iter.Pull passes values and control by
}

// Set prepares for so many processes. Those that come to no Sync have nothing to be asked for.
func (m *Marks) Set(n int) { m.At, m.Many = nil, canFetch && n >= manyProcs }

// Fetch asks for what the i-th process needs, which lies at p.
func (m *Marks) Fetch(i int, p unsafe.Pointer) { fetch(p, unsafe.Pointer(&m.At[i])) }

// Suspend notes where the i-th of n processes lies, which calls it and is about to yield. next is
// what resumes it.
func (m *Marks) Suspend(i, n int, next func() (struct{}, bool)) {
	var here byte
	if m.At == nil {
		m.At = make([]Mark, n)
	}
	a := &m.At[i]
	a.stack = uintptr(unsafe.Pointer(&here))
	if a.goroutine == 0 {
		a.goroutine = currentG()
		captured := *(*unsafe.Pointer)(unsafe.Pointer(&next)) // a function and what it has captured
		a.passing = [2]uintptr((*[3]uintptr)(captured)[1:])
	}
}
