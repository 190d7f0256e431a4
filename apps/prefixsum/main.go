// Prefixsum computes the running sums of 1, 2, ..., one number per process, in
// log2(p) stages: the smallest program that shows registration, Put and stages.
package main

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/bits"

	"github.com/migbsp/migbsp/bsplib"
)

var show = flag.Bool("show", false, "print each process's sum")

func main() {
	bsplib.Main(prefixSum, bsplib.Options{Description: `
Prefixsum computes the running sums of 1, 2, ..., p on p processes and checks
them. Each stage doubles the distance over which sums are passed on.`})
}

// state is all that a process carries from one stage to the next.
type state struct {
	X  int
	In bsplib.Area[int]
}

func prefixSum(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.X, s.In = b.Pid()+1, bsplib.Register(b, make([]int, 1))
		b.Sync()
	}
	for k := range b.Stages(bits.Len(uint(b.NProcs() - 1))) {
		if d := 1 << k; b.Pid()+d < b.NProcs() {
			s.In.Put(b.Pid()+d, 0, s.X)
		}
		b.Sync()
		if b.Pid() >= 1<<k {
			s.X += s.In.Slice()[0]
		}
	}
	return report(b, s.X)
}

// report checks all sums on process 0 and hands over the result.
func report(b *bsplib.Proc, sum int) error {
	sums := bsplib.Gather(b, 0, []int{sum})
	wrong, checksum := 0, fnv.New64a()
	for pid, got := range sums {
		fmt.Fprintln(checksum, got[0])
		if want := (pid + 1) * (pid + 2) / 2; got[0] != want {
			wrong++
			fmt.Printf("process %d: sum %d, want %d\n", pid, got[0], want)
		} else if *show {
			fmt.Printf("process %d: sum %d\n", pid, got[0])
		}
	}
	wrong = bsplib.Allreduce(b, wrong, func(a, b int) int { return a + b })
	b.Report(bsplib.Result{
		Title: "Prefix sum", Size: fmt.Sprintf("1 .. %d", b.NProcs()),
		Checks:   []bsplib.ResultCheck{{Name: "wrong sums", Value: float64(wrong), Passed: wrong == 0}},
		Checksum: fmt.Sprintf("%016x", checksum.Sum64()),
	})
	if wrong > 0 {
		return bsplib.ErrNotVerified
	}
	return nil
}
