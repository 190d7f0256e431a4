package trace

import (
	"fmt"
	"testing"
	"time"
)

// Events of a thread come one after the other, and none lies across the end of
// another.
func TestEventsDoNotOverlap(t *testing.T) {
	for name, s := range told(t) {
		for on, events := range s.trace.of("X") {
			end := time.Duration(0)
			for _, e := range events {
				if e.begin() < end || e.Dur < 0 {
					t.Fatalf("%s: %v: %q begins at %v, within an event until %v", name, on, e.Name, e.begin(), end)
				}
				end = e.end()
			}
		}
	}
}

// The work of a rank equals the record's, to the nanosecond, and is followed by the rest of each
// superstep.
func TestWorkIsThatOfTheRecord(t *testing.T) {
	for name, s := range told(t) {
		h, f, made := s.history, s.trace, s.made
		computed, waited := f.of("X"), time.Duration(0)
		for rank, want := range h.Account.Whole().Step.Work {
			got := time.Duration(0)
			for _, e := range computed[track{rank, computing}] {
				got += ns(e.Dur)
			}
			for _, e := range computed[track{rank, waiting}] {
				waited += ns(e.Dur)
			}
			if got != want {
				t.Errorf("%s: rank %d computes for %v, in the record %v", name, rank, got, want)
			}
		}
		all := time.Duration(0)
		for _, s := range h.Steps {
			all += s.Total*time.Duration(s.Ranks) - s.WorkSum
		}
		if waited != all || made.Steps != h.Account.Steps() {
			t.Errorf("%s: ranks wait for %v in %d supersteps, in the record %v in %d", name, waited, made.Steps, all, h.Account.Steps())
		}
	}
}

// Each move is an event on both ranks with an arrow from one to the other.
func TestMovesAreArrows(t *testing.T) {
	for name, s := range told(t) {
		h, f, made := s.history, s.trace, s.made
		if made.Moves != len(h.Moves) {
			t.Fatalf("%s: %d moves, in the record %d", name, made.Moves, len(h.Moves))
		}
		ends := map[string]map[int]event{"s": {}, "f": {}}
		for phase, by := range ends {
			for _, events := range f.of(phase) {
				for _, e := range events {
					if _, twice := by[e.ID]; twice {
						t.Errorf("%s: two arrows %q have id %d", name, phase, e.ID)
					}
					by[e.ID] = e
				}
			}
		}
		for i, m := range h.Moves {
			from, to := ends["s"][i+1], ends["f"][i+1]
			if from.on() != (track{m.From, migrating}) || to.on() != (track{m.To, migrating}) || to.Ts < from.Ts {
				t.Fatalf("%s: move %d of p%d from r%d to r%d has an arrow from %+v to %+v", name, i, m.Pid, m.From, m.To, from, to)
			}
			for _, end := range []event{from, to} {
				if e := f.at(end); int(e.Args["pid"].(float64)) != m.Pid || int64(e.Args["bytes"].(float64)) != m.Bytes || e.Args["reason"] != m.Reason || e.Args["PM"] == nil {
					t.Errorf("%s: arrow %d of %+v ends at %+v", name, i+1, m, e)
				}
			}
		}
		if len(ends["s"]) != len(h.Moves) || len(ends["f"]) != len(h.Moves) {
			t.Errorf("%s: %d and %d ends of arrows for %d moves", name, len(ends["s"]), len(ends["f"]), len(h.Moves))
		}
	}
}

// at returns the event that an end of an arrow belongs to.
func (f *file) at(end event) event {
	for _, e := range f.Events {
		if e.Ph == "X" && e.on() == end.on() && e.begin() <= end.begin() && end.begin() < e.end() {
			return e
		}
	}
	return event{}
}

// Counters end with the state that the record ends with.
func TestCounters(t *testing.T) {
	for name, s := range told(t) {
		if s.Steps == 0 {
			continue
		}
		h := s.history
		want := make(map[int]float64)
		for _, rank := range h.Account.Where() {
			want[int(rank)]++
		}
		got, curves := make(map[int]float64), make(map[string]int)
		for _, e := range s.trace.Events {
			if e.Ph != "C" {
				continue
			}
			curves[e.Name]++
			if n, is := e.Args["processes"].(float64); is {
				got[e.Pid] = n
			}
		}
		for rank := range h.Account.Run().Ranks {
			if got[rank] != want[rank] {
				t.Errorf("%s: rank %d ends with %v processes, in the record with %v", name, rank, got[rank], want[rank])
			}
		}
		if curves["imbalance"] != len(h.Steps) || curves["alpha"] != len(h.Calls) {
			t.Errorf("%s: %v for %d lines and %d calls", name, curves, len(h.Steps), len(h.Calls))
		}
	}
}

func TestProcessesAreRanks(t *testing.T) {
	s := stories["emulated"]
	f, _ := traced(t, s.Record(), Options{})
	for rank := range s.Ranks {
		want := fmt.Sprintf("rank %d node%03d site%c EMULATED", rank, rank/2, 'A'+rank/2)
		if got := f.name("process_name", track{rank, 0}); got != want {
			t.Errorf("rank %d is called %q, want %q", rank, got, want)
		}
	}
	if f.Other["times"] == "" {
		t.Error("nothing says that the times are emulated")
	}
	s.Emulated = false
	if f, _ := traced(t, s.Record(), Options{}); f.Other["times"] != "" || f.name("process_name", track{0, 0}) != "rank 0 node000 siteA" {
		t.Errorf("%q, %v: the times are not emulated", f.name("process_name", track{0, 0}), f.Other)
	}
}

// Supersteps that were added up show their number.
func TestWindows(t *testing.T) {
	record := stories["added up"].Record()
	h := history(t, record)
	f, _ := traced(t, record, Options{Machine: h.Account.Machine})
	i, windows := 0, 0
	for _, e := range f.of("X")[track{0, computing}] {
		s := &h.Steps[i]
		i++
		want := s.Site
		if s.Count > 1 {
			want = fmt.Sprintf("%d supersteps", s.Count)
			windows++
		}
		if e.Name != want || e.Args["site"] != s.Site {
			t.Fatalf("line %d, %d supersteps at %s, is %q at %v", i, s.Count, s.Site, e.Name, e.Args["site"])
		}
	}
	if windows == 0 {
		t.Error("the record has no windows: nothing was tested")
	}
	for _, e := range f.of("X")[track{0, waiting}] {
		if e.Args["predicted"] == nil || e.Args["h"] == nil {
			t.Fatalf("%+v does not tell h and the prediction", e)
		}
	}
}
