package bsptest_test

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// A program runs on processes with ranks of their own, on processes that share ranks, and on more
// ranks than processes. Its result is the same.
func ExampleConfigs() {
	for _, cfg := range bsptest.Configs(4) {
		sum := 0.0
		err := bsplib.Run(cfg, func(b *bsplib.Proc, _ *struct{}) error {
			all := bsplib.Allreduce(b, 1/float64(1+b.Pid()), func(x, y float64) float64 { return x + y })
			if b.Pid() == 0 {
				sum = all
			}
			return nil
		})
		fmt.Println(bsptest.Describe(cfg), sum, err)
	}
	// Output:
	// 4 processes on 1 ranks 2.083333333333333 <nil>
	// 4 processes on 2 ranks 2.083333333333333 <nil>
	// 4 processes on 3 ranks 2.083333333333333 <nil>
	// 4 processes on 4 ranks 2.083333333333333 <nil>
	// 4 processes on 6 ranks 2.083333333333333 <nil>
}
