package main

import (
	"math"
	"reflect"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
	"github.com/migbsp/migbsp/sim/record"
)

// recorded is the record of a run.
func recorded(t *testing.T, p *parameters, procs int) *record.Replay {
	t.Helper()
	return apptest.Recorded(t, func(book *ledger.Account) {
		aligned(t, p, bsplib.Config{Procs: procs, Ranks: 2, Account: book})
	})
}

// settingUp is the number of supersteps before the first wavefront.
const settingUp = 1

// The simulator's workload has the wavefronts' messages, byte for byte.
func TestSimulatedMessages(t *testing.T) {
	for text, p := range map[string]*parameters{
		"sw:n=200,p=5,blocks=9":                               {blocks: 9},
		"sw:n=200,p=7,blocks=7,message=1000,kept=3000,last=5": {blocks: 7, message: 1000, kept: 3000, last: 5},
		"sw:n=200,p=1,blocks=200":                             {blocks: 200},
	} {
		p.scoring = proteinScoring()
		p.query, p.target = generate(200, 1, p.scoring)
		made, err := sim.ParseWorkload(text)
		if err != nil {
			t.Fatal(err)
		}
		real := recorded(t, p, made.Processes())
		for k := range made.Steps() {
			want, got := apptest.Superstep(t, real, settingUp+k), apptest.Superstep(t, made, k)
			if !reflect.DeepEqual(apptest.Sent(got), apptest.Sent(want)) {
				t.Fatalf("%s: superstep %d at %s: messages %v, the program sends %v", text, k, want.Site, apptest.Sent(got), apptest.Sent(want))
			}
		}
		if more := apptest.Superstep(t, real, 0).State; len(more) != made.Processes() {
			t.Fatalf("%s: states %v", text, more)
		}
		for pid, bytes := range apptest.Superstep(t, real, 0).State {
			if more := bytes - made.State(pid); more < 0 || more > 500 {
				t.Errorf("%s: process %d takes %g bytes along at first, want a little more than %g", text, pid, bytes, made.State(pid))
			}
		}
	}
}

// And its work, as far as it can be told on a machine that others use too: of each figure
// the least of several runs counts, half of the work or twice as much is the same, and
// a tenth of a block is nothing.
func TestSimulatedWork(t *testing.T) {
	apptest.Quiet(t)
	p := &parameters{scoring: proteinScoring(), blocks: 4}
	p.query, p.target = generate(3000, 1, p.scoring)
	p.query = p.query[:2000]
	made, err := sim.ParseWorkload("sw:n=3000,m=2000,p=3,blocks=4,cell=1")
	if err != nil {
		t.Fatal(err)
	}
	least := make([][]float64, made.Steps())
	for range 20 {
		real := recorded(t, p, made.Processes())
		low, high, idle := math.Inf(1), 0.0, 0.0
		for k := range made.Steps() {
			did, does := apptest.Superstep(t, real, settingUp+k).Work, apptest.Superstep(t, made, k).Work
			if least[k] == nil {
				least[k] = did
			}
			for pid, work := range does {
				if least[k][pid] = min(least[k][pid], did[pid]); work == 0 {
					idle = max(idle, least[k][pid])
					continue
				}
				low, high = min(low, least[k][pid]/work), max(high, least[k][pid]/work)
			}
		}
		if high < 2*low && idle < low*500*1000/10 {
			return
		}
	}
	t.Errorf("work of the program that is not like the simulator's: %v", least)
}

// The simulator's workload has an operation's figure for each pair of letters.
func TestSimulatedCells(t *testing.T) {
	made, err := sim.ParseWorkload("sw:n=300,m=200,p=7,blocks=9,cell=2")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for k := range made.Steps() {
		for _, work := range apptest.Superstep(t, made, k).Work {
			sum += work
		}
	}
	if math.Abs(sum-2*300*200) > 1e-6 {
		t.Errorf("%g operations, want 2 for each of 300 x 200 pairs", sum)
	}
}
