package balance

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
	"github.com/migbsp/migbsp/rebalancer"
)

// caller is one of four ranks in two Sets that make calls. Process p begins on rank p.
type caller struct {
	*Balancer
	rank  int
	clock *handClock
	sent  sent
}

// sent counts the messages that a rank sends to others, and the exchanges.
type sent struct {
	rank      int
	exchanges int
	Traffic
}

func (s *sent) Shipped() { s.exchanges++ }

func (s *sent) Ship(to int, bytes int64) {
	if to != s.rank && bytes > 0 {
		s.Messages++
		s.Bytes += bytes
	}
}

// twoSets returns a platform with ranks 0 and 1 in one Set and 2 and 3 in another. The
// managers are 0 and 2.
func twoSets() rebalancer.Platform {
	p := rebalancer.Uniform(4, rebalancer.Link{})
	near, far := rebalancer.Link{Latency: 1e-5, PerByte: 1e-9}, rebalancer.Link{Latency: 1e-4, PerByte: 1e-8}
	p.Sets = []rebalancer.Set{{Name: "A", Manager: 0}, {Name: "B", Manager: 2}}
	p.Links = [][]rebalancer.Link{{near, far}, {far, near}}
	p.Ranks[2].Set, p.Ranks[3].Set = 1, 1
	return p
}

// onCallers runs body on each of the four ranks, after the first stage, which is not observed.
// requests maps processes to the ranks that they request to move to.
func onCallers(t *testing.T, requests map[int]int, body func(c *caller)) {
	t.Helper()
	onCallersOf(t, twoSets(), []int32{0, 1, 2, 3}, observing, requests, body)
}

// onCallersOf is like onCallers, but for any platform, mapping and strategy.
func onCallersOf(t *testing.T, platform rebalancer.Platform, where []int32, strategy string, requests map[int]int, body func(c *caller)) {
	t.Helper()
	spec := must.Get(rebalancer.Parse(strategy))(t)
	mpitest.OnRanks(len(platform.Ranks))(t, func(comm mpi.Comm) error {
		rank := comm.Rank()
		c := &caller{rank: rank, clock: &handClock{Real: clock.NewReal(nil), at: time.Hour}, sent: sent{rank: rank}}
		c.Balancer = New(Settings{
			Rank: rank, Platform: platform, Where: slices.Clone(where), Clock: c.clock,
			Calls: control.New(comm).Metered(&c.sent), Machine: &shareOfWork{known: 1},
			Spec: spec,
			Detail: func(pid int) rebalancer.Detail {
				to, asks := requests[pid]
				if !asks {
					to = -1
				}
				return rebalancer.Detail{State: int64(1000 + pid), Request: to}
			},
		})
		c.stage(nil)
		body(c)
		return nil
	})
}

// observing is a strategy that observes supersteps and makes only requested moves.
const observing = "auto,moves=0"

// stage runs a stage of one second with the given samples of the rank's processes.
func (c *caller) stage(samples []*loads.Sample) {
	c.clock.at += time.Second
	c.Superstep(Ended{Samples: samples, Inside: true})
	c.StageEnded(samples, rebalancer.Vote{}, false)
}

// works returns a sample of a process that works for ms milliseconds.
func works(pid, ms int) *loads.Sample {
	return &loads.Sample{Pid: pid, Work: time.Duration(ms) * time.Millisecond}
}

