package rebalancer

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// Controller is one observer's part of rescheduling: on a rank it observes the processes there, in a
// simulator all processes. Controllers that adopt the same decisions agree on the mapping, the pace and
// the learned values.
//
// A Controller is used by one goroutine at a time.
type Controller struct {
	platform Platform
	spec     Spec
	where    []int32
	own      []*History // by pid, nil for processes observed elsewhere
	came     inflow     // scratch space for the messages received in one superstep
	recent   int
	classes  []int        // of the supersteps in the histories' rings
	spreads  []StepSpread // since the last call
	walls    []float64    // by rank, of the current superstep
	waits    byClass      // since the last call, the time of supersteps beyond the computing time of the observer's processes

	// last is the decision adopted last, without its moves and verdicts, or the initial values before
	// the first call.
	last *Decision
	// unexplained is Learned.Unexplained of the decision before last.
	unexplained float64

	relinks  bool    // links are measured again from time to time,
	relinked bool    // and were since the last call
	cameFrom []int32 // by pid: the previous rank, -1 if unknown

	reports reports  // process reports known to the managers
	auditor *auditor // nil if no account is kept
}

// New returns a controller for some processes of a run: those that Observe receives. where holds the
// rank of each process.
func New(p Platform, where []int32, spec Spec) *Controller {
	c := &Controller{
		platform: p, spec: spec, where: slices.Clone(where), cameFrom: slices.Repeat([]int32{-1}, len(where)), own: make([]*History, len(where)),
		recent: mostRecentWork(len(where)), walls: make([]float64, len(p.Ranks)),
		last: &Decision{Learned: Learned{Trust: 1, Unexplained: -1}},
	}
	if len(where) > reportedAlways {
		c.reports = reports{last: make([]reported, len(where)), on: make(map[*int][]int32)}
	}
	c.last.Next = int(spec.value("alpha"))
	c.last.After = Pace{Alpha: c.last.Next, D: spec.value("D")}
	for rank := range p.Ranks {
		c.last.Learned.Speeds = append(c.last.Learned.Speeds, declaredSpeed(View{Platform: &p}, rank))
		c.last.Learned.Available = append(c.last.Learned.Available, 1)
	}
	cost.NewCrowds(&p).Pool(c.last.Learned.Available, nobody)
	if spec.banked() {
		c.KeepAccount()
	}
	return c
}

// Where returns the rank of each process. The caller must not modify it.
func (c *Controller) Where() []int32 { return c.where }

// Observe adds a superstep. Its cost is proportional to the number of processes given and messages they
// received; it does not allocate after the first few supersteps.
func (c *Controller) Observe(o Observation) {
	c.classes = pushed(c.classes, o.Class, c.recent)
	e := StepSpread{Steps: max(1, o.Count)}
	delta, beta := c.spec.value("delta"), c.spec.value("beta")
	step := float64(e.Steps) / float64(c.last.After.Alpha)
	for i := range o.Processes {
		m := &o.Processes[i]
		span := max(m.Time, m.Span)
		if m.Time > 0 {
			e.merge(StepSpread{Count: 1, Sum: span, Min: span, Max: span})
		}
		rank := int(c.where[m.Pid])
		if o.Overlap {
			e.Wall = max(e.Wall, span)
		} else {
			c.walls[rank] += span
			e.Wall = max(e.Wall, c.walls[rank])
		}
		h := c.own[m.Pid]
		if h == nil {
			h = new(History)
			c.own[m.Pid] = h
		}
		h.compute(o.Class, m.Time*c.last.Learned.Speeds[rank], m.Time, delta, step, c.recent)
		h.tell(m.Load, c.recent)
		if m.Received != nil {
			c.communicate(h, o.Class, m, rank, beta, step)
		}
	}
	if !o.Overlap {
		clear(c.walls)
	}
	c.addSpread(e)
	if o.Seconds > 0 {
		c.waits.add(o.Class, o.Seconds-e.Wall)
	}
	if c.auditor != nil && c.auditor.away {
		c.auditor.observe(&o, c.where, c.last.Learned.Speeds)
	}
}

// communicate adds the messages that a process received on a rank to its history.
func (c *Controller) communicate(h *History, class int, m *Measure, rank int, margin, step float64) {
	bytes := int64(0)
	for _, t := range m.Received {
		bytes += t.Bytes
	}
	c.came = c.came[:0]
	for _, t := range m.Received {
		seconds := c.platform.Transfer(int(c.where[t.Pid]), rank, t.Bytes)
		if m.Comm > 0 && bytes > 0 {
			seconds = m.Comm * float64(t.Bytes) / float64(bytes)
		}
		in := c.came.at(c.platform.Ranks[c.where[t.Pid]].Set)
		in.bytes, in.time = in.bytes+float64(t.Bytes), in.time+seconds
	}
	h.communicate(class, m.Received, c.came, margin, step)
}

