package bsplib_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
)

// onNodes is a Comm of ranks within this process that treats them as ranks of several
// nodes, which share no memory.
type onNodes struct {
	mpi.Comm
	node []int
}

func (c onNodes) Engine() mpi.Engine {
	e := c.Comm.Engine()
	e.Nodes = c.node
	return e
}

func (c onNodes) Share(mem []byte) mpi.Ref {
	if mpi.RanksHere(c) == 1 {
		return 0
	}
	return c.Comm.Share(mem)
}

func (c onNodes) Reach(rank int, ref mpi.Ref) unsafe.Pointer {
	if c.node[rank] != c.node[c.Rank()] || ref == 0 {
		return nil
	}
	return c.Comm.Reach(rank, ref)
}

// byCopies is onNodes with ranks of a node that have no address for each other's memory, except
// for a little, and copy it by a call.
type byCopies struct{ onNodes }

const byCopy mpi.Ref = 1 << 63

func (c byCopies) Share(mem []byte) mpi.Ref {
	ref := c.onNodes.Share(mem)
	if ref != 0 && len(mem) > 4<<10 {
		ref |= byCopy
	}
	return ref
}

func (c byCopies) Reach(rank int, ref mpi.Ref) unsafe.Pointer {
	if ref&byCopy != 0 {
		return nil
	}
	return c.onNodes.Reach(rank, ref)
}

func (c byCopies) Copy(rank int, ref mpi.Ref, offset int, data []byte, to bool) error {
	if to {
		return errors.New("this only copies from there")
	}
	return c.copy(rank, ref, offset, data, to)
}

func (c byCopies) copy(rank int, ref mpi.Ref, offset int, data []byte, to bool) error {
	mem := c.onNodes.Reach(rank, ref&^byCopy)
	if mem == nil || ref&byCopy == 0 {
		return errors.New("there is no such memory")
	}
	other := unsafe.Slice((*byte)(unsafe.Add(mem, offset)), len(data))
	if to {
		copy(other, data)
	} else {
		copy(data, other)
	}
	return nil
}

// runOnNodes runs a program on ranks. Rank i is on node[i].
func runOnNodes[S any](procs int, node []int, program func(*bsplib.Proc, *S) error) error {
	return runOn(procs, node, func(c onNodes) mpi.Comm { return c }, program)
}

func runOn[S any](procs int, node []int, as func(onNodes) mpi.Comm, program func(*bsplib.Proc, *S) error) error {
	return runAs(bsplib.Config{Procs: procs}, node, as, program)
}

// runAs is runOn with a given configuration.
func runAs[S any](cfg bsplib.Config, node []int, as func(onNodes) mpi.Comm, program func(*bsplib.Proc, *S) error) error {
	comms := mpi.InProcess(len(node))
	failures := make([]error, len(node))
	var all sync.WaitGroup
	for i, comm := range comms {
		all.Go(func() {
			c, cfg := as(onNodes{comm, node}), cfg
			cfg.Comm = c
			if failures[i] = bsplib.Run(cfg, program); failures[i] != nil {
				c.Abort(1)
			}
		})
	}
	all.Wait()
	for _, err := range failures {
		if err != nil && !errors.Is(err, mpi.ErrAborted) && !errors.Is(err, errRunsOver) {
			return err
		}
	}
	return errors.Join(failures...)
}

// clusters are mappings of ranks to nodes: one node, a node for each rank, equal and unequal nodes,
// and ranks that are not in order.
var clusters = [][]int{
	{0}, {0, 0}, {0, 0, 0, 0, 0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3, 4, 5, 6},
	{0, 0, 1, 1}, {0, 1, 1, 1}, {0, 1, 0, 1, 0}, {0, 0, 1, 1, 2, 2, 3, 3}, {0, 0, 0, 1, 2, 2, 2, 2}, {5, 3, 3, 5, 1, 1, 3},
}

