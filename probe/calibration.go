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

// Plan has the parameters of Calibrate. They are the same on all ranks, except Silent.
type Plan struct {
	Comm     mpi.Comm
	Lane     *mpi.Lane // for empty supersteps; its Out is empty
	Hosts    []string  // by rank
	Sets     []int     // by rank
	Managers []int     // rank by Set
	// Neighbours returns, for a number of nodes, the pairs of nodes that measure their lines during
	// the run, by round; nil if lines are not measured.
	Neighbours func(nodes int) [][][2]int
	// Known is the links of an earlier run between Sets and within; zero for an unknown link.
	// KnownLines is its lines by rank, and KnownAt its date. A known link is used if a round trip agrees
	// with its latency, and the lines if all links agree; other links are measured.
	Known      [][]Way
	KnownLines []float64
	KnownAt    time.Time
	// Budget bounds the time for unknown links, unless a few short messages take longer; 0 means
	// usualBudget.
	Budget time.Duration
	// Tolerance is the maximum delay of a rank with a link; 0 means a minute.
	Tolerance time.Duration
	// Silent is called once a rank is late by more than the tolerance, by another goroutine,
	// because the measuring one may never return. It ends the run.
	Silent func(error)
}

// usualBudget is the time of measuring before the run that no user notices.
const usualBudget = 50 * time.Millisecond

// usualTolerance is long compared with the time of a link, 20 ms, and with the time that a
// busy host keeps a rank from its core, and short compared with a job's time.
const usualTolerance = time.Minute

// Calibration has the joint measurements of the machine by the ranks of a run. A nil Calibration
// has none, and measures nothing.
type Calibration struct {
	Speeds  []float64     // by rank; the fastest has 1
	Barrier time.Duration // time of an empty superstep
	Took    time.Duration // before the run
	Rate    float64       // steps per second of the fastest
	At      time.Time     // when links were measured last
	Changed bool          // a link of an earlier run did not agree

	plan     *Plan
	watchdog Watchdog
	meter    *LinkMeter // nil: all ranks are on one node
	ways     [][]Way    // between Sets and within, as found last
	lines    []float64  // by rank, as found last
}

const (
	// linkTime is spent on each round of pairs of Sets before the run at most: it shows a
	// rate of 8 Mbit/s.
	linkTime = 20 * time.Millisecond
	// firstRepeats is the maximum number of repetitions of messages before the run. The predicted
	// cost of moves depends on them alone until some moves were made, and each message may meet a
	// rank that has to wait for its core.
	firstRepeats = 4
	// barriers before the run; the median counts, because one or two may meet a rank that
	// has just begun.
	barriers = 5
	// longBarrier ends the measurement after two barriers.
	longBarrier = 5 * time.Millisecond
)

// Calibrate measures speeds, barrier and links. All ranks call it, and get the same.
//
// Ranks of one node measure no links: within a node memory is the link, and the time of a message
// there mainly shows which other programs have the cores.
//
// After an error only Abort and Close of the Comm may be called.
func Calibrate(plan Plan) (*Calibration, error) {
	plan.Tolerance = cmp.Or(plan.Tolerance, usualTolerance)
	c := &Calibration{plan: &plan}
	begin := time.Now()
	speed := QuickSpeed()
	barrier, err := c.measureBarrier()
	if err != nil {
		return nil, err
	}
	var differs []int64
	if c.nodes(-1) > 1 {
		c.watchdog.Introduce(plan.Hosts)
		c.meter = NewLinkMeter(plan.Comm, plan.Sets, plan.Managers, &c.watchdog, plan.Tolerance)
		if plan.Neighbours != nil {
			c.meter.Neighbours(plan.Neighbours)
		}
		if differs, err = c.verify(); err != nil {
			return nil, err
		}
	}
	if err := c.compare(barrier, max(speed, QuickSpeed()), differs); err != nil {
		return nil, err
	}
	if c.meter != nil {
		if err := c.firstLinks(differs); err != nil {
			return nil, err
		}
	}
	c.Took = time.Since(begin)
	return c, nil
}

