// Lost loses what it counts when its processes move: it is wrong on purpose.
package main

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
)

func main() { bsplib.Main(lost) }

type state struct{}

func lost(b *bsplib.Proc, s *state) error {
	count := 0
	for range b.Stages(10) {
		count++
	}
	all := bsplib.Allreduce(b, count, func(x, y int) int { return x + y })
	if b.Pid() == 0 {
		fmt.Printf("%d stages of %d processes: counted %d\n", 10, b.NProcs(), all)
	}
	return nil
}