// lengthsOf returns lengths from 0 to beyond every threshold between algorithms.
func lengthsOf(b *bsplib.Proc) []int {
	lengths := []int{0, 1, 2, b.NProcs() - 1, b.NProcs() + 1, 63, 511, 512, 513, 40_000}
	if !testing.Short() {
		lengths = append(lengths, 3000, 5000, 20_000, 150_001)
	}
	return lengths
}

// uneven returns numbers whose sum depends on the order of the additions. The caller may change them.
func uneven(pid, n int) []float64 { return slices.Clone(unevenOnce(pid, n)) }

// unevenOnce returns the same numbers from a cache. They must not be changed.
func unevenOnce(pid, n int) []float64 {
	found, _ := unevenFound.LoadOrStore([2]int{pid, n}, sync.OnceValue(func() []float64 {
		x, r := make([]float64, n), rand.New(rand.NewPCG(uint64(pid), uint64(n)))
		for i := range x {
			x[i] = math.Ldexp(r.Float64()-0.5, r.IntN(60))
		}
		return x
	}))
	return found.(func() []float64)()
}

var unevenFound sync.Map

// sameBits compares numbers to the bit, all at once. It reports the reads to the race detector.
func sameBits(x, y []float64) bool {
	bits := func(x []float64) []byte {
		all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*len(x))
		reads(all)
		return all
	}
	return bytes.Equal(bits(x), bits(y))
}

// inTree combines values in the tree that collectives promise, in the simplest code.
func inTree[T any](values []T, op func(a, b T) T) T {
	if len(values) == 1 {
		return values[0]
	}
	half := (len(values) + 1) / 2
	return op(inTree(values[:half], op), inTree(values[half:], op))
}

// upTo combines the fewest subtrees of that tree that cover the first n of the values,
// from left to right.
func upTo[T any](values []T, n int, op func(a, b T) T) T {
	if n == len(values) {
		return inTree(values, op)
	}
	half := (len(values) + 1) / 2
	if n <= half {
		return upTo(values[:half], n, op)
	}
	return op2(inTree(values[:half], op), values[half:], n-half, op)
}

// op2 combines left with upTo of the values that follow it.
func op2[T any](left T, values []T, n int, op func(a, b T) T) T {
	if n == len(values) {
		return op(left, inTree(values, op))
	}
	half := (len(values) + 1) / 2
	if n <= half {
		return op2(left, values[:half], n, op)
	}
	return op2(op(left, inTree(values[:half], op)), values[half:], n-half, op)
}

func plusFloat(a, b float64) float64 { return a + b }

// reduced returns the sums, minima and maxima of p processes' n uneven numbers, from a cache.
func reduced(p, n int) [3][]float64 {
	found, _ := reducedOnce.LoadOrStore([2]int{p, n}, sync.OnceValue(func() (want [3][]float64) {
		columns, row := make([][]float64, p), make([]float64, p)
		for from := range columns {
			columns[from] = unevenOnce(from, n)
		}
		for i := range n {
			for from := range row {
				row[from] = columns[from][i]
			}
			want[0] = append(want[0], inTree(row, plusFloat))
			want[1], want[2] = append(want[1], slices.Min(row)), append(want[2], slices.Max(row))
		}
		return want
	}))
	return found.(func() [3][]float64)()
}

var reducedOnce sync.Map

