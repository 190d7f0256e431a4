package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"time"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Plan is what ranks give to Calibrate: all the same, but for Silent.
type Plan struct {
	Comm     mpi.Comm
	Lane     *mpi.Lane // for supersteps in which nothing is done; its Out is empty
	Hosts    []string  // by rank
	Sets     []int     // by rank
	Managers []int     // rank by Set
	Links    [][]Way   // between Sets and within, as believed so far
	// Share is the part of the run's time that measuring links may take during it.
	Share float64
	// Tolerance is how late a rank may be with a link, a minute if it is 0.
	Tolerance time.Duration
	// Silent is called once a rank is late by more than that, by another goroutine, for
	// the one that measures may never come back. It ends the run.
	Silent func(error)
}

// usualTolerance is long beside the time that a link takes, 20 ms, and beside what a
// busy host keeps a rank from its core, and short beside a job's time.
const usualTolerance = time.Minute

// Calibration is what the ranks of a run have measured together of the machine. A nil
// Calibration has measured nothing, and never will.
type Calibration struct {
	Speeds  []float64     // by rank; the fastest has 1
	Barrier time.Duration // of a superstep in which nothing is done
	Took    time.Duration // before the run

	plan     Plan
	watchdog Watchdog
	meter    *LinkMeter    // nil: all ranks are on one node
	saved    time.Duration // of earlier intervals, too short for anything
	budget   time.Duration // for links at the next call
}

const (
	// linkTime is spent on each round of pairs of Sets before the run: it shows a
	// rate of 8 Mbit/s, and 16 Sets take a third of a second.
	linkTime = 20 * time.Millisecond
	// barriers before the run, of which the median counts: one or two may hit a rank
	// that has just begun.
	barriers = 5
)

// Calibrate measures speeds, barrier and links. All ranks call it, and get the same.
//
// Within a node memory is the link: what a message takes there says more about who
// else has the cores, so that ranks of one node measure no links.
//
// After an error the Comm is good for Abort and Close only.
func Calibrate(plan Plan) (*Calibration, error) {
	plan.Links = slices.Clone(plan.Links)
	plan.Tolerance = cmp.Or(plan.Tolerance, usualTolerance)
	c := &Calibration{plan: plan}
	begin := time.Now()
	speed := QuickSpeed()
	if err := c.measureBarrier(); err != nil {
		return nil, err
	}
	if err := c.compareSpeeds(max(speed, QuickSpeed())); err != nil {
		return nil, err
	}
	if c.nodes(-1) > 1 {
		c.watchdog.Introduce(plan.Hosts)
		c.meter = NewLinkMeter(plan.Comm, plan.Sets, plan.Managers, &c.watchdog, plan.Tolerance)
		if err := c.measureLinks(linkTime * time.Duration(len(plan.Managers)+1)); err != nil {
			return nil, err
		}
	}
	c.Took = time.Since(begin)
	return c, nil
}

// HasLinks reports whether links are measured.
func (c *Calibration) HasLinks() bool { return c != nil && c.meter != nil }

// Links are the ways from Set to Set and within: as measured, or as believed where
// nothing was.
func (c *Calibration) Links() [][]Way { return c.plan.Links }

// nodes counts those of the ranks of a Set, or of all for Set -1.
func (c *Calibration) nodes(set int) int {
	seen := make(map[int]bool)
	for rank, in := range c.plan.Sets {
		if set < 0 || in == set {
			seen[c.plan.Comm.Node(rank)] = true
		}
	}
	return len(seen)
}

// measureBarrier measures what a superstep costs in which nothing is done: the median
// of a rank, the largest of all ranks.
func (c *Calibration) measureBarrier() error {
	times := make([]int64, barriers)
	for i := range times {
		begin := time.Now()
		if _, err := c.plan.Comm.Exchange(c.plan.Lane, 0); err != nil {
			return err
		}
		times[i] = int64(time.Since(begin))
	}
	slices.Sort(times)
	typical := []int64{times[barriers/2]}
	if err := c.plan.Comm.Combine(mpi.Max, typical); err != nil {
		return err
	}
	c.Barrier = time.Duration(typical[0])
	return nil
}

// compareSpeeds brings together what each rank has measured of its own speed.
func (c *Calibration) compareSpeeds(mine float64) error {
	n, me := c.plan.Comm.Size(), c.plan.Comm.Rank()
	all := make([]int64, 2*n)
	all[me], all[n+me] = int64(mine), processorKind(c.plan.Hosts[me])
	if err := c.plan.Comm.Combine(mpi.Sum, all); err != nil {
		return err
	}
	c.Speeds = relativeSpeeds(all[:n], all[n:])
	return nil
}

// processorKind stands for the processor that this rank runs on: for its host, where
// there is no name for it.
func processorKind(host string) int64 {
	h := fnv.New64a()
	io.WriteString(h, cmp.Or(Processor(kernel.Root()), host))
	return int64(h.Sum64())
}

// sameSpeed is the part of the fastest's speed by which another must be slower to count
// as slower: a measurement of less than a millisecond is no better than that.
const sameSpeed = 0.08

