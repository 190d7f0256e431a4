package bsplib_test

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
)

// Programs of the differential test handle all memory as bytes; what follows
// connects them to areas and queues of several types.

// triple has a length that is no power of two, and no padding.
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

// remote is an area; from and to are whole elements.
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

// put gives a single value as such, which the compiler treats in another way.
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

// valuesOf and bytesOf see the same memory as elements and as bytes.
func valuesOf[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/kindOf[T]{}.size())
}

func bytesOf[T any](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*kindOf[T]{}.size())
}

// affine maps x to A*x + B; putting two after each other is associative, but
// not commutative.
type affine struct{ A, B uint64 }

func (f affine) then(g affine) affine { return affine{f.A * g.A, f.B*g.A + g.B} }

// A state has no interfaces in it: areas and queues of several types stand in
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
