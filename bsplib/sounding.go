package bsplib

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// sounding is what the ranks of an MPI run measure of the machine: their speeds
// and links before the run, and the links again at rescheduling calls.
type sounding struct {
	share  float64       // of the run's time that this may take
	took   time.Duration // before the run
	meter  *probe.LinkMeter
	budget time.Duration // for links at the next call
	saved  time.Duration // of earlier intervals, too short for anything
	limit  time.Duration // how long to wait for an answer
	alarm  func(*Error)  // called where none comes
}

// soundingShare is the part of a run's time that measuring the machine may take
// where nobody says another.
const soundingShare = 0.005

// What is measured before the run: links for this long, for each round of pairs
// of Sets, and an odd number of barriers.
const (
	soundLinks    = 20 * time.Millisecond
	soundBarriers = 5
)

// answerLimit is how long a rank waits for another before the run is ended.
const answerLimit = time.Minute

// sound measures what rescheduling needs to know beforehand, of the ranks of an
// MPI run.
func (r *rank) sound(cfg *Config) *Error {
	s := &r.sounding
	s.share = max(0, cmp.Or(cfg.Probe, soundingShare))
	if s.share == 0 || cfg.Comm == nil {
		return nil
	}
	begin := time.Now()
	speed := probe.QuickSpeed()
	if err := r.soundBarrier(); err != nil {
		return err
	}
	if err := r.compareSpeeds(max(speed, probe.QuickSpeed())); err != nil {
		return err
	}
	if r.dispersed() {
		sets, managers := setsOf(&r.platform)
		s.meter = probe.NewLinkMeter(r.comm, sets, managers)
		links, err := r.measureLinks(soundLinks * time.Duration(len(managers)+1))
		if err != nil {
			return err
		}
		r.platform.Links = links
		r.grouping.Links = ledger.LinksMeasured
	}
	s.took = time.Since(begin)
	return nil
}

// dispersed tells whether the run is on several nodes. Within a node memory is
// the link: what a message takes there says more about who else has the cores.
func (r *rank) dispersed() bool { return len(r.nodes(-1)) > 1 }

// nodes are those of the ranks of a Set, or of all for Set -1.
func (r *rank) nodes(set int) map[int]bool {
	seen := make(map[int]bool)
	for rank, is := range r.platform.Ranks {
		if set < 0 || is.Set == set {
			seen[r.comm.Node(rank)] = true
		}
	}
	return seen
}

// setsOf are the Set of each rank and the manager of each Set.
func setsOf(p *rebalancer.Platform) (sets, managers []int) {
	for _, rank := range p.Ranks {
		sets = append(sets, rank.Set)
	}
	for _, set := range p.Sets {
		managers = append(managers, set.Manager)
	}
	return sets, managers
}

// compareSpeeds tells all ranks what each has measured of its speed. Ranks with the
// same processor have one speed; the fastest has 1.
func (r *rank) compareSpeeds(mine float64) *Error {
	n, me := r.comm.Size(), r.comm.Rank()
	all := make([]int64, 2*n)
	all[me], all[n+me] = int64(mine), r.processor()
	if err := r.comm.Combine(mpi.Sum, all); err != nil {
		return r.engineError(err)
	}
	for rank, speed := range relativeSpeeds(all[:n], all[n:]) {
		r.platform.Ranks[rank].Speed = speed
	}
	return nil
}

// processor stands for the processor that this rank runs on: for its host, where there
// is no name for it.
func (r *rank) processor() int64 {
	h := fnv.New64a()
	io.WriteString(h, cmp.Or(probe.Processor(probe.Root()), r.hosts[r.comm.Rank()]))
	return int64(h.Sum64())
}

// soundBarrier measures what a superstep costs in which nothing is done.
func (r *rank) soundBarrier() *Error {
	times := make([]int64, soundBarriers)
	for i := range times {
		begin := time.Now()
		if _, err := r.comm.Exchange(r.side, 0); err != nil {
			return r.engineError(err)
		}
		times[i] = int64(time.Since(begin))
	}
	slices.Sort(times)
	typical := []int64{times[soundBarriers/2]}
	if err := r.comm.Combine(mpi.Max, typical); err != nil {
		return r.engineError(err)
	}
	r.platform.Barrier = time.Duration(typical[0]).Seconds()
	return nil
}

// relativeSpeeds are the median of all ranks with the same processor, as parts of the
// largest. What is less than sameSpeed away from the largest counts as equal to it: a
// measurement of less than a millisecond is no better than that, and the more ranks
// it is taken of the better.
func relativeSpeeds(measured, processors []int64) []float64 {
	byKind := make(map[int64][]float64)
	for rank, speed := range measured {
		kind := processors[rank]
		byKind[kind] = append(byKind[kind], float64(speed))
	}
	typical, fastest := make(map[int64]float64), 0.0
	for kind, speeds := range byKind {
		slices.Sort(speeds)
		typical[kind] = speeds[len(speeds)/2]
		fastest = max(fastest, typical[kind])
	}
	relative := make([]float64, len(measured))
	for rank, kind := range processors {
		relative[rank] = 1
		if speed := typical[kind] / fastest; fastest > 0 && speed < 1-sameSpeed {
			relative[rank] = speed
		}
	}
	return relative
}

