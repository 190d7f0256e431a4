package main

import (
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
		flow(t, p, bsplib.Config{Procs: procs, Ranks: 2, Account: book})
	})
}

// settingUp is the number of supersteps before the first step.
const settingUp = 1

// The simulator's workload has the messages of the steps, byte for byte, what a process
// takes along, and the cells that are computed.
func TestSimulatedWorkload(t *testing.T) {
	for _, c := range []struct{ text, size, obstacle string }{
		{"channel:length=30,height=17,p=5,steps=4", "30x17", "none"},
		{"channel:length=30,height=17,p=17,steps=3,hills=1", "30x17", "hills"},
		{"channel:length=30,height=17,p=1,steps=3", "30x17", "none"},
		{"channel:length=10,height=8,breadth=5,p=3,steps=4,hills=1", "10x8x5", "hills"},
	} {
		made, err := sim.ParseWorkload(c.text)
		if err != nil {
			t.Fatal(err)
		}
		p := channel(t, c.size, c.obstacle, made.Steps())
		real := recorded(t, p, made.Processes())
		for k := range made.Steps() {
			want, got := apptest.Superstep(t, real, settingUp+k), apptest.Superstep(t, made, k)
			if !reflect.DeepEqual(apptest.Sent(got), apptest.Sent(want)) {
				t.Fatalf("%s: step %d at %s: messages %v, the program sends %v", c.text, k, want.Site, apptest.Sent(got), apptest.Sent(want))
			}
		}
		flops := 92.
		if p.breadth > 0 {
			flops = 197
		}
		for pid, work := range apptest.Superstep(t, made, 0).Work {
			cells := 0
			for _, runs := range p.geometryOf(pid, made.Processes()).runs {
				for _, r := range runs {
					cells += r.length
				}
			}
			if work != flops*float64(cells) {
				t.Errorf("%s: process %d has %g operations for %d cells", c.text, pid, work, cells)
			}
			if more := apptest.Superstep(t, real, 0).State[pid] - made.State(pid); more < 0 || more > 500 {
				t.Errorf("%s: process %d takes %g bytes more along than %g", c.text, pid, more, made.State(pid))
			}
		}
	}
}

// And the work, as far as it can be told on a machine that others use too: of each
// process's the least of several runs counts, and half of the work or twice as much is
// the same. With hills, the uppermost process has more than four times the lowest's.
func TestSimulatedWork(t *testing.T) {
	apptest.Quiet(t)
	made, err := sim.ParseWorkload("channel:length=600,height=200,p=4,steps=4,hills=1")
	if err != nil {
		t.Fatal(err)
	}
	does := apptest.Superstep(t, made, 0).Work
	if does[3] < 4*does[0] {
		t.Fatalf("%v is not uneven", does)
	}
	p := channel(t, "600x200", "hills", made.Steps())
	least := make([]float64, made.Processes())
	for range 20 {
		real := recorded(t, p, made.Processes())
		for k := 1; k < made.Steps(); k++ {
			for pid, work := range apptest.Superstep(t, real, settingUp+k).Work {
				if least[pid] == 0 || work < least[pid] {
					least[pid] = work
				}
			}
		}
		low, high := least[0]/does[0], least[0]/does[0]
		for pid, work := range does {
			low, high = min(low, least[pid]/work), max(high, least[pid]/work)
		}
		if high < 2*low {
			return
		}
	}
	t.Errorf("processes work %v s at the least, and %v operations are made of it", least, does)
}
