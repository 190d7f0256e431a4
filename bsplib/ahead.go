package bsplib

import "unsafe"

// Where a rank has very many processes, what the next one needs is in no cache when its
// turn comes: some twenty lines of its stack, of the Go runtime's record of its coroutine
// and of the Proc, one after the other. So they are asked for a few processes earlier,
// all at once. That is a hint to the processor, and no access: an address that is out of
// date, after a stack has moved, does no harm.

// ahead is where a process that waits for a barrier lies in memory: hints, never followed.
type ahead struct {
	stack     uintptr // the end that is in use
	goroutine uintptr
	passing   [2]uintptr // what iter.Pull passes values and control by
}

const (
	// manyProcs is from how many processes of a rank on it looks ahead: fewer stay in
	// the cache, and asking for what is there takes time.
	manyProcs = 512
	// aheadBy is how many processes ahead, which covers the time of one access.
	aheadBy = 4
)

// lookAhead prepares for the rank's processes. Those that come to no Sync have nothing to
// be asked for.
func (c *crew) lookAhead() {
	c.ahead, c.many = nil, canFetch && len(c.procs) >= manyProcs
}

// lookFrom asks for what a process needs that comes a little after the i-th.
func (c *crew) lookFrom(i int) {
	if c.ahead != nil {
		c.fetchAhead(i + aheadBy)
	}
}

func (c *crew) fetchAhead(i int) {
	if i >= len(c.ahead) {
		return
	}
	fetch(unsafe.Pointer(c.procs[i]), unsafe.Pointer(&c.ahead[i]))
}

// suspended notes where the process lies, which is about to yield.
func (p *Proc) suspended() {
	var mark byte
	c := p.rank.crew
	if c.ahead == nil {
		c.ahead = make([]ahead, len(c.procs))
	}
	a := &c.ahead[p.index]
	a.stack = uintptr(unsafe.Pointer(&mark))
	if a.goroutine == 0 {
		a.goroutine = currentG()
		next := *(*unsafe.Pointer)(unsafe.Pointer(&p.next)) // a function and what it has captured
		a.passing = [2]uintptr((*[3]uintptr)(next)[1:])
	}
}
