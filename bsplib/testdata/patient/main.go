// Patient is a program that takes as long as it is told to, for tests of what happens to it
// meanwhile: its processes add up numbers of each other, stage after stage.
package main

import (
	"flag"
	"fmt"
	"time"

	"github.com/migbsp/migbsp/bsplib"
)

var (
	stages = flag.Int("stages", 1_000_000, "how many")
	pause  = flag.Duration("pause", 100*time.Microsecond, "of each process, in each stage")
	greedy = flag.Int("greedy", -1, "the process that allocates memory until there is none")
)

type state struct {
	Sum int
	In  bsplib.Area[int]
}

func main() {
	bsplib.Main(func(b *bsplib.Proc, s *state) error {
		if b.Fresh() {
			s.In = bsplib.Register(b, make([]int, 1))
			b.Sync()
		}
		for k := range b.Stages(*stages) {
			if k == 1 && b.Pid() == 0 {
				fmt.Println("ready")
			}
			for all := [][]byte(nil); b.Pid() == *greedy; {
				all = append(all, make([]byte, 1<<46))
			}
			time.Sleep(*pause)
			s.In.Put((b.Pid()+1)%b.NProcs(), 0, b.Pid()+k)
			b.Sync()
			s.Sum += s.In.Slice()[0]
			if k%16 == 0 {
				s.Sum += bsplib.Allreduce(b, 1, func(x, y int) int { return x + y })
			}
		}
		if sum := bsplib.Allreduce(b, s.Sum, func(x, y int) int { return x + y }); b.Pid() == 0 {
			fmt.Println("checksum", sum)
		}
		return nil
	})
}
