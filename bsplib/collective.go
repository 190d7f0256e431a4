package bsplib

import (
	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// All processes call the collectives in the same order, with the same types, operations and
// roots: what differs ends the run. Each contains the Syncs that its cost shows. Like any Sync
// they deliver what else was put or sent; unlike others they drop no message of the program's
// queues: what was not read stays, in front of what they deliver. n is the number of bytes of
// the data.
//
// What they do is in package internal/collective.

// Broadcast copies root's data to all processes; data has the same length on
// all.
//
// Within a node all read it where root's rank has laid it. Little data goes to all ranks
// of other nodes. Much goes to one rank of each: a part to each node, and then from each to all
// others, or along a tree of nodes where the data are short for these, or where all nodes are on
// one machine, whose cores they share.
//
// BSP cost: (r-1)*n*g + l on r ranks for little data and on one node, where reading the
// others' copies takes n*g each at the same time; for much data on N nodes 2*n*g + l, or
// log2(N)*n*g + l along a tree, and n*g + l more where nodes have several ranks.
//
//go:noinline
func Broadcast[T any](p *Proc, root int, data []T) {
	at, on := site.OfCallOn()
	collective.Broadcast(p.member(on), at, root, data)
}

// Gather brings all processes' values to root, which gets them by pid; the
// others get nil. Lengths may differ.
//
// BSP cost: (sum of all n)*g + l.
//
//go:noinline
func Gather[T any](p *Proc, root int, values []T) [][]T {
	at, on := site.OfCallOn()
	return collective.Gather(p.member(on), at, root, values)
}

// GatherInto is Gather into root's slices: into[pid] becomes what pid has sent, in the
// memory of into[pid] if that has room. The others may give nil.
//
//go:noinline
func GatherInto[T any](p *Proc, root int, values []T, into [][]T) {
	at, on := site.OfCallOn()
	collective.GatherInto(p.member(on), at, root, values, into)
}

// Allgather brings all processes' values to all processes, by pid. Lengths may
// differ.
//
// BSP cost: (sum of all n)*g + l for each rank to receive, and (r-1) times what its
// processes give to send.
//
//go:noinline
func Allgather[T any](p *Proc, values []T) [][]T {
	at, on := site.OfCallOn()
	return collective.Allgather(p.member(on), at, values)
}

// AllgatherInto is Allgather into the caller's slices: into[pid] becomes what pid has
// given, in the memory of into[pid] if that has room.
//
//go:noinline
func AllgatherInto[T any](p *Proc, values []T, into [][]T) {
	at, on := site.OfCallOn()
	collective.AllgatherInto(p.member(on), at, values, into)
}

// AllToAll sends values[pid] to each pid and returns what each pid has sent
// here. values has an element for each process; their lengths may differ.
//
// BSP cost: max over the processes of the bytes sent or received *g + l.
//
//go:noinline
func AllToAll[T any](p *Proc, values [][]T) [][]T {
	at, on := site.OfCallOn()
	return collective.AllToAll(p.member(on), at, values)
}

// AllToAllInto is AllToAll into the caller's slices: into[pid] becomes what pid has
// sent here, in the memory of into[pid] if that has room. into may be values.
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
// A rank combines what its processes give before anything leaves it, and a node what its
// ranks have. op runs in any of the processes; where it does so, it may be called for
// the values of others. All processes must give the same one, and it may do nothing but
// compute: one that calls Sync, puts, gets or sends ends the run.

// Reduce returns op over all processes' x on root, and the zero T elsewhere.
//
// BSP cost: (r-1)*n*g + l on r ranks, each of which has combined its own, and p-1 ops in
// all. A rank of processes that are no neighbours in pid sends one n for each subtree.
//
//go:noinline
func Reduce[T any](p *Proc, root int, x T, op func(a, b T) T) T {
	at, on := site.OfCallOn()
	return collective.Reduce(p.member(on), at, root, x, op)
}

// Allreduce returns op over all processes' x on all of them.
//
// BSP cost: AllreduceSlice's of one element.
//
//go:noinline
func Allreduce[T any](p *Proc, x T, op func(a, b T) T) T {
	at, on := site.OfCallOn()
	return collective.Allreduce(p.member(on), at, x, op)
}

// AllreduceSlice replaces each element of x by op over all processes' elements
// there. All give the same length.
//
// Little data goes from each rank to all others. Of much each rank combines a part, for
// its node and then for all nodes, and all gather the parts. Where the ranks of several
// nodes share the cores of one machine, little data goes with the exchange that ends the
// superstep, and much from node to node up the tree in which it combines, and down again.
//
// BSP cost: (r-1)*n*g + l on r ranks for little data, and r-1 ops for each element on
// each; for much l between nodes and 2*l within them, with 2*n*g for each, and p-1 ops for each
// element in all. Nodes of one machine: n*g + l for little data, 2*log2(N)*n*g between N nodes
// for much.
//
//go:noinline
func AllreduceSlice[T any](p *Proc, x []T, op func(a, b T) T) {
	at, on := site.OfCallOn()
	collective.AllreduceSlice(p.member(on), at, x, op)
}

// Sum returns the sum of all processes' x on all of them: Allreduce with a loop of its
// own, which is faster where a rank has many processes. Its cost is Allreduce's.
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

// Max returns the greatest of all processes' x on all of them, NaN where one has NaN.
//
//go:noinline
func Max[T Real](p *Proc, x T) T {
	at, on := site.OfCallOn()
	return collective.Max(p.member(on), at, x)
}

// SumSlice replaces each element of x by the sum of all processes' elements there:
// AllreduceSlice with a loop of its own, several times as fast as with a function. Its
// cost is AllreduceSlice's.
//
//go:noinline
func SumSlice[T Number](p *Proc, x []T) {
	at, on := site.OfCallOn()
	collective.SumSlice(p.member(on), at, x)
}

// MinSlice is SumSlice with the least elements: see Min.
//
//go:noinline
func MinSlice[T Real](p *Proc, x []T) {
	at, on := site.OfCallOn()
	collective.MinSlice(p.member(on), at, x)
}

// MaxSlice is SumSlice with the greatest elements: see Max.
//
//go:noinline
func MaxSlice[T Real](p *Proc, x []T) {
	at, on := site.OfCallOn()
	collective.MaxSlice(p.member(on), at, x)
}

// Scan returns op over the x of processes 0 to Pid(): over the fewest subtrees of the
// reductions' tree that make these up, from left to right.
//
// BSP cost: (r-1)*n*g + l on r ranks, and about 2*p/r + log2 p ops on each.
//
//go:noinline
func Scan[T any](p *Proc, x T, op func(a, b T) T) T {
	at, on := site.OfCallOn()
	return collective.Scan(p.member(on), at, x, op)
}

// Number is what Sum adds.
type Number interface {
	Real | ~complex64 | ~complex128
}

// Real is what Min and Max compare.
type Real interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64
}

// member returns the process in collectives. The caller is on a goroutine, which must be the one that
// runs the process.
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

// misuses are the kinds of what collectives can end a run for.
var misuses = [...]Kind{
	collective.Mismatch: KindCollectiveMismatch, collective.OutOfBounds: KindOutOfBounds, collective.NoSuchProcess: KindPidOutOfRange,
	collective.NoOperation: KindFailed, collective.NotPlain: KindNotPlain,
}
