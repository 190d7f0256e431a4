package balance

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/rebalancer"
)

// Managers that decide within their Sets come to one decision, which all ranks are told and count
// the messages of; where a process asks for a rank, they tell each other all reports.
func TestDecideWithinSets(t *testing.T) {
	const sets, each, processes = 3, 4, 120
	platform := rebalancer.Uniform(sets*each, rebalancer.Link{})
	near, far := rebalancer.Link{Latency: 1e-5, PerByte: 1e-9}, rebalancer.Link{Latency: 1e-4, PerByte: 1e-9}
	platform.Sets, platform.Links = nil, nil
	for set := range sets {
		platform.Sets = append(platform.Sets, rebalancer.Set{Manager: set * each})
		row := []rebalancer.Link{far, far, far}
		row[set] = near
		platform.Links = append(platform.Links, row)
	}
	where := make([]int32, processes)
	for pid := range where {
		where[pid] = int32(pid % (sets * each))
	}
	for rank := range platform.Ranks {
		platform.Ranks[rank].Set = rank / each
	}
	// Processes of Set 0 work three times as long as others.
	work := func(pid int) int {
		if int(where[pid]) < each {
			return 3 * (10 + pid%7)
		}
		return 10 + pid%7
	}
	run := func(strategy string, requests map[int]int) (decided [sets * each]Decided, sent Traffic) {
		traffic := make([]Traffic, sets*each)
		onCallersOf(t, platform, where, strategy, requests, func(c *caller) {
			var samples []*account.Sample
			longest := 0
			for rank := range sets * each {
				all := 0
				for pid := range where {
					if int(where[pid]) == rank {
						all += work(pid)
						if rank == c.rank {
							samples = append(samples, works(pid, work(pid)))
						}
					}
				}
				longest = max(longest, all)
			}
			for range 8 {
				c.clock.at += time.Duration(longest) * time.Millisecond
				c.Superstep(Ended{Samples: samples, Inside: true})
				c.StageEnded(samples, rebalancer.Vote{}, false)
			}
			c.sent.Traffic = Traffic{}
			var err error
			if decided[c.rank], err = c.Call(Asking{Processes: len(samples), Left: 1000}); err != nil {
				t.Errorf("rank %d: %v", c.rank, err)
			}
			traffic[c.rank] = c.sent.Traffic
		})
		for _, s := range traffic {
			sent.Messages, sent.Bytes = sent.Messages+s.Messages, sent.Bytes+s.Bytes
		}
		for rank, d := range decided {
			if !reflect.DeepEqual(known(d), known(decided[0])) {
				t.Errorf("%s: rank %d has decided %+v, rank 0 %+v", strategy, rank, known(d), known(decided[0]))
			}
			// Messages have heads that a call does not count as its own.
			if head := sent.Bytes - d.Traffic.Bytes; d.Traffic.Messages != sent.Messages || head < 0 || head > 64*sent.Messages {
				t.Errorf("%s: rank %d counts %+v, sent were %+v", strategy, rank, d.Traffic, sent)
			}
		}
		return decided, sent
	}
	slowest := func(d Decided) int {
		var busy [sets * each]int
		to := slices.Clone(where)
		for _, m := range d.Moves {
			to[m.Pid] = int32(m.To)
		}
		for pid, rank := range to {
			busy[rank] += work(pid)
		}
		return slices.Max(busy[:])
	}
	within, sent := run("auto,central=0", nil)
	if want := int64(9 + 3*sets*(sets-1) + 9); sent.Messages != want {
		t.Errorf("%d messages, want %d: reports, three of each manager to each other one, notices", sent.Messages, want)
	}
	whole, _ := run("auto", nil)
	// Ten processes of a rank are few for classes to be alike.
	if a, b := slowest(within[0]), slowest(whole[0]); float64(a) > 1.08*float64(b) || len(within[0].Moves) == 0 {
		t.Errorf("%d ms within Sets, %d ms by who knows all, by moving %d", a, b, len(within[0].Moves))
	}
	asked, sent := run("auto,central=0", map[int]int{7: 2})
	if want := int64(9 + 2*sets*(sets-1) + 9); sent.Messages != want {
		t.Errorf("%d messages where a process asks, want %d", sent.Messages, want)
	}
	if !slices.ContainsFunc(asked[1].Moves, func(m rebalancer.Move) bool { return m.Pid == 7 && m.To == 2 }) {
		t.Errorf("process 7, which asks for rank 2, does not move: %+v", asked[1].Moves)
	}
}
