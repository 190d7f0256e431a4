// Lasting is a program of many stages, for tests of checkpoints: its result
// depends on all that has been in its states, areas and queues.
//
// LASTING_SIGNAL=STAGE:RANK has it send SIGUSR1 to itself in a stage, on a rank
// or on all; to ranks within one program once. With LASTING_FIXED it has a state that cannot move.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/bsplib"
)

var (
	stages = flag.Int("n", 40, "number of stages")
	words  = flag.Int("words", 1000, "in each process's memory")
	pause  = flag.Duration("pause", 0, "in each stage")
)

func main() {
	if os.Getenv("LASTING_FIXED") != "" {
		bsplib.Main(func(*bsplib.Proc, *struct{ Stop chan int }) error { return nil })
	}
	bsplib.Main(run)
}

// state is all that a process is between two stages.
type state struct {
	X    uint64
	Own  []uint64
	Seen map[uint64]int
	In   bsplib.Area[uint64]
	Post bsplib.Queue[int32, uint64]
}

func run(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.X, s.Own, s.Seen = uint64(b.Pid()), make([]uint64, *words), make(map[uint64]int)
		s.In, s.Post = bsplib.Register(b, s.Own), bsplib.NewQueue[int32, uint64](b)
		b.Sync()
	}
	for k := range b.Stages(*stages) {
		signals(b, k)
		time.Sleep(*pause)
		s.stage(b, k)
	}
	sums := bsplib.Gather(b, 0, []uint64{s.sum()})
	all := uint64(0)
	for _, x := range sums {
		all = mix(all, x[0])
	}
	b.Report(bsplib.Result{Title: "Lasting", Checksum: fmt.Sprintf("%016x", all), Checks: []bsplib.ResultCheck{{Name: "none", Passed: true}}})
	return nil
}

func (s *state) stage(b *bsplib.Proc, k int) {
	p, right := b.Pid(), (b.Pid()+1)%b.NProcs()
	for from, values := range s.Post.All() {
		s.X = mix(s.X, uint64(from)+values[0])
	}
	for i := range s.Own {
		s.Own[i] = mix(s.Own[i], s.X+uint64(i))
	}
	var seen [1]uint64
	s.In.Get(right, k%*words, seen[:])
	s.In.Put(right, (k+1)%*words, s.X)
	b.Sync()
	s.X = mix(s.X, seen[0])
	s.Seen[s.X%7]++
	s.Post.Send(right, int32(p), s.X, uint64(k))
	s.Post.Send(0, int32(k), s.X>>1)
	s.In.Put(right, k%*words, s.X+1)
}

func (s *state) sum() uint64 {
	x := s.X
	for _, v := range s.Own {
		x = mix(x, v)
	}
	for i := range uint64(7) {
		x = mix(x, uint64(s.Seen[i]))
	}
	return x
}

func mix(a, b uint64) uint64 { return (a^b)*0x9e3779b97f4a7c15>>7 + b }

// sent is the one signal: another could be told of a stage later.
var sent sync.Once

// signals does what LASTING_SIGNAL says. From then on stages take some time, for
// what has arrived is looked at by another goroutine.
func signals(b *bsplib.Proc, stage int) {
	when, rank, ok := strings.Cut(os.Getenv("LASTING_SIGNAL"), ":")
	from, err := strconv.Atoi(when)
	if !ok || err != nil || stage < from {
		return
	}
	if stage == from && (rank == "all" || rank == strconv.Itoa(b.Rank())) {
		sent.Do(func() {
			arrived := make(chan os.Signal, 1)
			signal.Notify(arrived, syscall.SIGUSR1)
			syscall.Kill(os.Getpid(), syscall.SIGUSR1)
			<-arrived
		})
	}
	time.Sleep(5 * time.Millisecond)
}
