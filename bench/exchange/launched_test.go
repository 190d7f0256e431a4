package main

import (
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/bench/exchange/ranks/report"
	"github.com/migbsp/migbsp/internal/testrun"
)

// Ranks measures all that is compared, and on two ranks what a message costs.
func TestUnderMPI(t *testing.T) {
	launcher := testrun.MPI(t)
	program := filepath.Join(testrun.Build(t, "mpi", "./bench/exchange/ranks"), "ranks")
	for _, ranks := range []int{2, 4} {
		c := testrun.Line(program, "-rounds 2 -each 1ms -halo 100")
		c.Env = append(c.Env, "MIGBSP_NODE_SIZE=2")
		if ranks == 2 {
			c.Env[len(c.Env)-1] = "MIGBSP_SHM=off"
		}
		m, err := parse([]string{lastLine(launcher.On(ranks, c).Must(t))})
		if err != nil {
			t.Fatal(err)
		}
		if m.Nodes != 2 || m.Size() != ranks {
			t.Errorf("%d ranks: shape %v, %s", ranks, m.Shape, m.engine)
		}
		for _, c := range compared {
			if times := m.times[c.name]; len(times) != 2 || !(times[0] > 0) {
				t.Errorf("%d ranks: %s took %v", ranks, c.name, times)
			}
		}
		if turn := m.times[report.Turn]; len(turn) != 2 || !(turn[0] > 0) {
			t.Errorf("%d ranks: a turn took %v", ranks, turn)
		}
		if got := m.message; (ranks == 2) != (got.RoundTrip > 0 && got.Send > 0 && got.Receive > 0 && got.PerByte > 0 && got.Copying > 0) {
			t.Errorf("%d ranks: a message costs %+v", ranks, got)
		}
	}
}
