package rebalancer

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// Controller is one observer's side of rescheduling: a rank's, for the
// processes on it, or a simulator's, for all. Controllers that are given the
// same decisions know the same of mapping and pace, and have learned the same.
//
// A Controller is used by one goroutine at a time.
type Controller struct {
	platform Platform
	spec     Spec
	where    []int32
	own      []*History // by pid, nil for processes of others
	came     inflow     // in one superstep: room for what comes
	recent   int
	classes  []int        // of the supersteps in the histories' rings
	spreads  []StepSpread // since the last call
	walls    []float64    // by rank, of the superstep under way
	waits    byClass      // since the last call, how long supersteps took beyond what the observer's processes computed

	// last is the decision that was adopted last, without its moves and verdicts. Before the first
	// call it is what a run begins with.
	last *Decision
	// unexplained is Learned.Unexplained of the decision before last.
	unexplained float64

	relinks  bool    // links are told anew now and then,
	relinked bool    // and were since the last call
	cameFrom []int32 // by pid: the rank before the present one, -1 if that is not known

	reports reports  // what managers have been told of processes
	auditor *auditor // nil while no account is kept
}

// New makes the controller of some processes of a run: those that it will be
// given in Observe. where is the rank of each process.
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

// Where is the rank of each process. The caller must not change it.
func (c *Controller) Where() []int32 { return c.where }

// Observe takes in a superstep. Its cost is in proportion to the processes
// given and what they received; it allocates nothing once it has seen a few.
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

// communicate has a history take in what its process received on a rank.
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

// mostSpreads bounds what is kept between calls; beyond it two supersteps
// become one that stands for both.
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

// Adopt makes a decision known. All controllers of a run adopt the same ones,
// before the histories of what moves depart.
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
			c.auditor.start[m.Pid] = int32(m.To) // what must move counts as if it had begun there
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

// nobody is no rank that is to be left.
func nobody(int) bool { return false }

// sharesAlone are the ranks' shares of their cores while those that share them have nothing to do.
func (c *Controller) sharesAlone() []float64 {
	return cost.NewSharing(&c.platform, c.last.Learned.Available, nobody).Alone
}

// relearn has a process's work follow from the speeds now known of the ranks that it was measured on: the last of it, here,
// where the process is, and the rest where it came from, if that is known. What is known of it beside changes by the factor.
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

// History is that of a process, and Depart gives it away with one that leaves.
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

// Arrive takes in the history of a process that comes. What it says of Sets that
// there are not is left out.
func (c *Controller) Arrive(pid int, h History) {
	h.Sets = slices.DeleteFunc(h.Sets, func(s SetTraffic) bool {
		return s.Set < 0 || s.Set >= len(c.platform.Sets)
	})
	c.own[pid] = &h
}

// Relink replaces Platform.Links and Lines by what links are found to take now. All
// controllers of a run are told the same, between the same calls, and neither is
// changed afterwards.
func (c *Controller) Relink(links [][]Link, lines []float64) {
	c.platform.Links, c.platform.Lines, c.relinks, c.relinked = links, lines, true, true
}

// KeepAccount begins the account. All controllers of a run keep it, before the first superstep.
func (c *Controller) KeepAccount() {
	if c.auditor == nil {
		c.auditor = &auditor{start: slices.Clone(c.where)}
		c.auditor.restart(c.where, c.sharesAlone())
	}
}

// Away reports whether some process is elsewhere than where the run began, by its account.
func (c *Controller) Away() bool {
	return c.auditor != nil && !slices.Equal(c.where, c.auditor.start)
}