// reductionsAreRight compares all reductions of all processes' numbers with the
// result of the tree, to the bit.
func reductionsAreRight(b *bsplib.Proc) error {
	p, pid := b.NProcs(), b.Pid()
	for _, n := range lengthsOf(b) {
		want, x := reduced(p, n), make([]float64, n)
		for k, op := range []struct {
			name  string
			slice func(*bsplib.Proc, []float64)
		}{
			{"AllreduceSlice", func(b *bsplib.Proc, x []float64) { bsplib.AllreduceSlice(b, x, plusFloat) }},
			{"SumSlice", bsplib.SumSlice[float64]},
			{"MinSlice", bsplib.MinSlice[float64]},
			{"MaxSlice", bsplib.MaxSlice[float64]},
		} {
			copy(x, unevenOnce(pid, n))
			op.slice(b, x)
			if want := want[max(0, k-1)]; !sameBits(x, want) {
				i := 0
				for math.Float64bits(x[i]) == math.Float64bits(want[i]) {
					i++
				}
				return fmt.Errorf("process %d: %s: element %d of %d is %v, want %v", pid, op.name, i, n, x[i], want[i])
			}
		}
		if n == 0 {
			continue
		}
		all := make([]float64, p)
		for from := range all {
			all[from] = unevenOnce(from, 1)[0]
		}
		if got, want := bsplib.Allreduce(b, all[pid], plusFloat), inTree(all, plusFloat); got != want {
			return fmt.Errorf("process %d: Allreduce is %v, want %v", pid, got, want)
		}
		if got, want := bsplib.Scan(b, all[pid], plusFloat), upTo(all, pid+1, plusFloat); got != want {
			return fmt.Errorf("process %d: Scan is %v, want %v", pid, got, want)
		}
		root := n % p
		if got, want := bsplib.Reduce(b, root, all[pid], plusFloat), inTree(all, plusFloat); pid == root && got != want || pid != root && got != 0 {
			return fmt.Errorf("process %d: Reduce to %d is %v, want %v there", pid, root, got, want)
		}
		if got, want := bsplib.Sum(b, float32(pid)), float32(p*(p-1)/2); got != want {
			return fmt.Errorf("process %d: Sum is %v, want %v", pid, got, want)
		}
	}
	return nil
}

// copiesAreRight compares the data that collectives deliver with the data sent.
func copiesAreRight(b *bsplib.Proc) error {
	p, pid := b.NProcs(), b.Pid()
	into, all := make([][]float64, p), make([][]float64, p)
	for i, n := range lengthsOf(b) {
		root := (i * 5) % p
		data := make([]float64, n)
		if pid == root {
			data = uneven(root, n)
		}
		bsplib.Broadcast(b, root, data)
		if !sameBits(data, unevenOnce(root, n)) {
			return fmt.Errorf("process %d: Broadcast of %d from %d brought something else", pid, n, root)
		}
		if n > 1000 {
			continue
		}
		length := func(from, to int) int { return (n + 7*from + 3*to) % (n + 5) }
		bsplib.AllgatherInto(b, uneven(pid, length(pid, 0)), into)
		bsplib.GatherInto(b, root, uneven(pid, length(pid, 1)), all)
		for from := range p {
			if !sameBits(into[from], unevenOnce(from, length(from, 0))) {
				return fmt.Errorf("process %d: Allgather brought something else of %d", pid, from)
			}
			if pid == root && !sameBits(all[from], unevenOnce(from, length(from, 1))) {
				return fmt.Errorf("process %d: Gather brought something else of %d", pid, from)
			}
			all[from] = uneven(pid, length(pid, from))
		}
		bsplib.AllToAllInto(b, all, all)
		for from := range p {
			if !sameBits(all[from], unevenOnce(from, length(from, pid))) {
				return fmt.Errorf("process %d: AllToAll brought something else of %d", pid, from)
			}
		}
	}
	return nil
}

