package sim

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// All cells of the matrix are computed once, and borders of blocks add up.
func TestAlignmentComputesAllCells(t *testing.T) {
	load := must.Get(ParseWorkload("sw:n=101,m=53,p=4,blocks=7,cell=1"))(t)
	var s Step
	cells, bytes := 0.0, 0.0
	for k := range load.Steps() {
		s.clear(load.Processes())
		must.Do(t, load.Fill(k, &s))
		for _, work := range s.Work {
			cells += work
		}
		for _, m := range s.Messages {
			bytes += m.Bytes
		}
	}
	if cells != 101*53 || bytes != 8*53*3 || load.Steps() != 10 {
		t.Errorf("%g cells and %g bytes in %d supersteps", cells, bytes, load.Steps())
	}
	if first, last := load.State(3), s.state(load, 3); last != first+8*(6*26+53) {
		t.Errorf("the state grows from %g to %g", first, last)
	}
}

// Work beside grows as that of the wavefronts in the papers.
func TestAlignmentWithDensity(t *testing.T) {
	load := must.Get(ParseWorkload("sw:n=1000,p=10,blocks=10,cell=0,first=1e6,last=1e9,message=500000,kept=700000"))(t)
	dp := must.Get(ParseWorkload("dp:n=10"))(t)
	for k := range dp.Steps() {
		var got, want Step
		got.clear(10)
		want.clear(10)
		must.Do(t, load.Fill(k, &got))
		must.Do(t, dp.Fill(k, &want))
		for pid, work := range want.Work {
			if got.Work[pid] != work {
				t.Errorf("superstep %d: process %d has %g operations, want %g", k, pid, got.Work[pid], work)
			}
		}
		for i, m := range want.Messages {
			if m.Bytes += 8 * 100; got.Messages[i] != m {
				t.Errorf("superstep %d: %v, want %v", k, got.Messages[i], m)
			}
		}
	}
}

func TestLoadsOfProgramsThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"sw:n=5,p=6":            "5 letters are too few for 6 processes",
		"sw:n=500,m=4,blocks=6": "or 4 for 6 blocks",
		"channel:height=3,p=4":  "3 layers are too few for 4 processes",
	} {
		if _, err := ParseWorkload(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
	}
}
