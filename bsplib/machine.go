package bsplib

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// This file measures, after a run, the g and l that the run's own supersteps did not show, with
// a small program of one process on each rank. To measure the g of a kind of link, each rank
// sends to another rank reached by it. The messages grow until their bytes take longer than
// their fixed costs, which happens early on a slow link and late on a fast one.

// Messages grow by growth from leastProbed. They end when they take bandwidth times as
// long as a message of one word, when they have mostProbed bytes (less if many ranks send:
// allProbed in all), or when they take longEnough.
const (
	leastProbed = 512
	mostProbed  = 8 << 20
	allProbed   = 128 << 20
	growth      = 4
	bandwidth   = 8
	longEnough  = 40 * time.Millisecond
)

// All measurements together take at most 1/measuringShare of the run, or leastMeasuring if that
// is longer, also when a link has become slow in mid-run. Figures not reached by then stay
// unknown.
const (
	measuringShare = 20
	leastMeasuring = 200 * time.Millisecond
)

// The plan is rank 0's broadcast of the measurements to make. These are the offsets of its first
// figures. For each kind of link follow, by rank, the peer to measure with, or -1.
const (
	planAny     = iota // 1 if any figure is unknown
	planBarrier        // 1 if l is
	planLimit          // milliseconds that measuring may take
	planWays
)

// measureMachine measures the figures that rank 0's account lacks. It returns a nil machine on
// other ranks, and if no figure was missing.
func measureMachine(comms []mpi.Comm, comm mpi.Comm, book *ledger.Account, alarm func(*failure.Error)) (machine *ledger.Machine, e *failure.Error, known bool) {
	size := comms[0].Size()
	plan := make([]int32, planWays+ledger.Ways*size)
	if book != nil {
		fillPlan(plan, book, comms[0])
	}
	if comm != nil {
		if err := mpi.Broadcast(comm, 0, memory.Bytes(plan)); err != nil {
			return nil, failure.OfEngine(err, comm.Rank(), 0), false
		}
	}
	if plan[planAny] == 0 {
		return nil, nil, false
	}
	e, known = runOn(comms, Config{Procs: size}, programOf(func(p *Proc, _ *struct{}) error {
		if m := measureOn(p, plan); p.Pid() == 0 {
			machine = m
		}
		return nil
	}), alarm, alarm)
	return machine, e, known
}

// fillPlan fills the plan with the figures that the account lacks.
func fillPlan(plan []int32, book *ledger.Account, comm mpi.Comm) {
	unknown, whole, size := book.Unknown(), book.Whole(), comm.Size()
	way := func(a, b int) ledger.Way {
		return driver.WayBetween(comm, a, b, func(rank int) int { return book.Run().Ranks[rank].Set })
	}
	for i := range plan {
		plan[i] = -1
	}
	plan[planAny], plan[planBarrier] = 0, 0
	plan[planLimit] = int32(1000 * max(leastMeasuring.Seconds(), min(3600, whole.Elapsed/measuringShare)))
	if unknown.Barrier {
		plan[planAny], plan[planBarrier] = 1, 1
	}
	for w := int(ledger.WithinNode); w < ledger.Ways; w++ {
		if !unknown.Ways[w] && !(unknown.Barrier && whole.Step.Ways[w] > 0) {
			continue
		}
		plan[planAny] = 1
		for rank := range size {
			for ahead := 1; ahead < size; ahead++ {
				if to := (rank + ahead) % size; way(rank, to) == ledger.Way(w) {
					plan[planWays+w*size+rank] = int32(to)
					break
				}
			}
		}
	}
}

// measureOn carries out a plan, on all ranks alike. Process 0's times count.
func measureOn(p *Proc, plan []int32) *ledger.Machine {
	size := p.NProcs()
	words := max(leastProbed, min(mostProbed, allProbed/size)) / 8
	area := Register(p, make([]int64, words))
	values := make([]int64, words)
	p.Sync()
	m := &ledger.Machine{From: ledger.FromMeasuring}
	until := p.Time() + time.Duration(plan[planLimit])*time.Millisecond
	empty, _ := typical(p, until, func() {})
	if plan[planBarrier] != 0 {
		m.L = empty.Seconds()
	}
	for way := int(ledger.WithinNode); way < ledger.Ways; way++ {
		partners := plan[planWays+way*size:][:size]
		most := mostSenders(partners)
		if most == 0 {
			continue
		}
		send := func(n int) func() {
			return func() {
				if to := partners[p.Pid()]; to >= 0 {
					area.Put(int(to), 0, values[:n]...)
				}
			}
		}
		word, left := typical(p, until, send(1))
		n := leastProbed / 8
		for n < words && left > 0 {
			var took time.Duration
			if took, left, _ = agreed(p, until, send(n)); took > bandwidth*word || took > longEnough {
				break
			}
			n = min(growth*n, words)
		}
		if left <= 0 {
			break
		}
		long, _ := typical(p, until, send(n))
		short, _ := typical(p, until, send(n/growth))
		perByte := max(0, (long-short).Seconds()) / float64(8*(n-n/growth)*most)
		m.Classes = append(m.Classes, ledger.LinkClass{Way: ledger.Way(way), PerByte: perByte, From: ledger.FromMeasuring})
		m.PerByte = max(m.PerByte, perByte)
		if plan[planBarrier] != 0 {
			m.Latency = max(m.Latency, (word - empty).Seconds())
		}
	}
	return m
}

// mostSenders returns the largest number of ranks that send to one rank.
func mostSenders(partners []int32) (most int) {
	senders := make([]int, len(partners))
	for _, to := range partners {
		if to >= 0 {
			senders[to]++
			most = max(most, senders[to])
		}
	}
	return most
}

// A figure is the median of at most mostTimes supersteps, after as many to warm up. Their number
// is limited so that either series takes at most about enoughProbing, but has at least leastTimes,
// and so that both together take at most 1/leftParts of the time left.
const (
	mostTimes     = 63
	leastTimes    = 5
	enoughProbing = 50 * time.Millisecond
	leftParts     = 4
)

// typical returns the median time of the end of a superstep with step in it, once warm, and the
// time left until the deadline. Both are measured by process 0, so that all processes decide
// alike.
func typical(p *Proc, until time.Duration, step func()) (took, left time.Duration) {
	took, left, whole := agreed(p, until, step)
	n := max(leastTimes, min(mostTimes, enoughProbing/max(1, took)))
	if n = min(n, left/(2*leftParts*max(1, whole))); n < 1 {
		return took, left
	}
	for range n {
		timed(p, step)
	}
	times := make([]time.Duration, n)
	for i := range times {
		times[i] = timed(p, step)
	}
	slices.Sort(times)
	all := agree(p, times[n/2], until-p.Time())
	return all[0], all[1]
}

// agreed returns process 0's measurements: the time of the end of a superstep with step in it,
// measured after a first superstep; the time left then; and the duration of a whole superstep.
func agreed(p *Proc, until time.Duration, step func()) (took, left, whole time.Duration) {
	begin := p.Time()
	timed(p, step)
	took = timed(p, step)
	all := agree(p, took, until-p.Time(), (p.Time()-begin)/2)
	return all[0], all[1], all[2]
}

// agree replaces times by process 0's on all processes, and returns them.
func agree(p *Proc, times ...time.Duration) []time.Duration {
	Broadcast(p, 0, times)
	return times
}

func timed(p *Proc, step func()) time.Duration {
	step()
	begin := p.Time()
	p.Sync()
	return p.Time() - begin
}
