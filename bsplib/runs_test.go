package bsplib_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/randprog"
)

// longOp is an operation of a process in a superstep of TestLongTransfers, in bytes.
type longOp struct {
	get, hp     bool
	pid, area   int // of the other process
	at, n       int
	here, local int // area and offset that a Get writes to
	fill        uint64
}

// longPlan returns a superstep's ops by process. Puts and Gets overlap at random. Only HPPuts and
// HPGets use the last area, and no other op accesses their memory.
func longPlan(g *rand.Rand, procs, size int, lengths []int) [][]longOp {
	plan := make([][]longOp, procs)
	for pid := range plan {
		for range 1 + g.IntN(4) {
			o := longOp{get: g.IntN(3) == 0, pid: g.IntN(procs), area: g.IntN(2), n: lengths[g.IntN(len(lengths))], here: g.IntN(2), fill: g.Uint64()}
			o.at, o.local = g.IntN(size-o.n+1), g.IntN(size-o.n+1)
			plan[pid] = append(plan[pid], o)
		}
		// The last area has a part for each process that writes there, and a part to be read.
		o := longOp{hp: true, get: g.IntN(2) == 0, pid: g.IntN(procs), area: 2, here: 2, fill: g.Uint64()}
		part := size / (procs + 1)
		if o.n = min(lengths[g.IntN(len(lengths))], part); o.get {
			o.at, o.local = procs*part, pid*part
		} else {
			o.at = pid * part
		}
		plan[pid] = append(plan[pid], o)
	}
	return plan
}

// carryOut carries out a superstep by the rules of BSPlib, one process after the other.
func carryOut(plan [][]longOp, mem [][][]byte) {
	type transfer struct{ to, from []byte }
	var reads, writes []transfer
	for pid, ops := range plan {
		for _, o := range ops {
			there := mem[o.pid][o.area][o.at:][:o.n]
			if o.get {
				reads = append(reads, transfer{mem[pid][o.here][o.local:][:o.n], bytes.Clone(there)})
				continue
			}
			values := make([]byte, o.n)
			randprog.Fill(values, o.fill)
			writes = append(writes, transfer{there, values})
		}
	}
	for _, t := range append(reads, writes...) {
		copy(t.to, t.from)
	}
}

// TestLongTransfers uses Puts and Gets that overlap, of lengths around all thresholds of the
// library, together with HPPuts and HPGets; areas are of both kinds.
func TestLongTransfers(t *testing.T) {
	lengths := []int{0, 1, 8, 4095, 8 << 10, 16<<10 - 1, 16 << 10, 32<<10 + 3, 160<<10 - 1, 160 << 10, 160<<10 + 1, 256 << 10, 300<<10 + 5}
	longTransfers(t, 10, 800<<10, lengths)
}

// Runs of several pieces. It is skipped under the race detector, which would take half a minute
// and for which TestLongTransfers suffices.
func TestVeryLongTransfers(t *testing.T) {
	if raceEnabled {
		t.Skip("many bytes")
	}
	longTransfers(t, 2, 10<<20, []int{100, 200 << 10, 4<<20 - 1, 4 << 20, 4<<20 + 1, 9 << 20})
}