// Collectives are right on every transport between ranks: addresses or messages;
// copies by the kernel, if ranks of a node have no address for each other's memory; runs,
// from memory to memory between nodes; and exchanges that fold, with trees of nodes.
func TestCollectivesOnNodes(t *testing.T) {
	bsptest.InProcess(t)
	right := func(b *bsplib.Proc, _ *none) error { return errors.Join(reductionsAreRight(b), copiesAreRight(b)) }
	for _, node := range clusters {
		n, several := len(node), slices.Max(node) > slices.Min(node)
		for _, way := range []struct {
			name  string
			procs []int
			run   func(procs int) error
		}{
			{"messages", []int{1, n - 1, n, n + 1, 3*n + 2}, func(procs int) error { return runOnNodes(procs, node, right) }},
			{"copies", []int{n + 3}, func(procs int) error {
				return runOn(procs, node, func(c onNodes) mpi.Comm { return byCopies{c} }, right)
			}},
			{"runs", []int{n, 3*n/2 + 1}, func(procs int) error {
				runs, err := runWithRuns(procs, node, func(b *bsplib.Proc, s *none) error {
					return errors.Join(right(b, s), longGathersAreRight(b))
				})
				if err == nil && runs > 0 != several {
					err = fmt.Errorf("there were %d runs", runs)
				}
				return err
			}},
			{"tree", []int{n, 3*n/2 + 1, 40}, func(procs int) error {
				folded, runs, err := runUpTree(procs, node, right)
				if err == nil && (folded == 0 || runs > 0 != several) {
					err = fmt.Errorf("%d results were folded, and there were %d runs", folded, runs)
				}
				return err
			}},
		} {
			for _, procs := range way.procs {
				if procs == 0 {
					continue
				}
				t.Run(fmt.Sprintf("%d on %v by %s", procs, node, way.name), func(t *testing.T) {
					t.Parallel()
					must.Do(t, way.run(procs))
				})
			}
		}
	}
}

// longGathersAreRight checks an Allgather of long data.
func longGathersAreRight(b *bsplib.Proc) error {
	const n = 40_001
	for from, values := range bsplib.Allgather(b, unevenOnce(b.Pid(), n)[100*b.Pid():]) {
		if !sameBits(values, unevenOnce(from, n)[100*from:]) {
			return fmt.Errorf("Allgather brought process %d something else of %d", b.Pid(), from)
		}
	}
	return nil
}

// The engines at hand: under a launcher its nodes' ranks.
func TestCollectivesOnAllEngines(t *testing.T) {
	for _, procs := range []int{1, 2, 5, 8, 13} {
		bsptest.Run(t, procs, func(b *bsplib.Proc, _ *none) error {
			return errors.Join(reductionsAreRight(b), copiesAreRight(b))
		})
	}
}

// nomad is a process that moves to a random rank at the end of each stage.
type nomad struct{ Passed int }

func roam(ranks int) func(b *bsplib.Proc, s *nomad) error {
	return func(b *bsplib.Proc, s *nomad) error {
		for k := range b.Stages(4) {
			if err := reductionsAreRight(b); err != nil {
				return err
			}
			if err := copiesAreRight(b); err != nil {
				return err
			}
			s.Passed++
			if r := rand.New(rand.NewPCG(uint64(k), uint64(b.Pid()))); k < 3 {
				b.Migrate(bsplib.OnRank(r.IntN(ranks)))
			}
		}
		if s.Passed != 4 {
			return fmt.Errorf("process %d has passed %d stages", b.Pid(), s.Passed)
		}
		return nil
	}
}

// Collectives are right on random mappings, including ranks and nodes without processes.
func TestCollectivesAfterMoves(t *testing.T) {
	bsptest.InProcess(t)
	for _, node := range clusters {
		t.Run(fmt.Sprint(node), func(t *testing.T) {
			t.Parallel()
			must.Do(t, runOnNodes(9, node, roam(len(node))))
		})
	}
}

func TestCollectivesAfterMovesEverywhere(t *testing.T) {
	bsptest.Run(t, 6, func(b *bsplib.Proc, s *nomad) error { return roam(b.NRanks())(b, s) })
}

// Each kind of number has a loop of its own.
func TestTypedLoops(t *testing.T) {
	bsptest.InProcess(t)
	type celsius float32
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 5, Ranks: 2}, func(b *bsplib.Proc, _ *none) error {
		return errors.Join(
			loopsAreRight[int](b), loopsAreRight[int8](b), loopsAreRight[int16](b), loopsAreRight[int32](b), loopsAreRight[int64](b),
			loopsAreRight[uint](b), loopsAreRight[uint8](b), loopsAreRight[uint16](b), loopsAreRight[uint32](b), loopsAreRight[uint64](b),
			loopsAreRight[uintptr](b), loopsAreRight[float32](b), loopsAreRight[float64](b), loopsAreRight[celsius](b),
			sumIsRight[complex64](b, func(x int) complex64 { return complex(float32(x), -1) }),
			sumIsRight[complex128](b, func(x int) complex128 { return complex(1, float64(x)) }))
	}))
}

