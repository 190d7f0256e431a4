package bsplib_test

import "encoding/binary"

// A program says in full what every process does: nothing is decided while it
// runs. One is generated from a seed, carried out by the library and by the
// model, and compared.
type program struct {
	seed     uint64
	procs    int
	blocks   []block
	areas    []area
	queues   []int // kinds of queues, by queue
	steps    []step
	sections []section
}

// block is memory of every process, not necessarily of the same length.
type block struct {
	kind  int   // of its elements
	count []int // elements by pid
	fresh bool  // made by Alloc, and gone after its area's Pop
}

// area is a registration: of a part of a block by each process.
type area struct {
	block  int
	lo, hi []int // elements of the block, by pid
}

func (a *area) count(pid int) int { return a.hi[pid] - a.lo[pid] }

// section is a run of supersteps: plain, or the passes of a stage loop.
type section struct {
	passes [][]int // numbers of supersteps; a plain section has one pass
	stages int     // what Stages is called with, 0 for a plain section
	leave  bool    // the last pass leaves the loop
}

// step is a superstep.
type step struct {
	ops [][]op // by pid, in program order
	end ending
	hp  [][]span // by pid: what HPPut and HPGet of any process access there
}

// span is a range of bytes of a block.
type span struct{ block, lo, hi int }

func (s span) meets(o span) bool { return s.block == o.block && s.lo < o.hi && o.lo < s.hi }

func meetsAny(s span, all []span) bool {
	for _, o := range all {
		if s.meets(o) {
			return true
		}
	}
	return false
}

// verb is what an op does.
type verb int

const (
	put verb = iota
	hpPut
	get
	hpGet
	send
	receive
	write // to the process's own memory
	nothing
	keep
	ask // for something of the next call
	register
	alloc
	pop
	makeQueue
)

var verbNames = [...]string{"Put", "HPPut", "Get", "HPGet", "Send", "receive", "write", "nothing", "Keep", "ask", "Register", "Alloc", "Pop", "NewQueue"}

// op is one call of one process. Which fields count depends on the verb.
type op struct {
	what  verb
	area  int
	queue int
	pid   int // the other process
	at, n int // elements of the area; n also messages or values
	block int // local memory: source of what is put or sent, destination of what is got; -1 for values made from fill
	local int // first element there
	fill  uint64
	how   int  // for receive: how; for nothing and ask: what
	each  bool // for put and send: every value by itself
}

// Ways of receiving.
const (
	byNext = iota
	byMove
	byAll
	byPeek
	waysToReceive
)

// What a process asks for.
const (
	toRank = iota
	toHost
	toProcess
	pin
	unpin
	drain
	requests
)

// ending is how a superstep ends.
type ending struct {
	what int
	root int
	n    int
	fill uint64
}

const (
	endSync = iota
	endStage
	endBroadcast
	endGather
	endAllgather
	endAllToAll
	endReduce
	endAllreduce
	endScan
	endAllreduceSlice
	endings
)

var endingNames = [...]string{"Sync", "end of stage", "Broadcast", "Gather", "Allgather", "AllToAll", "Reduce", "Allreduce", "Scan", "AllreduceSlice"}

func (e ending) collective() bool { return e.what >= endBroadcast }

// values of a collective are made of a seed that differs between processes.
func (e ending) fillOf(pid int) uint64 { return e.fill + uint64(pid)*977 }

// lengthOf is how many values process from gives for process to, where that is
// free.
func (e ending) lengthOf(from, to int) int { return (e.n + 3*from + 5*to) % (e.n + 2) }

// makePattern fills b with bytes that depend on seed.
func makePattern(b []byte, seed uint64) {
	var word [8]byte
	for len(b) > 0 {
		seed += 0x9e3779b97f4a7c15
		binary.NativeEndian.PutUint64(word[:], (seed^seed>>31)*0xbf58476d1ce4e5b9)
		b = b[copy(b, word[:]):]
	}
}