// A call of two Sets takes two reports, two messages between the managers and two
// decisions; all ranks count them and come to the same decision.
func TestCall(t *testing.T) {
	var decided [4]Decided
	var where [4][]int32
	var sent [4]Traffic
	onCallers(t, map[int]int{1: 3}, func(c *caller) {
		c.clock.at += time.Duration((5-c.rank)%4+1) * time.Second // maximum: 4 s on rank 2
		c.stage([]*loads.Sample{works(c.rank, 10)})
		d, err := c.Call(Input{Processes: 1, Left: 100})
		if err != nil {
			t.Errorf("rank %d: %v", c.rank, err)
		}
		decided[c.rank], where[c.rank], sent[c.rank] = d, slices.Clone(c.controller.Where()), c.sent.Traffic
	})
	all := Traffic{}
	for _, s := range sent {
		all.Messages += s.Messages
		all.Bytes += s.Bytes
	}
	if want := [4]int64{2, 1, 2, 1}; all.Messages != 6 || [4]int64{sent[0].Messages, sent[1].Messages, sent[2].Messages, sent[3].Messages} != want {
		t.Errorf("messages sent %v, want %v", sent, want)
	}
	for rank, d := range decided {
		// Messages have a head of a few bytes that a call does not count.
		if head := all.Bytes - d.Traffic.Bytes; d.Traffic.Messages != 6 || head < 0 || head > 6*32 {
			t.Errorf("rank %d counts %+v, sent were %+v", rank, d.Traffic, all)
		}
		if d.Interval != 5*time.Second {
			t.Errorf("rank %d: %v since the last call, want 5 s", rank, d.Interval)
		}
		if len(d.Moves) != 1 || d.Moves[0].Pid != 1 || d.Moves[0].From != 1 || d.Moves[0].To != 3 {
			t.Errorf("rank %d moves %+v, want process 1 from 1 to 3", rank, d.Moves)
		}
		if manages := rank%2 == 0; manages && d.Moves[0].Bytes != 1001 || manages != (d.Moves[0].Reason != "") {
			t.Errorf("rank %d knows of %+v", rank, d.Moves)
		}
		if mine, first := known(d), known(decided[0]); !reflect.DeepEqual(mine, first) {
			t.Errorf("rank %d has decided\n%+v\nrank 0\n%+v", rank, mine, first)
		}
		if !slices.Equal(where[rank], []int32{0, 3, 2, 3}) {
			t.Errorf("rank %d has processes on %v", rank, where[rank])
		}
		// Ranks know the verdict on the process that requested a move; managers know all verdicts.
		asked := slices.ContainsFunc(d.Verdicts, func(v rebalancer.Verdict) bool { return v.Pid == 1 && v.Moves })
		if !asked || rank%2 == 1 && len(d.Verdicts) != 1 || rank%2 == 0 && len(d.Verdicts) < 2 {
			t.Errorf("rank %d has verdicts %+v", rank, d.Verdicts)
		}
	}
}

// In a large Set, ranks forward the manager's notice. Rank 0, which keeps the account, receives
// the complete decision, and a drained manager is replaced.
func TestTellDownATree(t *testing.T) {
	const ranks, manager = 40, 5
	platform := rebalancer.Uniform(ranks, rebalancer.Link{})
	platform.Sets[0].Manager = manager
	var decided [2][ranks]Decided
	var sent [ranks]Traffic
	where := make([]int32, ranks)
	for rank := range where {
		where[rank] = int32(rank)
	}
	onCallersOf(t, platform, where, observing, map[int]int{7: 3}, func(c *caller) {
		c.stage([]*loads.Sample{works(c.rank, 10)})
		c.sent.Traffic = Traffic{}
		var err error
		if decided[0][c.rank], err = c.Call(Input{Processes: 1, Left: 100}); err != nil {
			t.Errorf("rank %d: %v", c.rank, err)
			return
		}
		sent[c.rank] = c.sent.Traffic
		c.Called(0, 0, 1)
		if decided[1][c.rank], err = c.Call(Input{Requested: true, Drain: []int{manager}, Processes: 1, Left: 100}); err != nil {
			t.Errorf("rank %d: %v", c.rank, err)
		}
	})
	all := Traffic{}
	for rank, s := range sent {
		// One report from each rank but the manager. The manager sends the notice to 8 of the 40
		// ranks, ranks 0 to 2 to 8 each, and rank 3 to 7.
		want := map[int]int64{manager: 8, 0: 1 + 8, 1: 1 + 8, 2: 1 + 8, 3: 1 + 7}[rank]
		if want == 0 {
			want = 1
		}
		if s.Messages != want {
			t.Errorf("rank %d sends %d messages, want %d", rank, s.Messages, want)
		}
		all.Messages, all.Bytes = all.Messages+s.Messages, all.Bytes+s.Bytes
	}
	for rank, d := range decided[0] {
		if head := all.Bytes - d.Traffic.Bytes; d.Traffic.Messages != all.Messages || head < 0 || head > 2*ranks*32 {
			t.Errorf("rank %d counts %+v, sent were %+v", rank, d.Traffic, all)
		}
		if len(d.Verdicts) == 0 || (rank == 0) != (d.Moves[0].Bytes > 0) && rank != manager {
			t.Errorf("rank %d knows %+v, %+v", rank, d.Moves, d.Verdicts)
		}
	}
	for call := range decided {
		for rank, d := range decided[call] {
			if len(d.Moves) != 1 || !reflect.DeepEqual(known(d), known(decided[call][0])) {
				t.Errorf("call %d: rank %d moves %+v, rank 0 %+v", call, rank, d.Moves, decided[call][0].Moves)
			}
		}
	}
}

