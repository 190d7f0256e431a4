// Package shared has package variables that programs set.
package shared

import (
	"flag"

	"github.com/migbsp/migbsp/bsplib"
)

var (
	size  = flag.Int("n", 1, "size")
	hits  int
	table []int
)

type state struct{ N int }

func program(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		table = make([]int, *size) // want `the package variable table is set on the first entry only and read after the stages`
	}
	for k := range b.Stages(*size) {
		hits++ // want `the package variable hits is set in the stage loop at line 22 and read in a later stage`
		if k > 10 {
			hits = -1
			return nil
		}
	}
	hits = 2
	for range b.Stages(table[0]) {
	}
	hits = 3
	return nil
}