// verify verifies the known links that this rank leads.
func (c *Calibration) verify() (differs []int64, err error) {
	if c.plan.Known == nil {
		return nil, nil
	}
	err = c.watched(func() (err error) { differs, err = c.meter.verify(c.plan.Known); return err })
	return differs, err
}

// firstLinks finds the links before the run: known links that do not differ are used, the others are
// measured.
func (c *Calibration) firstLinks(differs []int64) error {
	known := c.plan.Known
	c.Changed = forget(known, differs)
	long := linkTime * time.Duration(len(c.plan.Managers)+1)
	budget := min(long, cmp.Or(c.plan.Budget, usualBudget))
	if !c.meter.complete(known) {
		c.meter.repeats, c.meter.bounded, c.meter.known = firstRepeats, budget < long, known
		err := c.measureLinks(budget, false)
		c.meter.repeats, c.meter.bounded, c.meter.known = 1, false, nil
		if err != nil || known == nil {
			return err
		}
	}
	if c.ways == nil {
		c.ways = known
	}
	if c.At = c.plan.KnownAt; !c.Changed {
		c.lines = c.plan.KnownLines
	}
	return nil
}

// HasLinks reports whether links are measured.
func (c *Calibration) HasLinks() bool { return c != nil && c.meter != nil }

// Links returns the last measured costs of messages from Set to Set and within Sets; zero if not
// measured.
func (c *Calibration) Links() [][]Way { return c.ways }

// Lines returns the last measured time per byte, in seconds, of the lines of ranks' nodes; nil if
// they were not measured, 0 if bytes did not show.
func (c *Calibration) Lines() []float64 { return c.lines }

// Rounds returns the number of measurement rounds of links and lines.
func (c *Calibration) Rounds() int { return len(c.meter.rounds) + len(c.meter.lines) }

// nodes returns the number of nodes of a Set's ranks, or of all ranks for Set -1.
func (c *Calibration) nodes(set int) int {
	seen := make(map[int]bool)
	for rank, in := range c.plan.Sets {
		if set < 0 || in == set {
			seen[c.plan.Comm.Engine().Nodes[rank]] = true
		}
	}
	return len(seen)
}

// measureBarrier measures the median time of an empty superstep. After a long one on any rank, the shorter
// of two counts.
func (c *Calibration) measureBarrier() (time.Duration, error) {
	var times []time.Duration
	long := mpi.Flags(0)
	for len(times) < barriers {
		begin := time.Now()
		all, err := c.plan.Comm.Exchange(c.plan.Lane, long)
		if err != nil {
			return 0, err
		}
		if times = append(times, time.Since(begin)); times[0] > longBarrier {
			long = 1
		}
		if all != 0 {
			break
		}
	}
	slices.Sort(times)
	return times[(len(times)-1)/2], nil
}

// compare exchanges the ranks' own measurements: speeds, times of an empty superstep and links that differ. The
// longest time counts.
func (c *Calibration) compare(barrier time.Duration, speed float64, differs []int64) error {
	n, me := c.plan.Comm.Size(), c.plan.Comm.Rank()
	all := append(make([]int64, 3*n), differs...)
	all[me], all[n+me], all[2*n+me] = int64(speed), processorKind(c.plan.Hosts[me]), int64(barrier)
	if err := mpi.Combine(c.plan.Comm, mpi.Sum, all); err != nil {
		return err
	}
	c.Speeds, c.Rate = relativeSpeeds(all[:n], all[n:2*n])
	c.Barrier = time.Duration(slices.Max(all[2*n : 3*n]))
	copy(differs, all[3*n:])
	return nil
}