// known returns the part of a decision that all ranks know.
func known(d Decided) rebalancer.Decision {
	all := d.Decision
	all.Verdicts = nil
	all.Learned.LastMoves, all.Learned.Told, all.Learned.LearnsNoMore = nil, nil, false
	all.Moves = slices.Clone(all.Moves)
	for i := range all.Moves {
		all.Moves[i].Bytes, all.Moves[i].Reason = 0, ""
	}
	if all.Learned.Pending != nil {
		all.Learned.Pending = &rebalancer.Pending{Moves: all.Moves}
	}
	if all.Learned.Bank != nil {
		all.Learned.Bank = nil // managers know more than the notice contains
	}
	return all
}

// A request of one process to drain a rank is known on all ranks. The first other rank of the
// Set replaces a drained manager, and if no rank remains, all ranks return the same error.
func TestDrains(t *testing.T) {
	var moves [2][4][]rebalancer.Move
	onCallers(t, nil, func(c *caller) {
		for round, a := range []struct {
			drain    int // requested by process 3
			managers []int
		}{
			{0, []int{1, 2}},
			{2, []int{1, 3}},
		} {
			asking := Input{Requested: true, Processes: 1, Left: 100}
			if c.rank == 3 {
				asking.Drain = []int{a.drain}
			}
			c.sent.Traffic = Traffic{}
			managed := c.managing()
			d, err := c.Call(asking)
			if err != nil {
				t.Errorf("rank %d: %v", c.rank, err)
				return
			}
			moves[round][c.rank] = known(d).Moves
			if got := []int{c.manager(0), c.manager(1)}; !slices.Equal(got, a.managers) || c.managing() != slices.Contains(got, c.rank) {
				t.Errorf("rank %d: managers %v, managing %v; want %v", c.rank, got, c.managing(), a.managers)
			}
			// Managers send to the other managers and to their Sets, other ranks to their manager.
			// If the first reports have the flag for drained ranks, all ranks send to all.
			want := int64(3 + 1)
			if c.managing() {
				want = 3 + 2
			}
			if !managed {
				want++
			}
			if c.sent.Messages != want || d.Traffic.Messages != 6 {
				t.Errorf("rank %d: %d messages sent, want %d; %d counted", c.rank, c.sent.Messages, want, d.Traffic.Messages)
			}
			if len(d.Verdicts) > 0 != (c.rank == 0 || c.managing()) {
				t.Errorf("rank %d has verdicts %+v; rank 0 keeps the account, manager or not", c.rank, d.Verdicts)
			}
			c.Called(0, 0, len(d.Moves))
		}
		_, err := c.Call(Input{Requested: true, Drain: []int{c.rank}, Processes: 1, Left: 100})
		if !errors.Is(err, ErrAllDrained) {
			t.Errorf("rank %d: %v, want %v", c.rank, err, ErrAllDrained)
		}
	})
	for round, drained := range []int{0, 2} {
		for rank, m := range moves[round] {
			if !reflect.DeepEqual(m, moves[round][0]) {
				t.Errorf("rank %d moves %+v, rank 0 %+v", rank, m, moves[round][0])
			}
			if round == 0 && len(m) != 1 || len(m) == 0 || m[0].From != drained || m[0].To == 0 || m[0].To == drained {
				t.Errorf("rank %d moves %+v off rank %d", rank, m, drained)
			}
		}
	}
}

