package loads

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
)

// Totals sums the loads of this rank's processes over the whole run, by the site where
// supersteps end. The methods of a nil Totals have no effect.
type Totals struct {
	recorder *Recorder
	steps    int
	ran      time.Duration // work
	span     time.Duration // work plus the time without a core
}

// After the first supersteps, the traffic of every recordedShare-th one is recorded. It is a
// prime number, so that it is no multiple of a program's period.
const recordedShare = 61

// NewTotals returns empty totals for a rank.
func NewTotals(s Settings, c clock.Clock) *Totals {
	return &Totals{recorder: &Recorder{settings: s, clock: c, Width: math.MaxInt32, survey: math.MaxInt}}
}

// NeedsTraffic reports whether the coming superstep's traffic must be recorded.
func (t *Totals) NeedsTraffic() bool {
	return t != nil && (t.recorder.NeedsTraffic() || t.steps%recordedShare == 0)
}

// Take adds a superstep that ended at a site. recorded reports whether samples include traffic.
func (t *Totals) Take(step int, site int64, samples []*Sample, recorded bool) {
	if t == nil {
		return
	}
	t.steps++
	for _, p := range samples {
		t.ran, t.span = t.ran+p.Work, t.span+max(p.Span, p.Work)
	}
	before := len(t.recorder.waits.Parts)
	t.recorder.Take(step, site, samples, recorded)
	if w := &t.recorder.waits; len(w.Parts) != before && t.recorder.Heavy() {
		t.compact()
	}
}

// Report is the totals of a rank.
type Report struct {
	Loads Shipment
	Share float64 // of its core that the rank got while its processes worked; 0 if they did not
}

// Report returns the totals so far, with the states of the rank's processes before a superstep. It is
// valid until the next call of a method.
func (t *Totals) Report(step int) (r Report) {
	if t == nil {
		return r
	}
	t.recorder.encode()
	t.recorder.end = 0
	t.recorder.surveyStates(step)
	if t.span > 0 {
		r.Share = min(1, t.ran.Seconds()/t.span.Seconds())
	}
	r.Loads = t.recorder.waits
	return r
}

// compact merges the parts of each site, because every move of a process begins new parts. A
// merged part holds processes that were here for the same number of supersteps.
func (t *Totals) compact() {
	var w Shipment
	for _, c := range Sum(t.recorder.settings.Procs, []Report{{Loads: t.recorder.waits}}).Classes {
		done := make(map[part]bool)
		for pid, steps := range c.steps {
			p := part{end: math.MaxInt32, site: c.Site, count: int64(steps), recorded: int64(c.recorded[pid])}
			if steps > 0 && !done[p] {
				done[p] = true
				w.addPart(&c, p)
			}
		}
	}
	t.recorder.waits = w
}

// addPart adds a part with the processes of a class that were here for p.count supersteps.
func (s *Shipment) addPart(c *Class, p part) {
	has := func(pid int) bool { return c.steps[pid] == int(p.count) && c.recorded[pid] == int(p.recorded) }
	for pid, seconds := range c.Work {
		if has(pid) {
			s.Work = append(s.Work, work{int64(pid), seconds})
			p.procs++
		}
	}
	for _, m := range c.Messages {
		if has(m.To) {
			m.Bytes *= float64(p.count)
			s.Messages = append(s.Messages, m)
			p.messages++
		}
	}
	s.Parts = append(s.Parts, p)
}

// Class is the supersteps of all ranks that ended at a site.
type Class struct {
	Site            int64
	Steps, Recorded int              // supersteps in all and with recorded traffic, of the process with most
	Work            []float64        // of all supersteps by process, in seconds at speed 1
	Messages        []ledger.Message // of a superstep

	steps, recorded []int // by process
}

// Run is the totals of all ranks.
type Run struct {
	Classes []Class
	States  []int64   // bytes by process; nil if unknown
	Shares  []float64 // by rank: Report.Share
}

// Sum returns the totals of a run with procs processes from the reports of all ranks.
func Sum(procs int, all []Report) (run Run) {
	for i := range all {
		run.Shares = append(run.Shares, all[i].Share)
		s := all[i].Loads
		for _, p := range s.Parts {
			if p.count > 0 {
				run.class(p.site, procs).add(&p, s.Work[:p.procs], s.Messages[:p.messages])
			}
			if p.states > 0 && run.States == nil {
				run.States = make([]int64, procs)
			}
			for _, x := range s.States[:p.states] {
				run.States[x.pid] = x.bytes
			}
			s.Work, s.Messages, s.States = s.Work[p.procs:], s.Messages[p.messages:], s.States[p.states:]
		}
	}
	for i := range run.Classes {
		run.Classes[i].close()
	}
	slices.SortStableFunc(run.Classes, func(a, b Class) int { return cmp.Compare(b.Steps, a.Steps) })
	return run
}

// add adds the loads of a rank's processes in consecutive supersteps.
func (c *Class) add(p *part, did []work, messages []ledger.Message) {
	for _, x := range did {
		c.Work[x.pid] += x.seconds
		c.steps[x.pid] += int(p.count)
		c.recorded[x.pid] += int(p.recorded)
	}
	for _, m := range messages { // encode has scaled them to all supersteps
		m.Bytes *= float64(p.recorded) / float64(p.count)
		c.Messages = append(c.Messages, m)
	}
}

// close computes the means.
func (c *Class) close() {
	c.Steps, c.Recorded = slices.Max(c.steps), slices.Max(c.recorded)
	c.Messages = slices.DeleteFunc(ledger.Join(c.Messages), func(m ledger.Message) bool { return m.From == m.To })
	for i := range c.Messages {
		c.Messages[i].Bytes /= float64(max(1, c.recorded[c.Messages[i].To]))
	}
}

// class returns the class of a site, adding a class if necessary.
func (run *Run) class(site int64, procs int) *Class {
	for i := range run.Classes {
		if run.Classes[i].Site == site {
			return &run.Classes[i]
		}
	}
	run.Classes = append(run.Classes, Class{Site: site, Work: make([]float64, procs), steps: make([]int, procs), recorded: make([]int, procs)})
	return &run.Classes[len(run.Classes)-1]
}