func sumIsRight[T bsplib.Number](b *bsplib.Proc, of func(int) T) error {
	x, want := make([]T, 7), make([]T, 7)
	for i := range x {
		x[i] = of(b.Pid() + i)
		for pid := range b.NProcs() {
			want[i] += of(pid + i)
		}
	}
	bsplib.SumSlice(b, x)
	if !slices.Equal(x, want) {
		return fmt.Errorf("%T: sums are %v, want %v", x, x, want)
	}
	return nil
}

func loopsAreRight[T bsplib.Real](b *bsplib.Proc) error {
	if err := sumIsRight(b, func(x int) T { return T(x) }); err != nil {
		return err
	}
	last := b.NProcs() - 1
	least, most := make([]T, 9), make([]T, 9)
	for i := range least {
		least[i] = T((b.Pid()+i)%b.NProcs() + i)
		most[i] = least[i]
	}
	bsplib.MinSlice(b, least)
	bsplib.MaxSlice(b, most)
	for i := range least {
		if least[i] != T(i) || most[i] != T(last+i) {
			return fmt.Errorf("%T: element %d is %v to %v, want %v to %v", least, i, least[i], most[i], i, last+i)
		}
	}
	if x := bsplib.Min(b, T(b.Pid()+1)); x != 1 {
		return fmt.Errorf("Min is %v, want 1", x)
	}
	if x := bsplib.Max(b, T(b.Pid())); x != T(last) {
		return fmt.Errorf("Max is %v, want %v", x, last)
	}
	return nil
}

// A collective uses its arguments as they are at the call, also if its first
// Sync delivers data into their memory.
func TestPutsIntoWhatACollectiveIsGiven(t *testing.T) {
	bsptest.InProcess(t)
	for _, node := range clusters {
		for i, n := range []int{1, 300, 50_000, 50_000, 1, 300, 50_000, 50_000, 50_000} {
			run := runOnNodes[none]
			switch {
			case i == 3 || i == 8:
				run = byTheirRuns
			case i == 7: // runOnNodes again
			case i > 3:
				run = byTree
			}
			procs := 2 * len(node)
			if i == 2 || i > 4 {
				procs = max(2, len(node)) // one on each rank
			}
			err := run(procs, node, func(b *bsplib.Proc, _ *none) error {
				x := bsplib.Register(b, make([]int, n))
				b.Sync()
				p := b.NProcs()
				for i := range x.Slice() {
					x.Slice()[i] = b.Pid()
				}
				fill := slices.Repeat([]int{-1000}, n)
				x.Put(right(b), 0, fill...)
				bsplib.SumSlice(b, x.Slice())
				if want := slices.Repeat([]int{p * (p - 1) / 2}, n); !slices.Equal(x.Slice(), want) {
					return fmt.Errorf("process %d: the sum of %d elements is %d", b.Pid(), n, x.Slice()[n-1])
				}
				for i := range x.Slice() {
					x.Slice()[i] = 7 * b.Pid()
				}
				x.Put(right(b), 0, fill...)
				bsplib.Broadcast(b, 1, x.Slice())
				want := 7
				if b.Pid() == 1 {
					want = -1000
				}
				if x.Slice()[n-1] != want {
					return fmt.Errorf("process %d has %d after a Broadcast of %d elements, want %d", b.Pid(), x.Slice()[n-1], n, want)
				}
				return nil
			})
			if err != nil {
				t.Errorf("on %v: %v", node, err)
			}
		}
	}
}

