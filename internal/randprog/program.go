package randprog

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
)

// A Program fixes the actions of every process: none is decided while it
// runs. It is generated from a seed, carried out by the library and by the
// model, and the two are compared.
type Program struct {
	Seed  uint64
	Procs int
	// Before is called by each process at the start of each superstep, unless it is nil.
	Before func(b *bsplib.Proc, step int)

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
	stages int     // the argument of Stages, 0 for a plain section
	leave  bool    // the last pass leaves the loop
}

// step is a superstep.
type step struct {
	ops [][]op // by pid, in program order
	end ending
	hp  [][]span // by pid: memory there that HPPut and HPGet of any process access
}

// span is a range of bytes of a block.
type span struct{ block, lo, hi int }

func (s span) meets(o span) bool { return s.block == o.block && s.lo < o.hi && o.lo < s.hi }

func meetsAny(s span, all []span) bool {
	return slices.ContainsFunc(all, s.meets)
}

// verb is the kind of an op.
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

// op is one call of one process. The verb determines the fields that count.
type op struct {
	what  verb
	area  int
	queue int
	pid   int // the other process
	at, n int // elements of the area; n also messages or values
	block int // local memory: source of a put or send, destination of a get; -1 for values made from fill
	local int // first element there
	fill  uint64
	how   int  // for receive: the method; for nothing and ask: the variant
	each  bool // for put and send: every value by itself
}

// Methods of receiving.
const (
	byNext = iota
	byMove
	byAll
	byPeek
	waysToReceive
)

// Requests of a process.
const (
	toRank = iota
	toHost
	toProcess
	pin
	unpin
	drain
	requests
)

// ending is the call that ends a superstep.
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

// fillOf returns the seed of a process's values in a collective.
func (e ending) fillOf(pid int) uint64 { return e.fill + uint64(pid)*977 }

// lengthOf returns the number of values from process from for process to, if
// the collective leaves it free.
func (e ending) lengthOf(from, to int) int { return (e.n + 3*from + 5*to) % (e.n + 2) }

// Fill fills b with bytes that depend on seed.
func Fill(b []byte, seed uint64) {
	var word [8]byte
	for len(b) > 0 {
		seed += 0x9e3779b97f4a7c15
		binary.NativeEndian.PutUint64(word[:], (seed^seed>>31)*0xbf58476d1ce4e5b9)
		b = b[copy(b, word[:]):]
	}
}

// Programs of the differential test handle all memory as bytes; the types below
// connect them to areas and queues of several types.

// triple has a size that is not a power of two, and no padding.
type triple struct {
	K int32
	V [2]float32
}

// kind is a type of elements.
type kind interface {
	size() int
	memory(n int) []byte
	register(p *bsplib.Proc, mem []byte) remote
	alloc(p *bsplib.Proc, n int) (remote, []byte)
}

// remote is an area; from and to hold whole elements.
type remote interface {
	put(pid, at int, from []byte)
	hpPut(pid, at int, from []byte)
	get(pid, at int, to []byte)
	hpGet(pid, at int, to []byte)
	Keep(n int)
	Pop()
}

var kinds = []kind{kindOf[int64]{}, kindOf[byte]{}, kindOf[float32]{}, kindOf[triple]{}}

const byteKind = 1

type kindOf[T any] struct{}

func (kindOf[T]) size() int           { return int(unsafe.Sizeof(*new(T))) }
func (kindOf[T]) memory(n int) []byte { return bytesOf(make([]T, n)) }

func (kindOf[T]) register(p *bsplib.Proc, mem []byte) remote {
	return areaOf[T]{bsplib.Register(p, valuesOf[T](mem))}
}

func (kindOf[T]) alloc(p *bsplib.Proc, n int) (remote, []byte) {
	a := bsplib.Alloc[T](p, n)
	return areaOf[T]{a}, bytesOf(a.Slice())
}

type areaOf[T any] struct{ bsplib.Area[T] }

// put passes a single value as one argument, for which the compiler generates other code.
func (a areaOf[T]) put(pid, at int, from []byte) {
	if v := valuesOf[T](from); len(v) == 1 {
		a.Put(pid, at, v[0])
	} else {
		a.Put(pid, at, v...)
	}
}