const sameSpeed = 0.08

// soundAgain measures the links once more, if there is time for it. All ranks
// call it at the begin of a rescheduling call.
func (r *rank) soundAgain() *Error {
	s := &r.sounding
	if s.budget == 0 {
		return nil
	}
	links, err := r.measureLinks(s.budget)
	s.budget = 0
	if err != nil {
		return err
	}
	r.platform.Links = links
	r.balance.platform.Links = links
	r.balance.controller.Relink(links)
	return nil
}

// afford is told how long the last interval between calls was, the same on all
// ranks, and finds out what the next call may spend on links. After a surprise it
// need not be saved first, if much more is at stake: so many seconds in the
// supersteps to come.
func (s *sounding) afford(interval time.Duration, links [][]rebalancer.Link, stake float64) {
	if s.meter == nil {
		return
	}
	s.saved += time.Duration(s.share * float64(interval))
	least := leastSounding(links)
	switch {
	case s.saved >= least:
		s.budget, s.saved = min(s.saved, mostSounding*least), 0
	case stake > leastStake*least.Seconds():
		s.budget = least
	}
}

const (
	mostSounding = 4  // times what it takes at least
	leastStake   = 10 // times what measuring takes
)

// leastSounding is what it takes to measure links of about the given figures
// well enough: some short messages, and in each direction two of 8 and of 32 KiB,
// for each round.
func leastSounding(links [][]rebalancer.Link) time.Duration {
	const trips, bytes, overhead = 24, 2 * (80 << 10), 200e-6
	slowest := 0.0
	for _, row := range links {
		for _, l := range row {
			slowest = max(slowest, trips*l.Latency+bytes*l.PerByte)
		}
	}
	return time.Duration((overhead + slowest) * float64(len(links)+1) * 1e9)
}

// measureLinks is what links take now, where that is much other than known so
// far, and as known elsewhere.
func (r *rank) measureLinks(budget time.Duration) ([][]rebalancer.Link, *Error) {
	s := &r.sounding
	stop := r.watchAnswers()
	ways, err := s.meter.Measure(budget)
	stop()
	if err != nil {
		return nil, r.engineError(err)
	}
	links := make([][]rebalancer.Link, len(ways))
	for a, row := range ways {
		links[a] = slices.Clone(r.platform.Links[a])
		for b, way := range row {
			if way.Measured() && (a != b || len(r.nodes(a)) > 1) {
				links[a][b] = corrected(links[a][b], way)
			}
		}
	}
	return links, nil
}

// watchAnswers ends the run if this rank waits for the same other one for too long, or
// for all others so long that these must have waited too. It ends when it is told to.
func (r *rank) watchAnswers() (stop func()) {
	s := &r.sounding
	limit := cmp.Or(s.limit, answerLimit)
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(limit / 8)
		defer tick.Stop()
		partner, since := s.meter.Partner(), time.Now()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if now := s.meter.Partner(); now != partner {
				partner, since = now, time.Now()
			} else if waited := time.Since(since); waited > limit && (partner >= 0 || waited > limit*time.Duration(len(r.platform.Sets)+1)) {
				s.alarm(r.unanswered(partner))
				return
			}
		}
	}()
	return func() { close(done) }
}

// corrected is what is believed of a link. Figures that differ little from what
// was believed, or were not found out, change nothing: a short measurement is not
// that exact.
func corrected(known rebalancer.Link, way probe.Way) rebalancer.Link {
	if unlike(known.Latency, way.Latency, 10e-6) {
		known.Latency = way.Latency
	}
	if way.PerByte > 0 && unlike(known.PerByte, way.PerByte, 0.05e-9) {
		known.PerByte = way.PerByte
	}
	return known
}

// unlike tells whether a figure is far from what was known: by a quarter, and
// by more than a difference that means nothing.
func unlike(known, found, nothing float64) bool {
	far := max(known, found) - min(known, found)
	return far > nothing && far > max(known, found)/4
}

// unanswered is the error of ranks that wait too long for another.
func (r *rank) unanswered(partner int) *Error {
	s := &r.sounding
	text := fmt.Sprintf("no answer for %v while links between hosts are measured; ", cmp.Or(s.limit, answerLimit))
	if partner >= 0 {
		text += fmt.Sprintf("rank %d on host %s waits for rank %d on host %s", r.comm.Rank(), r.hosts[r.comm.Rank()], partner, r.hosts[partner])
	} else {
		text += fmt.Sprintf("rank %d on host %s waits for the others", r.comm.Rank(), r.hosts[r.comm.Rank()])
	}
	return &Error{Kind: Engine, Pid: -1, Rank: r.comm.Rank(), Superstep: r.step, Text: text}
}