// Differing lengths are refused on every number of ranks and nodes, on every
// transport of the lengths.
func TestReductionsOfDifferentLengths(t *testing.T) {
	bsptest.InProcess(t)
	for _, node := range clusters {
		for i, n := range []int{3, 100_000, 100_000, 3, 100_000} {
			run := runOnNodes[none]
			switch {
			case i == 2:
				run = byTheirRuns
			case i > 2:
				run = byTree
			}
			err := run(len(node)+1, node, func(b *bsplib.Proc, _ *none) error {
				bsplib.AllreduceSlice(b, make([]int, n+b.Pid()/b.NProcs()+b.Pid()*8/(b.NProcs()*8-8)), plus)
				return nil
			})
			if e, ok := errors.AsType[*bsplib.Error](err); !ok || e.Kind != bsplib.KindOutOfBounds || !strings.Contains(e.Text, "all processes must give the same length") {
				t.Errorf("%d elements on %v: %v", n, node, err)
			}
		}
	}
}

// A reduction has the number of Syncs in its comment: one for short data, also
// of many processes.
func TestSyncsOfCollectives(t *testing.T) {
	bsptest.InProcess(t)
	if raceEnabled {
		t.Skip("counts the Syncs of what other tests run")
	}
	syncs := func(procs int, node []int, call func(b *bsplib.Proc)) (n int) {
		must.Do(t, runOnNodes(procs, node, func(b *bsplib.Proc, _ *none) error {
			before := b.Superstep()
			call(b)
			if after := b.Superstep(); b.Pid() == 0 {
				n = after - before
			}
			return nil
		}))
		return n
	}
	slice := func(n int) func(b *bsplib.Proc) {
		return func(b *bsplib.Proc) { bsplib.SumSlice(b, make([]float64, n)) }
	}
	from0 := func(n int) func(b *bsplib.Proc) {
		return func(b *bsplib.Proc) { bsplib.Broadcast(b, 0, make([]float64, n)) }
	}
	for _, c := range []struct {
		what  string
		procs int
		node  []int
		call  func(b *bsplib.Proc)
		want  int
	}{
		{"a sum of 200 processes", 200, make([]int, 8), func(b *bsplib.Proc) { bsplib.Sum(b, 1) }, 1},
		{"a little slice on a node", 8, make([]int, 8), slice(10), 1},
		{"a long slice on a node", 8, make([]int, 8), slice(1 << 20), 2},
		{"a long slice on one rank", 8, make([]int, 1), slice(1 << 20), 1},
		{"a little slice on nodes", 8, []int{0, 1, 2, 3}, slice(10), 1},
		{"a long slice on nodes", 8, []int{0, 1, 2, 3}, slice(1 << 20), 1},
		{"a long slice on two nodes", 8, []int{0, 1}, slice(1 << 20), 1},
		{"a long slice on two nodes of two ranks", 8, []int{0, 0, 1, 1}, slice(1 << 20), 2},
		{"a long slice on four nodes of two ranks", 8, []int{0, 0, 1, 1, 2, 2, 3, 3}, slice(1 << 20), 2},
		{"a long Broadcast on a node", 8, make([]int, 8), from0(1 << 20), 1},
		{"a little Broadcast on nodes", 8, []int{0, 1, 2, 3}, from0(10), 1},
		{"a long Broadcast on four nodes", 8, []int{0, 1, 2, 3}, from0(1 << 20), 1},
		{"a long Broadcast on four nodes of two ranks", 8, []int{0, 0, 1, 1, 2, 2, 3, 3}, from0(1 << 20), 2},
	} {
		if got := syncs(c.procs, c.node, c.call); got != c.want {
			t.Errorf("%s has %d Syncs, want %d", c.what, got, c.want)
		}
	}
}

// A collective returns a copy, which stays valid.
func TestResultsOutliveSync(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		first := bsplib.Allgather(b, []int{b.Pid()})
		bsplib.Allgather(b, []int{-1})
		bsplib.Allgather(b, []int{-2})
		return equal(b, "the first result", slices.Concat(first...), numbers(0, b.NProcs()))
	})
}
