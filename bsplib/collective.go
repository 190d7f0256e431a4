package bsplib

import (
	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// All processes call the collectives in the same order, with the same types, operations and
// roots: a difference ends the run. Each collective contains the Syncs that its cost shows.
// These deliver pending puts and messages like any Sync, but they drop no message of the
// program's queues: unread messages stay, in front of the delivered ones. n is the number of
// bytes of the data.
//
// Package internal/collective implements them.

// Broadcast copies root's data to all processes; data has the same length on
// all.
//
// Within a node all processes read root's copy. Short data goes to all ranks of other nodes.
// Long data goes to one rank of each: a part to each node, and then from each to all others. It
// goes along a tree of nodes if it is short for that, or if all nodes are on one machine and
// share its cores.
//
// BSP cost: (r-1)*n*g + l on r ranks for short data and on one node, where reading the
// others' copies takes n*g each at the same time; for long data on N nodes 2*n*g + l, or
// log2(N)*n*g + l along a tree, and n*g + l more if nodes have several ranks.
//
//go:noinline
func Broadcast[T any](p *Proc, root int, data []T) {
	at, on := site.OfCallOn()
	collective.Broadcast(p.member(on), at, root, data)
}

// Gather collects all processes' values on root, which returns them by pid; the
// others return nil. Lengths may differ.
//
// BSP cost: (sum of all n)*g + l.
//
//go:noinline
func Gather[T any](p *Proc, root int, values []T) [][]T {
	at, on := site.OfCallOn()
	return collective.Gather(p.member(on), at, root, values)
}

// GatherInto is like Gather but stores the values of process pid in root's into[pid],
// reusing its memory if they fit. The other processes may pass nil.
//
//go:noinline
func GatherInto[T any](p *Proc, root int, values []T, into [][]T) {
	at, on := site.OfCallOn()
	collective.GatherInto(p.member(on), at, root, values, into)
}

// Allgather returns all processes' values, by pid, on all processes. Lengths
// may differ.
//
// BSP cost: (sum of all n)*g + l for each rank to receive, and (r-1) times the
// bytes of its own processes to send.
//
//go:noinline
func Allgather[T any](p *Proc, values []T) [][]T {
	at, on := site.OfCallOn()
	return collective.Allgather(p.member(on), at, values)
}

// AllgatherInto is like Allgather but stores the values of process pid in into[pid],
// reusing its memory if they fit.
//
//go:noinline
func AllgatherInto[T any](p *Proc, values []T, into [][]T) {
	at, on := site.OfCallOn()
	collective.AllgatherInto(p.member(on), at, values, into)
}

// AllToAll sends values[pid] to each pid and returns, by pid, the values sent
// to this process. values has an element for each process; their lengths may
// differ.
//
// BSP cost: max over the processes of the bytes sent or received *g + l.
//
//go:noinline
func AllToAll[T any](p *Proc, values [][]T) [][]T {
	at, on := site.OfCallOn()
	return collective.AllToAll(p.member(on), at, values)
}

// AllToAllInto is like AllToAll but stores the values from process pid in into[pid],
// reusing its memory if they fit. into may be values.
//
//go:noinline
func AllToAllInto[T any](p *Proc, values, into [][]T) {
	at, on := site.OfCallOn()
	collective.AllToAllInto(p.member(on), at, values, into)
}

// Reductions combine values of all processes with an associative op, always in the
// same tree over the pids: floating-point results do not depend on
// ranks, engine or mapping. op need not be commutative.
//
// Each rank combines the values of its processes before it sends anything, and each node the
// values of its ranks. Any process may run op, also on values of other processes. All
// processes must pass the same op, and op must only compute: an op that calls Sync, puts, gets
// or sends ends the run.

// Reduce returns op over all processes' x on root, and the zero T elsewhere.
//
// BSP cost: (r-1)*n*g + l on r ranks, after each has combined its own values, and p-1 ops in
// all. A rank whose processes are not neighbours in pid sends n bytes for each subtree.
//
//go:noinline
func Reduce[T any](p *Proc, root int, x T, op func(a, b T) T) T {
	at, on := site.OfCallOn()
	return collective.Reduce(p.member(on), at, root, x, op)
}

// Allreduce returns op over all processes' x on all of them.
//
// BSP cost: as for AllreduceSlice of one element.
//
//go:noinline
func Allreduce[T any](p *Proc, x T, op func(a, b T) T) T {
	at, on := site.OfCallOn()
	return collective.Allreduce(p.member(on), at, x, op)
}

// AllreduceSlice replaces each element of x by op over all processes' elements
// at the same index. All processes must pass the same length.
//
// Short data goes from each rank to all others. Of long data each rank combines a part, for
// its node and then for all nodes, and all gather the parts. If the ranks of several nodes
// share the cores of one machine, short data is sent with the exchange that ends the
// superstep, and long data from node to node up the tree that combines it, and down again.
//
// BSP cost: for short data on r ranks (r-1)*n*g + l, and r-1 ops for each element on each
// rank; for long data l between nodes and 2*l within them, with 2*n*g for each, and p-1 ops
// for each element in all. Nodes of one machine: n*g + l for short data, 2*log2(N)*n*g
// between N nodes for long data.
//
//go:noinline
func AllreduceSlice[T any](p *Proc, x []T, op func(a, b T) T) {
	at, on := site.OfCallOn()
	collective.AllreduceSlice(p.member(on), at, x, op)
}

// Sum returns the sum of all processes' x on all of them. It is Allreduce with a loop of its
// own, which is faster if a rank has many processes. Its cost is Allreduce's.
//
//go:noinline
func Sum[T Number](p *Proc, x T) T {
	at, on := site.OfCallOn()
	return collective.Sum(p.member(on), at, x)
}

// Min returns the least of all processes' x on all of them. NaN is less than any number,
// as for the language's min.
//
//go:noinline
func Min[T Real](p *Proc, x T) T {
	at, on := site.OfCallOn()
	return collective.Min(p.member(on), at, x)
}

// Max returns the greatest of all processes' x on all of them, or NaN if any process has NaN.
//
//go:noinline
func Max[T Real](p *Proc, x T) T {
	at, on := site.OfCallOn()
	return collective.Max(p.member(on), at, x)
}

// SumSlice replaces each element of x by the sum of all processes' elements at the same
// index. It is AllreduceSlice with a loop of its own, several times as fast as with a function.
// Its cost is AllreduceSlice's.
//
//go:noinline
func SumSlice[T Number](p *Proc, x []T) {
	at, on := site.OfCallOn()
	collective.SumSlice(p.member(on), at, x)
}

// MinSlice is like SumSlice with the least elements: see Min.
//
//go:noinline
func MinSlice[T Real](p *Proc, x []T) {
	at, on := site.OfCallOn()
	collective.MinSlice(p.member(on), at, x)
}

// MaxSlice is like SumSlice with the greatest elements: see Max.
//
//go:noinline
func MaxSlice[T Real](p *Proc, x []T) {
	at, on := site.OfCallOn()
	collective.MaxSlice(p.member(on), at, x)
}

// Scan returns op over the x of processes 0 to Pid(). It combines the fewest subtrees of the
// reductions' tree that cover these processes, from left to right.
//
// BSP cost: (r-1)*n*g + l on r ranks, and about 2*p/r + log2 p ops on each.
//
//go:noinline
func Scan[T any](p *Proc, x T, op func(a, b T) T) T {
	at, on := site.OfCallOn()
	return collective.Scan(p.member(on), at, x, op)
}

// Number is the constraint of the values that Sum adds.
type Number interface {
	Real | ~complex64 | ~complex128
}

// Real is the constraint of the values that Min and Max compare.
type Real interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64
}

// member returns the process's Member for collectives. goroutine is the caller's, which must be the
// goroutine that runs the process.
func (p *Proc) member(goroutine uintptr) *collective.Member {
	q := &p.process
	if q.Collectives == nil || q.Data.Goroutine != goroutine {
		p.newMember(goroutine)
	}
	return q.Collectives
}

//go:noinline
func (p *Proc) newMember(goroutine uintptr) {
	p.process.MustBeOn(goroutine)
	p.process.CollectiveOf((*owner)(p))
}

func (o *owner) EndSuperstep(site uintptr) { o.process.Meet(site, 0) }

func (o *owner) Fail(why collective.Misuse, format string, args ...any) {
	(*Proc)(o).fail(misuses[why], format, args...)
}

func (o *owner) Panicked(v any) any {
	o.process.Fails(v)
	if o.process.Failure != nil {
		return (*Error)(o.process.Failure)
	}
	return v
}

// misuses maps the misuses of collectives that end a run to error kinds.
var misuses = [...]Kind{
	collective.Mismatch: KindCollectiveMismatch, collective.OutOfBounds: KindOutOfBounds, collective.NoSuchProcess: KindPidOutOfRange,
	collective.NoOperation: KindFailed, collective.NotPlain: KindNotPlain,
}
