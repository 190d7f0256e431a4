package bsplib

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/state"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Proc is one logical process of a run: what BSPlib calls a processor. It is
// used by the program's own goroutine only, never by goroutines the program
// starts.
type Proc struct {
	data stream.Process // its end of the data path. It is first: see procOf

	pid, n int
	rank   *rank
	index  int            // in rank.procs
	state  unsafe.Pointer // a stateWithAreas[S]

	yield   func(struct{}) bool // of the worker that it is on, as next and stop: nil if on none
	next    func() (struct{}, bool)
	site    uintptr // of its last Sync
	at      uintptr // where the program is, 0 if Go's runtime knows
	count   int     // the superstep by the program's count, 0 if it is the engine's
	failure *Error

	gone     bool // to another rank: this Proc must leave
	leaving  bool // its program, to go on with a loop of EachStage
	finished bool // the program, or the stage, has returned, rather than panicked
	ended    bool

	stage   func(k int) error // of the EachStage that it is in, nil if in none
	stages  stages            // how far it is
	request *placementRequest // to be elsewhere, nil if there is none
	telling telling           // of its load: load.go

	pinned   bool  // it must not move
	cameFrom int32 // 1 more than the rank that it has just come from, 0 if it has not

	stop func()

	collectives *collective.Member // nil before the first
}

// procOf is the Proc of a process's end of the data path: areas and queues know that only.
func procOf(d *stream.Process) *Proc { return (*Proc)(unsafe.Pointer(d)) }

// stages is how far a process has come in the stage loops of its program.
type stages struct {
	loop    int      // loops begun in this entry
	all     int      // stages of the current loop
	left    int      // of these, still to come
	at      position // where a later entry goes on
	inside  bool
	resumed bool
}

// position is a place between two stages: loops before it are finished.
type position struct{ Loop, Stage int }

// String counts stages and loops as the program does, from 0.
func (at position) String() string {
	return fmt.Sprintf("stage %d of stage loop %d", at.Stage-1, at.Loop)
}

// telling is what a process has said of its load.
type telling struct {
	load  float64       // of the coming stage, 0 if nothing was said
	depth int           // of calls of Aside that it is in
	since time.Duration // when it went into the outermost, or the superstep began after that
}

// Place is where a process can ask to go: see Migrate.
type Place struct {
	kind   placeKind
	number int
	host   string
}

type placeKind uint8

const (
	nowhere placeKind = iota
	onRank
	onHost
	nextTo
)

// placementRequest is what a process has asked for and what became of it.
type placementRequest struct {
	to      Place
	drain   []int
	refused string // why the last one was not honoured, "" if it was
	denied  bool   // the last one was not, and another may have been made since
}

// asks reports whether the process wants something of the next call.
func (q *placementRequest) asks() bool {
	return q != nil && (q.to.kind != nowhere || len(q.drain) > 0)
}

// why says why the last request was not honoured, "" if it was.
func (q *placementRequest) why() string {
	if q == nil {
		return ""
	}
	return q.refused
}

// program is what every process of a run runs, and how its state travels.
type program struct {
	run        func(*Proc, unsafe.Pointer) error
	newState   func() unsafe.Pointer       // a stateWithAreas[S]
	registered uintptr                     // where it is in that
	plan       func() (*state.Plan, error) // the error says why states cannot travel
	here       bool                        // each rank has one process
	fixed      func(unsafe.Pointer) Fixed  // memory of a state that stays at its addresses, nil if there is none
}

// stateWithAreas is what travels: the program's state, and the memory that it has
// registered, which may be part of the state's slices or the other way round.
type stateWithAreas[S any] struct {
	Program    S
	Registered [][]byte
}

// Fixed is implemented by a program's state, as methods of *S, if the process has memory that
// stays at one address wherever the process is: pointers into it then hold on every rank. Where
// the process moves, these bytes are sent from where they lie and received in place, beside the
// state's encoded values; a checkpoint holds both. All memory that the process registers lies
// there.
//
// Ranks that are goroutines of one Go program share its addresses: on a move between them
// Arrive is called before Leave, and for the same memory.
type Fixed interface {
	// Ranges are the parts of that memory that are not zero where the process goes on. The
	// result stays the same until the process runs.
	Ranges() [][]byte
	// Bytes is how much that is, or a little more: it does not look at the memory.
	Bytes() int64
	// Arrive makes the memory of a process that comes, all zero, before ranges of it are filled.
	// The state's values are there already. The result shows the ranges.
	Arrive(ranges []Range) ([][]byte, error)
	// Leave gives up the memory of a process that has gone elsewhere, or has ended.
	Leave()
}

// Range is a piece of memory.
type Range struct{ At, Bytes uint64 }

// fail ends the run with an error of this process at the program's line. The
// process keeps it: a program that recovers does not hide it.
func (p *Proc) fail(kind Kind, format string, args ...any) {
	p.failure = p.errorHere(fmt.Sprintf(format, args...))
	p.failure.Kind, p.failure.Site = kind, p.failSite()
	panic(p.failure)
}

// errorHere is an error of this process in this superstep.
func (p *Proc) errorHere(text string) *Error {
	e := &Error{Pid: p.pid, Rank: p.rank.comm.Rank(), Superstep: p.rank.now.step, Text: text}
	if p.count > 0 {
		e.Superstep = p.count
	}
	return e
}

// leaveOut counts the time until now as not part of the load.
func (p *Proc) leaveOut(now time.Duration) {
	if p.rank.now.measuring {
		p.data.Did.Aside += max(0, now-p.telling.since)
	}
	p.telling.since = now
}

// resumed goes on after a barrier.
func (p *Proc) resumed() {
	if p.telling.depth > 0 {
		p.telling.since = p.rank.timing.clock.Time()
	}
}

// beginStage begins a stage: what was said of its load is so of what is measured now.
func (p *Proc) beginStage() { p.data.Did.Load = p.telling.load }

// failSite is the line of the program for an error of the process.
func (p *Proc) failSite() string {
	if p.at != 0 {
		return site.Name(p.at)
	}
	return site.OfProgram()
}

// registered is where the process's state keeps what it has registered while it travels.
func (p *Proc) registered() *[][]byte {
	return (*[][]byte)(unsafe.Add(p.state, p.rank.program.registered))
}

// fixed is the process's memory that stays at its addresses, nil if it has none.
func (p *Proc) fixed() Fixed {
	if p.rank.program.fixed == nil || p.state == nil {
		return nil
	}
	return p.rank.program.fixed(p.state)
}

// mustNotCompute ends the run if the process is in the operation of a collective.
func (p *Proc) mustNotCompute(what string) {
	if p.data.Computing {
		p.refuseToCommunicate(what)
	}
}

//go:noinline
func (p *Proc) refuseToCommunicate(what string) {
	p.fail(KindCollectiveMismatch, collective.Refusal, what)
}