func (a areaOf[T]) hpPut(pid, at int, from []byte) { a.HPPut(pid, at, valuesOf[T](from)...) }
func (a areaOf[T]) get(pid, at int, to []byte)     { a.Get(pid, at, valuesOf[T](to)) }
func (a areaOf[T]) hpGet(pid, at int, to []byte)   { a.HPGet(pid, at, valuesOf[T](to)) }

// mailKind is a type of queues.
type mailKind struct {
	tag, elem int // sizes
	make      func(p *bsplib.Proc) mailbox
}

// mailbox is a queue.
type mailbox interface {
	send(pid int, tag, values []byte)
	Len() int
	Bytes() int
	peek() (tag []byte, values int)
	next() (tag, values []byte)
	move(to []byte) int
	all(limit int, each func(tag, values []byte))
}

var mailKinds = []mailKind{
	mailOf[int32, byte](), mailOf[triple, int64](), mailOf[byte, float32](), mailOf[int64, triple](), mailOf[int32, int64](),
}

func mailOf[Tag, T any]() mailKind {
	return mailKind{kindOf[Tag]{}.size(), kindOf[T]{}.size(), func(p *bsplib.Proc) mailbox {
		return queueOf[Tag, T]{bsplib.NewQueue[Tag, T](p)}
	}}
}

type queueOf[Tag, T any] struct{ bsplib.Queue[Tag, T] }

func (q queueOf[Tag, T]) send(pid int, tag, values []byte) {
	q.Send(pid, valuesOf[Tag](tag)[0], valuesOf[T](values)...)
}

func (q queueOf[Tag, T]) peek() ([]byte, int) {
	tag, n, ok := q.Peek()
	if !ok {
		return nil, n
	}
	return bytesOf([]Tag{tag}), n
}

func (q queueOf[Tag, T]) next() (tag, values []byte) {
	t, v, ok := q.Next()
	if !ok {
		return nil, nil
	}
	return bytesOf([]Tag{t}), bytesOf(v)
}

func (q queueOf[Tag, T]) move(to []byte) int { return q.Receive(valuesOf[T](to)) }

func (q queueOf[Tag, T]) all(limit int, each func(tag, values []byte)) {
	for tag, values := range q.All() {
		each(bytesOf([]Tag{tag}), bytesOf(values))
		if limit--; limit <= 0 {
			break
		}
	}
}

// valuesOf and bytesOf return the same memory as elements and as bytes.
func valuesOf[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/kindOf[T]{}.size())
}

func bytesOf[T any](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*kindOf[T]{}.size())
}

// affine maps x to A*x + B. Composition is associative, but not commutative.
type affine struct{ A, B uint64 }

func (f affine) then(g affine) affine { return affine{f.A * g.A, f.B*g.A + g.B} }

// A state cannot contain interfaces: areas and queues of several types are
// structs with one field for each.

type anyArea struct {
	Long   areaOf[int64]
	Byte   areaOf[byte]
	Float  areaOf[float32]
	Triple areaOf[triple]
	Kind   int // which of these it is, from 1; 0 for none
}

func keepArea(r remote) (a anyArea) {
	switch r := r.(type) {
	case areaOf[int64]:
		a.Long, a.Kind = r, 1
	case areaOf[byte]:
		a.Byte, a.Kind = r, 2
	case areaOf[float32]:
		a.Float, a.Kind = r, 3
	case areaOf[triple]:
		a.Triple, a.Kind = r, 4
	}
	return a
}

func (a *anyArea) area() remote {
	return [...]remote{nil, a.Long, a.Byte, a.Float, a.Triple}[a.Kind]
}

type anyQueue struct {
	First  queueOf[int32, byte]
	Second queueOf[triple, int64]
	Third  queueOf[byte, float32]
	Fourth queueOf[int64, triple]
	Words  queueOf[int32, int64]
	Kind   int
}

func keepQueue(m mailbox) (q anyQueue) {
	switch m := m.(type) {
	case queueOf[int32, byte]:
		q.First, q.Kind = m, 1
	case queueOf[triple, int64]:
		q.Second, q.Kind = m, 2
	case queueOf[byte, float32]:
		q.Third, q.Kind = m, 3
	case queueOf[int64, triple]:
		q.Fourth, q.Kind = m, 4
	case queueOf[int32, int64]:
		q.Words, q.Kind = m, 5
	}
	return q
}

func (q *anyQueue) queue() mailbox {
	return [...]mailbox{nil, q.First, q.Second, q.Third, q.Fourth, q.Words}[q.Kind]
}