// longTransfers runs random plans on the available engines, and on ranks that share no memory.
func longTransfers(t *testing.T, steps, size int, lengths []int) {
	program := func(b *bsplib.Proc, _ *none) error {
		g := rand.New(rand.NewPCG(16, uint64(size)))
		areas := []bsplib.Area[byte]{bsplib.Alloc[byte](b, size), bsplib.Register(b, make([]byte, size)), bsplib.Register(b, make([]byte, size))}
		mem := make([][][]byte, b.NProcs())
		for pid := range mem {
			for range areas {
				mem[pid] = append(mem[pid], make([]byte, size))
			}
			randprog.Fill(mem[pid][2][size*4/5:], uint64(pid))
		}
		copy(areas[2].Slice(), mem[b.Pid()][2])
		b.Sync()
		for step := range steps {
			plan := longPlan(g, b.NProcs(), size, lengths)
			for _, o := range plan[b.Pid()] {
				x, here := areas[o.area], areas[o.here].Slice()[o.local:][:o.n]
				values := make([]byte, o.n)
				randprog.Fill(values, o.fill)
				switch {
				case o.get && o.hp:
					x.HPGet(o.pid, o.at, here)
				case o.get:
					x.Get(o.pid, o.at, here)
				case o.hp:
					x.HPPut(o.pid, o.at, values...)
				default:
					x.Put(o.pid, o.at, values...)
					clear(values)
				}
			}
			b.Sync()
			carryOut(plan, mem)
			for i, x := range areas {
				if want := mem[b.Pid()][i]; !bytes.Equal(x.Slice(), want) {
					at := 0
					for x.Slice()[at] == want[at] {
						at++
					}
					return fmt.Errorf("step %d, process %d, area %d: byte %d is %d, want %d", step, b.Pid(), i, at, x.Slice()[at], want[at])
				}
			}
			b.Sync()
		}
		return nil
	}
	bsptest.Run(t, 4, program)
	if bsptest.UnderMPI() {
		return
	}
	for name, way := range waysToMove() {
		if err := runOn(4, way.node, way.as, program); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A program that ends with an error, known to all, leaves no message under way that the next
// program could receive.
func TestLongTransfersEndWithAnError(t *testing.T) {
	const n = 400 << 10
	for _, cfg := range bsptest.Configs(3) {
		for round := range 3 {
			err := bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *none) error {
				x, q := bsplib.Register(b, make([]byte, n)), bsplib.NewQueue[int, int](b)
				q.Send(right(b), round, b.Pid())
				values := make([]byte, n)
				randprog.Fill(values, uint64(b.Pid()+10*round))
				b.Sync()
				x.HPPut(right(b), 0, values...)
				x.Put(right(b), 0, values...)
				q.Send(right(b), -1)
				if err := equal(b, "messages", readAll(q), []string{letterText(round, []int{left(b)})}); err != nil || round == 1 && b.Pid() == 1 {
					return cmp.Or(err, errors.New("on purpose"))
				}
				b.Sync()
				randprog.Fill(values, uint64(left(b)+10*round))
				return equal(b, "the area is right", bytes.Equal(x.Slice(), values), true)
			})
			if (err != nil) != (round == 1) {
				t.Fatalf("%s, round %d: %v", bsptest.Describe(cfg), round, err)
			}
		}
	}
}

// Data too long for one header: a Put, an HPPut, and two Puts, the second of which continues
// where the first ends.
func TestPutsBeyond16MiB(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("many bytes")
	}
	for _, n := range []int{1<<24 - 8, 1<<24 + 9} {
		half := n / 2 &^ 7
		bsptest.Run(t, 2, func(b *bsplib.Proc, _ *none) error {
			x, values, want := bsplib.Alloc[byte](b, n+11), make([]byte, n), make([]byte, n+11)
			for way, put := range []func(){
				func() { x.Put(right(b), 5, values...) },
				func() { x.HPPut(right(b), 5, values...) },
				func() { x.Put(right(b), 5, values[:half]...); x.Put(right(b), 5+half, values[half:]...) },
			} {
				b.Sync()
				randprog.Fill(values, uint64(b.Pid()+10*way))
				put()
				b.Sync()
				randprog.Fill(want[5:5+n], uint64(left(b)+10*way))
				if !bytes.Equal(x.Slice(), want) {
					return fmt.Errorf("process %d: %d bytes did not arrive by way %d", b.Pid(), n, way)
				}
			}
			return nil
		})
	}
}

// An HPPut may write as soon as it is called, but only after the writes of the previous
// superstep: its Puts, and its Gets at their destination.
func TestHPPutWritesAfterTheSuperstepBefore(t *testing.T) {
	for _, gets := range []bool{false, true} {
		bsptest.Run(t, 4, func(b *bsplib.Proc, _ *none) error {
			x, zeros := bsplib.Alloc[int](b, 2000), bsplib.Register(b, make([]int, 2000))
			b.Sync()
			for i := range 300 {
				switch {
				case gets && b.Pid() == 0:
					zeros.Get(1, 0, x.Slice())
				case !gets && b.Pid() == 1:
					x.Put(0, 0, zeros.Slice()...)
				}
				b.Sync()
				if b.Pid() == 3 {
					x.HPPut(0, 1999, i+1)
				}
				b.Sync()
				if b.Pid() == 0 && x.Slice()[1999] != i+1 {
					return fmt.Errorf("round %d, Gets %v: got %d", i, gets, x.Slice()[1999])
				}
				b.Sync()
			}
			return nil
		})
	}
}