// CompareSpeeds returns the speed of each rank as a part of the fastest's. It takes less than a
// millisecond, and one exchange. All ranks call it.
func CompareSpeeds(comm mpi.Comm, hosts []string) ([]float64, error) {
	n, me := comm.Size(), comm.Rank()
	all := make([]int64, 2*n)
	all[me], all[n+me] = int64(QuickSpeed()), processorKind(hosts[me])
	if err := mpi.Combine(comm, mpi.Sum, all); err != nil {
		return nil, err
	}
	speeds, _ := relativeSpeeds(all[:n], all[n:])
	return speeds, nil
}

// processorKind returns a hash of the name of this rank's processor, or of its host if the
// processor has no name.
func processorKind(host string) int64 {
	h := fnv.New64a()
	io.WriteString(h, cmp.Or(Processor(kernel.Root()), host))
	return int64(h.Sum64())
}

// SameSpeed is the least difference, as a part of the fastest speed, at which a rank counts as
// slower: a measurement of less than a millisecond is no more accurate.
const SameSpeed = 0.08

// relativeSpeeds returns the speeds of ranks as parts of the fastest's. Ranks with the same
// kind of processor have one speed, the median of theirs: the more ranks it is taken
// of, the better. fastest is in steps per second.
func relativeSpeeds(measured, kinds []int64) (relative []float64, fastest float64) {
	byKind := make(map[int64][]float64)
	for rank, speed := range measured {
		kind := kinds[rank]
		byKind[kind] = append(byKind[kind], float64(speed))
	}
	typical := make(map[int64]float64)
	for kind, speeds := range byKind {
		slices.Sort(speeds)
		typical[kind] = speeds[len(speeds)/2]
		fastest = max(fastest, typical[kind])
	}
	relative = make([]float64, len(measured))
	for rank, kind := range kinds {
		relative[rank] = 1
		if speed := typical[kind] / fastest; fastest > 0 && speed < 1-SameSpeed {
			relative[rank] = speed
		}
	}
	return relative, fastest
}

// watched calls measure, and ends the run if this rank waits too long for another
// meanwhile.
func (c *Calibration) watched(measure func() error) error {
	done := make(chan struct{})
	go func() {
		var silent *SilentError
		if errors.As(c.watchdog.Watch(context.Background(), done), &silent) {
			c.plan.Silent(c.unanswered(silent))
		}
	}()
	defer close(done)
	return measure()
}

// measureLinks measures links, and lines if it is asked to.
func (c *Calibration) measureLinks(budget time.Duration, lines bool) error {
	return c.watched(func() error { return c.takeLinks(budget, lines) })
}

func (c *Calibration) takeLinks(budget time.Duration, lines bool) error {
	part := budget
	if lines {
		part = budget * time.Duration(len(c.meter.rounds)) / time.Duration(c.Rounds())
	}
	ways, err := c.meter.Measure(part)
	if err != nil {
		return err
	}
	for a := range ways {
		if c.nodes(a) == 1 {
			ways[a][a] = Way{}
		}
	}
	c.ways, c.lines, c.At = ways, nil, time.Now()
	if lines {
		c.lines, err = c.meter.MeasureLines(budget - part)
	}
	return err
}

// unanswered returns the error of a rank that has waited too long.
func (c *Calibration) unanswered(silent *SilentError) error {
	me, hosts := c.plan.Comm.Rank(), c.plan.Hosts
	whom := "the others"
	if silent.Rank >= 0 {
		whom = fmt.Sprintf("rank %d on host %s", silent.Rank, silent.Host)
	}
	return fmt.Errorf("no answer for %v while links between hosts are measured; rank %d on host %s waits for %s",
		c.plan.Tolerance, me, hosts[me], whom)
}

// RemeasureLinks measures links once more, and lines. All ranks call it at the begin of a
// rescheduling call, with the same budget, and get the same time that it took.
func (c *Calibration) RemeasureLinks(budget time.Duration) (took time.Duration, err error) {
	begin := time.Now()
	if err := c.measureLinks(budget, true); err != nil {
		return 0, err
	}
	longest := []int64{int64(time.Since(begin))}
	err = mpi.Combine(c.plan.Comm, mpi.Max, longest)
	return time.Duration(longest[0]), err
}
