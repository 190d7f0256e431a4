package main

import (
	"bytes"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/bsplib"
)

// Each move is timed, and the process comes back with all that it had, in one measure after the
// other. On one rank there is nowhere to go.
func TestMoves(t *testing.T) {
	for ranks, want := range map[int]int{1: 1, 2: 3} {
		var w bytes.Buffer
		u := quickest("^empty$|^move_1MiB", &w)
		err := bsplib.Run(bsplib.Config{Procs: 3, Ranks: ranks}, func(p *bsplib.Proc, s *state) error {
			err := u.run(p, s)
			if moved := p.Pid() == 2 && ranks == 2; moved && (len(s.Data) != 1<<20 || s.Ended != 2) {
				t.Errorf("%d bytes after %d measures", len(s.Data), s.Ended)
			}
			if p.Pid() == 0 && ranks == 2 && len(s.Times) != moves {
				t.Errorf("%d times", len(s.Times))
			}
			return err
		})
		runs, errRead := results.Read(&w)
		if err != nil || errRead != nil || len(runs) != 1 || len(runs[0].Rows) != want {
			t.Errorf("on %d ranks: %v, %v, %+v", ranks, err, errRead, runs)
		}
	}
}