// attachment is a Mover that receives a message with the reports.
type attachment struct {
	noMoves
	*caller
	came *int
}

func (a *attachment) Begin() error {
	return control.Attached(a.settings.Calls, func(_ int, v *int) error {
		*a.came = *v
		return nil
	})
}

// A requested call takes as few exchanges as any other call, unless ranks are drained. Messages
// attached to its reports have arrived with them, and all ranks know whether all moves were
// requested.
func TestExchanges(t *testing.T) {
	onCallers(t, map[int]int{1: 3}, func(c *caller) {
		for _, x := range []struct {
			asked     bool
			drain     []int
			want      int
			requested bool
		}{{false, nil, 3, true}, {true, nil, 3, true}, {true, []int{0}, 5, false}} {
			c.stage([]*loads.Sample{works(c.rank, 10)})
			a := Input{Requested: x.asked, Drain: x.drain, Processes: 1, Left: 100}
			to, came := (c.rank+1)%4, -1
			if err := control.Attach(c.settings.Calls, to, &c.rank); err != nil {
				t.Error(err)
			}
			a.Mover = &attachment{caller: c, came: &came}
			c.sent.exchanges = 0
			d, err := c.Call(a)
			if err != nil || c.sent.exchanges != x.want || came != (c.rank+3)%4 || d.Requested != x.requested {
				t.Errorf("rank %d, %+v: %d exchanges, %d came, moves %v, requested %v, %v", c.rank, x, c.sent.exchanges, came, d.Moves, d.Requested, err)
			}
			c.Called(0, 0, len(d.Moves))
		}
	})
}

// The history of a process moves with it.
func TestHistoriesTravel(t *testing.T) {
	// report returns the rank's report of its processes.
	report := func(c *caller) []rebalancer.Process {
		return c.controller.Report([]rebalancer.RankState{{Rank: c.rank, Available: 1}}, c.settings.Detail).Processes
	}
	history := make(chan []byte, 1)
	onCallers(t, map[int]int{1: 3}, func(c *caller) {
		traffic := []rebalancer.Traffic{{Pid: 0, Bytes: 600}}
		for _, ms := range []int{16, 32} {
			s := works(c.rank, ms+c.rank)
			s.Traffic = traffic
			c.clock.at += time.Second
			c.Superstep(Ended{Samples: []*loads.Sample{s}, Inside: true, Recorded: true})
			c.Superstep(Ended{Samples: []*loads.Sample{s}, Inside: true, Recorded: true})
			c.StageEnded([]*loads.Sample{s}, rebalancer.Vote{}, false)
		}
		// Two supersteps at one site are one observation.
		want := []float32{2 * float32(16+c.rank) / 1000, 2 * float32(32+c.rank) / 1000}
		if p := report(c); len(p) != 1 || !slices.Equal(p[0].RecentWork, want) || !slices.Equal(p[0].Partners, []rebalancer.Traffic{{Pid: 0, Bytes: 1200}}) {
			t.Errorf("rank %d reports %+v, want work %v", c.rank, p, want)
		}
		if _, err := c.Call(Input{Processes: 1, Left: 100}); err != nil {
			t.Errorf("rank %d: %v", c.rank, err)
		}
		switch c.rank {
		case 1:
			h, err := c.Depart(1)
			if err != nil {
				t.Error(err)
			}
			history <- h
			if p := report(c); len(p) != 0 {
				t.Errorf("rank 1 still reports %+v", p)
			}
			if again, err := c.Depart(1); err != nil || len(again) >= len(h) {
				t.Errorf("%d bytes leave again, %v", len(again), err)
			}
		case 3:
			if err := c.Arrive(1, []byte("no history")); err == nil {
				t.Error("what is no history arrives as one")
			}
			if err := c.Arrive(1, <-history); err != nil {
				t.Error(err)
			}
			p := report(c)
			if len(p) != 2 || p[0].Pid != 1 || !slices.Equal(p[0].RecentWork, []float32{2 * 0.017, 2 * 0.033}) || p[0].SinceMove != 0 {
				t.Errorf("rank 3 reports %+v, want process 1 with its work, none of it here", p)
			}
		}
	})
}
