package account

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// The record contains the exact loads of processes: their work at speed 1 by site, the sizes of
// their states when these were read, and their traffic, extrapolated to supersteps of the same
// site whose traffic was not recorded. Shipments within a window do not change it; Stop ends
// the last window.
func TestLoads(t *testing.T) {
	const a, b = 10, 20 // sites
	supersteps := []struct {
		site     uintptr
		work     [3]int // ms, of the processes
		traffic  [3][]rebalancer.Traffic
		recorded bool
		ship     bool
	}{
		{site: a, work: [3]int{1, 2, 3}, recorded: true, traffic: [3][]rebalancer.Traffic{{{Pid: 1, Bytes: 10}, {Pid: 2, Bytes: 20}}, {}, {{Pid: 0, Bytes: 5}}}},
		{site: b, work: [3]int{4, 0, 1}, recorded: true, traffic: [3][]rebalancer.Traffic{{}, {{Pid: 2, Bytes: 7}, {Pid: 1, Bytes: 9}}, {}}, ship: true},
		{site: a, work: [3]int{1, 1, 1}}, // its traffic is extrapolated from the first
		{site: a, work: [3]int{2, 2, 2}, recorded: true, traffic: [3][]rebalancer.Traffic{{{Pid: 1, Bytes: 1}}, {}, {}}, ship: true},
		{site: a, work: [3]int{2, 2, 2}, recorded: true, traffic: [3][]rebalancer.Traffic{{{Pid: 2, Bytes: 3}, {Pid: 1, Bytes: 1}}, {}, {}}},
		{site: b, work: [3]int{0, 0, 8}, recorded: true},
		{site: b, work: [3]int{7, 6, 5}, recorded: true, traffic: [3][]rebalancer.Traffic{{}, {}, {{Pid: 0, Bytes: 1}}}},
	}
	want := []ledger.Load{
		{
			First: 1, Last: 3, Count: 2, Site: "file.go:10", Work: []float64{0.002, 0.003, 0.008}, State: []int64{101, 102, 103},
			Messages: []ledger.Message{{From: 1, To: 0, Bytes: 20}, {From: 2, To: 0, Bytes: 40}, {From: 0, To: 2, Bytes: 10}},
		},
		{
			First: 2, Last: 2, Count: 1, Site: "file.go:20", Work: []float64{0.004, 0, 0.002},
			Messages: []ledger.Message{{From: 2, To: 1, Bytes: 7}},
		},
		{
			First: 4, Last: 5, Count: 2, Site: "file.go:10", Work: []float64{0.004, 0.004, 0.008}, State: []int64{201, 202, 203},
			Messages: []ledger.Message{{From: 1, To: 0, Bytes: 2}, {From: 2, To: 0, Bytes: 3}},
		},
		{First: 6, Last: 6, Count: 1, Site: "file.go:20", Work: []float64{0, 0, 0.016}},
		{
			First: 7, Last: 7, Count: 1, Site: "file.go:20", Work: []float64{0.007, 0.006, 0.01},
			Messages: []ledger.Message{{From: 0, To: 2, Bytes: 1}},
		},
	}
	book, written := newRecord()
	r := run{speeds: []float64{1, 2}, where: []int32{0, 0, 1}, book: book}
	step := [2]int{}
	bytes := func(pid int) int64 { return int64(100*(1+step[r.where[pid]]/4) + pid + 1) }
	r.set = Settings{Loads: loads.Settings{StateBytes: bytes, Least: 3}}
	r.do(t, Facts{}, func(m *member) {
		for i, s := range supersteps {
			step[m.rank] = i + 1
			if !m.NeedsTraffic() {
				t.Errorf("superstep %d: rank %d needs no traffic; it has %d supersteps of a window at most", i+1, m.rank, i%3)
			}
			m.Begin(0, 0)
			for _, p := range m.samples {
				p.Work, p.Traffic = time.Duration(s.work[p.Pid])*ms, s.traffic[p.Pid]
				m.Worked(p, 0)
			}
			m.Close(i+1, s.site, clock.Superstep{}, m.samples, s.recorded, nil)
			if s.ship {
				m.must(m.Ship(i + 2))
			}
		}
		m.must(m.Stop(len(supersteps) + 1))
	})
	book.Recorder.Close(&ledger.End{}, nil)
	got := entries[ledger.Load](t, written.String())
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("load %d of %d, want %d:\ngot  %+v\nwant %+v", i, len(got), len(want), got[min(i, len(got)-1):], want[min(i, len(want)-1):])
		}
	}
}

// Rank 0 sets the width of windows. It sends the width with a shipment, and windows that begin
// after the shipment use it.
func TestWidthOfWindows(t *testing.T) {
	book, written := newRecord()
	r := run{speeds: []float64{1, 1, 1}, where: []int32{0, 1, 2}, book: book}
	r.set = Settings{Loads: noStates}
	r.do(t, Facts{}, func(m *member) {
		at := func(step, width int) {
			m.superstep(step)
			if m.loads.Width != width {
				t.Errorf("rank %d has windows of %d supersteps after superstep %d, want %d", m.rank, m.loads.Width, step, width)
			}
		}
		at(1, 1)
		m.must(m.Ship(2))
		if m.rank == 0 {
			// Enough Loads for the recorder to request wider windows.
			book.Enter(&ledger.Load{First: 1, Last: 1, Count: 1, Site: "filler", Work: make([]float64, 3), Messages: make([]ledger.Message, 1<<19)})
		}
		at(2, 1)
		m.must(m.Ship(3))
		for step := 3; step <= 6; step++ {
			at(step, 2)
		}
		m.must(m.Stop(7))
	})
	book.Recorder.Close(&ledger.End{}, nil)
	var got [][2]int
	lines := slices.DeleteFunc(strings.SplitAfter(written.String(), "\n"), func(line string) bool { return strings.Contains(line, "filler") })
	for _, l := range entries[ledger.Load](t, strings.Join(lines, "")) {
		got = append(got, [2]int{l.First, l.Last})
	}
	if want := [][2]int{{1, 1}, {2, 2}, {3, 4}, {5, 6}}; !reflect.DeepEqual(got, want) {
		t.Errorf("windows %v, want %v", got, want)
	}
}

// A process that moves within a window has its loads on both ranks in the window.
func TestLoadsOfMovedProcesses(t *testing.T) {
	book, written := newRecord()
	r := run{speeds: []float64{1, 2}, where: []int32{0, 0, 1}, book: book}
	r.set = Settings{Loads: loads.Settings{StateBytes: noStates.StateBytes, Least: 4}}
	r.do(t, Facts{}, func(m *member) {
		for step := 1; step <= 4; step++ {
			if step == 3 { // process 1 has moved to rank 1
				m.samples = [][]*loads.Sample{{{Pid: 0}}, {{Pid: 1}, {Pid: 2}}}[m.rank]
			}
			for _, p := range m.samples {
				p.Work = time.Duration(1+p.Pid) * ms
			}
			m.superstep(step)
		}
		m.must(m.Stop(5))
	})
	book.Recorder.Close(&ledger.End{}, nil)
	got := entries[ledger.Load](t, written.String())
	if len(got) != 1 || got[0].Count != 4 || !reflect.DeepEqual(got[0].Work, []float64{0.004, 0.004 + 0.008, 0.024}) {
		t.Errorf("%+v", got)
	}
}
