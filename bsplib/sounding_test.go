package bsplib

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

func TestRelativeSpeeds(t *testing.T) {
	for _, c := range []struct {
		name                 string
		measured, processors []int64
		want                 []float64
	}{
		{"equal", []int64{100, 100}, []int64{1, 2}, []float64{1, 1}},
		{"nearly equal", []int64{100, 95}, []int64{1, 2}, []float64{1, 1}},
		{"half", []int64{50, 100}, []int64{1, 2}, []float64{0.5, 1}},
		{"ranks disturbed", []int64{100, 30, 100, 50, 48, 10}, []int64{7, 7, 7, 8, 8, 8}, []float64{1, 1, 1, 0.48, 0.48, 0.48}},
		{"nothing measured", []int64{0, 0}, []int64{1, 2}, []float64{1, 1}},
	} {
		if got := relativeSpeeds(c.measured, c.processors); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLinksAreCorrectedWhereTheyDifferMuch(t *testing.T) {
	known := rebalancer.Link{Latency: 1e-3, PerByte: 1e-8}
	for _, c := range []struct {
		name string
		way  probe.Way
		want rebalancer.Link
	}{
		{"the same", probe.Way{Latency: 1e-3, PerByte: 1e-8}, known},
		{"a little faster and slower", probe.Way{Latency: 0.9e-3, PerByte: 1.2e-8}, known},
		{"throttled", probe.Way{Latency: 1.1e-3, PerByte: 1e-6}, rebalancer.Link{Latency: 1e-3, PerByte: 1e-6}},
		{"farther", probe.Way{Latency: 5e-3, PerByte: 1e-8}, rebalancer.Link{Latency: 5e-3, PerByte: 1e-8}},
		{"without a rate", probe.Way{Latency: 1e-3}, known},
		{"freed", probe.Way{Latency: 1e-3, PerByte: 1e-10}, rebalancer.Link{Latency: 1e-3, PerByte: 1e-10}},
	} {
		if got := corrected(known, c.way); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	fast := rebalancer.Link{Latency: 1e-6, PerByte: 1e-10}
	if got := corrected(fast, probe.Way{Latency: 5e-6, PerByte: 0.7e-10}); got != fast {
		t.Errorf("differences of no account changed %+v to %+v", fast, got)
	}
}

// What measuring takes while the program runs stays below its share, and slow
// links are measured the more seldom.
func TestMeasuringKeepsToItsShare(t *testing.T) {
	links := func(latency float64) [][]rebalancer.Link {
		l := rebalancer.Link{Latency: latency, PerByte: 1e-8}
		return [][]rebalancer.Link{{l, l}, {l, l}}
	}
	times := map[float64]int{}
	for _, latency := range []float64{1e-5, 1e-2} {
		s := sounding{share: 0.005, meter: new(probe.LinkMeter)}
		spent := time.Duration(0)
		const calls, interval = 1000, 300 * time.Millisecond
		for range calls {
			s.afford(interval, links(latency), 0)
			if s.budget > 0 {
				if least := leastSounding(links(latency)); s.budget < least {
					t.Fatalf("a budget of %v, less than %v", s.budget, least)
				}
				times[latency]++
				spent += s.budget
				s.budget = 0
			}
		}
		if spent > calls*interval/200+time.Millisecond {
			t.Errorf("latency %g: %v of %v", latency, spent, calls*interval)
		}
	}
	if !(times[1e-5] > 10*times[1e-2] && times[1e-2] > 0) {
		t.Errorf("times that links were measured, by latency: %v", times)
	}
	s := sounding{share: 0.005, meter: new(probe.LinkMeter)}
	if s.afford(time.Second, links(1e-2), 1); s.budget != 0 {
		t.Errorf("after a surprise of little account the budget is %v", s.budget)
	}
	if s.afford(time.Second, links(1e-2), 100); s.budget != leastSounding(links(1e-2)) {
		t.Errorf("after a surprise the budget is %v", s.budget)
	}
	s = sounding{share: 0.005}
	if s.afford(time.Hour, links(1), 1e9); s.budget != 0 {
		t.Errorf("without a meter there is a budget of %v", s.budget)
	}
}

func TestWaitingForALinkEnds(t *testing.T) {
	comms := mpi.InProcess(2)
	r := newRank(comms[0], 2, stateless(func(*Proc) error { return nil }))
	r.hosts = []string{"near", "far"}
	r.platform = rebalancer.Platform{
		Sets: []rebalancer.Set{{Name: "a"}, {Name: "b", Manager: 1}}, Ranks: []rebalancer.Rank{{Set: 0}, {Set: 1}},
		Links: [][]rebalancer.Link{make([]rebalancer.Link, 2), make([]rebalancer.Link, 2)},
	}
	told := make(chan string, 1)
	r.sounding = sounding{
		meter: probe.NewLinkMeter(comms[0], []int{0, 1}, []int{0, 1}), limit: 20 * time.Millisecond,
		alarm: func(e *Error) {
			told <- e.Text
			comms[1].Abort(ExitFailed)
		},
	}
	if _, err := r.measureLinks(time.Millisecond); err == nil {
		t.Error("a link was measured without an answer")
	}
	want := "no answer for 20ms while links between hosts are measured; rank 0 on host near waits for rank 1 on host far"
	if text := <-told; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if e := r.unanswered(-1); !strings.Contains(e.Text, "rank 0 on host near waits for the others") {
		t.Error(e.Text)
	}
}