// mostSpreads bounds the number of spreads kept between calls. Beyond it, pairs of supersteps are
// merged.
const mostSpreads = 4096

func (c *Controller) addSpread(e StepSpread) {
	if len(c.spreads) == mostSpreads {
		for i := range mostSpreads / 2 {
			a, b := c.spreads[2*i], c.spreads[2*i+1]
			wall := float64(a.Steps)*a.Wall + float64(b.Steps)*b.Wall
			a.Steps += b.Steps
			a.merge(b)
			a.Wall = wall / float64(a.Steps)
			c.spreads[i] = a
		}
		c.spreads = c.spreads[:mostSpreads/2]
	}
	c.spreads = append(c.spreads, e)
}

// Adopt applies a decision. All controllers of a run adopt the same decisions, before the histories of
// moving processes depart.
func (c *Controller) Adopt(d Decision) {
	for pid, h := range c.own {
		if h != nil {
			factor := c.relearn(pid, h.RecentWork, h.sinceMove, d.Learned.Speeds)
			for i := range h.classes {
				h.classes[i].work *= factor
			}
			h.restart()
		}
	}
	c.reports.close(d.Moves)
	for _, m := range d.Moves {
		if c.spec.banked() && slices.Contains(d.Forced, int32(m.Pid)) {
			c.auditor.start[m.Pid] = int32(m.To) // a forced move counts as if the process had begun there
		}
		c.where[m.Pid] = int32(m.To)
		if h := c.own[m.Pid]; h != nil {
			h.sinceMove = 0
		}
		c.cameFrom[m.Pid] = int32(m.From)
	}
	d.Moves, d.Verdicts = nil, nil
	c.unexplained = c.last.Learned.Unexplained
	c.last, c.relinked = &d, false
	c.spreads = c.spreads[:0]
	clear(c.waits)
	if c.auditor != nil {
		c.auditor.restart(c.where, c.sharesAlone())
	}
}

// nobody reports no rank as drained.
func nobody(int) bool { return false }

// sharesAlone returns each rank's share of its core while the ranks that share the core are idle.
func (c *Controller) sharesAlone() []float64 {
	return cost.NewSharing(&c.platform, c.last.Learned.Available, nobody).Alone
}

// relearn rescales a process's work to new speeds of the ranks where it was measured: the last here
// supersteps on its current rank, and the rest on the previous rank, if that is known. It returns the
// factor for other figures of the process.
func (c *Controller) relearn(pid int, work []float32, here int, speeds []float64) (factor float64) {
	before := work[:max(0, len(work)-here)]
	if from := c.cameFrom[pid]; from >= 0 {
		scale(before, speeds[from]/c.last.Learned.Speeds[from])
	}
	factor = speeds[c.where[pid]] / c.last.Learned.Speeds[c.where[pid]]
	scale(work[len(before):], factor)
	return factor
}

func scale(work []float32, factor float64) {
	if factor == 1 {
		return
	}
	for i := range work {
		work[i] = float32(float64(work[i]) * factor)
	}
}

// History returns the history of a process. Depart also removes it, for a process that leaves.
func (c *Controller) History(pid int) History {
	if h := c.own[pid]; h != nil {
		return *h
	}
	return History{}
}

// Depart: see History.
func (c *Controller) Depart(pid int) History {
	h := c.History(pid)
	c.own[pid] = nil
	return h
}

// Arrive adds the history of an arriving process. It drops traffic of Sets that do not exist.
func (c *Controller) Arrive(pid int, h History) {
	h.Sets = slices.DeleteFunc(h.Sets, func(s SetTraffic) bool {
		return s.Set < 0 || s.Set >= len(c.platform.Sets)
	})
	c.own[pid] = &h
}

// Relink replaces Platform.Links and Lines by new measurements. All controllers of a run receive the
// same values between the same calls. The slices must not be modified afterwards.
func (c *Controller) Relink(links [][]Link, lines []float64) {
	c.platform.Links, c.platform.Lines, c.relinks, c.relinked = links, lines, true, true
}

// KeepAccount starts the account. All controllers of a run must call it before the first superstep.
func (c *Controller) KeepAccount() {
	if c.auditor == nil {
		c.auditor = &auditor{start: slices.Clone(c.where)}
		c.auditor.restart(c.where, c.sharesAlone())
	}
}

// Away reports whether some process has left its initial rank, according to the account.
func (c *Controller) Away() bool {
	return c.auditor != nil && !slices.Equal(c.where, c.auditor.start)
}
