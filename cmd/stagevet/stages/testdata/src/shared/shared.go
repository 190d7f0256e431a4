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
	names = map[int]string{}
	calls int
)

type state struct{ N int }

func program(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		table = make([]int, *size) // want `the package variable table is set on the first entry only: a process that moves to another rank finds another value there; make it a field of the state`
	}
	names[0] = "each entry sets it"
	for k := range b.Stages(*size) {
		hits++           // want `the package variable hits is set in the stage loop at line 25: a process that moves`
		names[k] = "one" // want `the package variable names is set in the stage loop at line 25`
		s.count()
		if k > 10 {
			hits = -1
			return nil
		}
	}
	hits = 2 // want `the package variable hits is set between stages`
	for range b.Stages(table[0]) {
	}
	hits = 3
	return nil
}

func (s *state) count() {
	calls++ // want `the package variable calls is set in count, which is called in the stage loop at line 25`
	local := names
	s.N += len(local)
}