// relativeSpeeds are the speeds of ranks as parts of the fastest's. Ranks with the same
// kind of processor have one speed, the median of theirs: the more ranks it is taken
// of, the better.
func relativeSpeeds(measured, kinds []int64) []float64 {
	byKind := make(map[int64][]float64)
	for rank, speed := range measured {
		kind := kinds[rank]
		byKind[kind] = append(byKind[kind], float64(speed))
	}
	typical, fastest := make(map[int64]float64), 0.0
	for kind, speeds := range byKind {
		slices.Sort(speeds)
		typical[kind] = speeds[len(speeds)/2]
		fastest = max(fastest, typical[kind])
	}
	relative := make([]float64, len(measured))
	for rank, kind := range kinds {
		relative[rank] = 1
		if speed := typical[kind] / fastest; fastest > 0 && speed < 1-sameSpeed {
			relative[rank] = speed
		}
	}
	return relative
}

// measureLinks corrects what is believed of links. If this rank waits for another for
// too long, the run is ended.
func (c *Calibration) measureLinks(budget time.Duration) error {
	done := make(chan struct{})
	go func() {
		var silent *SilentError
		if errors.As(c.watchdog.Watch(context.Background(), done), &silent) {
			c.plan.Silent(c.unanswered(silent))
		}
	}()
	ways, err := c.meter.Measure(budget)
	close(done)
	if err != nil {
		return err
	}
	for a, row := range ways {
		known := slices.Clone(c.plan.Links[a])
		for b, way := range row {
			if way.Measured() && (a != b || c.nodes(a) > 1) {
				known[b] = corrected(known[b], way)
			}
		}
		c.plan.Links[a] = known
	}
	return nil
}

// unanswered is the error of a rank that has waited too long.
func (c *Calibration) unanswered(silent *SilentError) error {
	me, hosts := c.plan.Comm.Rank(), c.plan.Hosts
	whom := "the others"
	if silent.Rank >= 0 {
		whom = fmt.Sprintf("rank %d on host %s", silent.Rank, silent.Host)
	}
	return fmt.Errorf("no answer for %v while links between hosts are measured; rank %d on host %s waits for %s",
		c.plan.Tolerance, me, hosts[me], whom)
}

// A figure has changed if it differs by more than a quarter, which a short measurement
// is good for, and by more than a difference that has no effect on any decision.
const (
	changed     = 0.25
	sameLatency = 10e-6   // seconds, which a message within a node takes
	samePerByte = 0.05e-9 // seconds, 5 % of what memory takes
)

// corrected is what is believed of a link. Figures that differ little from what
// was believed, or were not found out, change nothing.
func corrected(known, found Way) Way {
	if differs(known.Latency, found.Latency, sameLatency) {
		known.Latency = found.Latency
	}
	if found.PerByte > 0 && differs(known.PerByte, found.PerByte, samePerByte) {
		known.PerByte = found.PerByte
	}
	return known
}

// differs reports whether two figures are far from each other.
func differs(a, b, same float64) bool {
	far := max(a, b) - min(a, b)
	return far > same && far > changed*max(a, b)
}

const (
	// mostRounds bounds what one remeasuring takes, as a multiple of the least it
	// takes: what the time beyond that adds to the figures is not worth it.
	mostRounds = 4
	// worthwhile is how many times the least time for links must be at stake to spend
	// it before it is saved: then it costs a tenth at most of what it may save.
	worthwhile = 10
)

// CreditBudget credits the share of an interval between rescheduling calls to the time
// for links, and finds out what the next call may spend on them: nothing as long as
// less is saved than measuring takes at least. Where many seconds are at stake in the
// supersteps to come, because something has changed that nothing known explains, it need not
// be saved first. All ranks call it with the same figures.
func (c *Calibration) CreditBudget(interval time.Duration, stake float64) {
	if !c.HasLinks() {
		return
	}
	c.saved += time.Duration(c.plan.Share * float64(interval))
	least := leastBudget(c.plan.Links)
	switch {
	case c.saved >= least:
		c.budget, c.saved = min(c.saved, mostRounds*least), 0
	case stake > worthwhile*least.Seconds():
		c.budget = least
	}
}

// leastBudget is what it takes to measure links of about the given figures
// well enough: some short messages, and in each direction two of 8 and of 32 KiB,
// for each round.
func leastBudget(links [][]Way) time.Duration {
	const trips, bytes, overhead = 24, 2 * (80 << 10), 200e-6
	slowest := 0.0
	for _, row := range links {
		for _, l := range row {
			slowest = max(slowest, trips*l.Latency+bytes*l.PerByte)
		}
	}
	return time.Duration((overhead + slowest) * float64(len(links)+1) * 1e9)
}

// RemeasureLinks measures links once more if there is a budget for it, and reports
// whether it did. All ranks call it at the begin of a rescheduling call.
func (c *Calibration) RemeasureLinks() (bool, error) {
	if !c.HasLinks() || c.budget == 0 {
		return false, nil
	}
	budget := c.budget
	c.budget = 0
	err := c.measureLinks(budget)
	return err == nil, err
}
