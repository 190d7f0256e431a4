package balance

import (
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// observer is a rank with one process in a loop of stages and a handClock.
type observer struct {
	*Balancer
	clock  *handClock
	sample loads.Sample
}

// handClock is a clock that the test sets.
type handClock struct {
	*clock.Real
	at    time.Duration
	timed clock.Window
}

func (c *handClock) Now() time.Duration    { return c.at }
func (c *handClock) Working() clock.Window { return c.timed }

func (c *handClock) Worked() clock.Window {
	w := c.timed
	c.timed = clock.Window{}
	return w
}

// shareOfWork is a machine whose share is the ratio of CPU time to elapsed time in the last work.
type shareOfWork struct{ known float64 }

func (m *shareOfWork) Free() int64 { return -1 }

func (m *shareOfWork) Available(w clock.Window, _ time.Duration, _ bool) (share, burst float64) {
	if w.Wall > 0 {
		m.known = w.CPU.Seconds() / w.Wall.Seconds()
	}
	return m.known, m.known
}

func newObserver(t *testing.T, strategy string) *observer {
	spec := must.Get(rebalancer.Parse(strategy))(t)
	o := &observer{clock: &handClock{Real: clock.NewReal(nil), at: time.Hour}}
	o.Balancer = New(Settings{
		Spec: spec, Platform: rebalancer.Uniform(1, rebalancer.Link{Latency: 1e-5, PerByte: 1e-9}), Where: []int32{0},
		Clock: o.clock, Calls: control.New(mpi.InProcess(1)[0]), Machine: &shareOfWork{known: 1},
		Detail: func(int) rebalancer.Detail { return rebalancer.Detail{Request: -1} },
	})
	o.stages(1, 0, 1)
	return o
}

func (o *observer) samples() []*loads.Sample { return []*loads.Sample{&o.sample} }

func (o *observer) superstep(inside, elsewhere bool) {
	o.Superstep(Ended{Samples: o.samples(), Inside: inside, Elsewhere: elsewhere})
}

// stages runs n stages of the given length. share is the ratio of CPU time to elapsed time.
func (o *observer) stages(n int, length time.Duration, share float64) {
	for range n {
		o.clock.at += length
		o.clock.timed.Wall += length
		o.clock.timed.CPU += time.Duration(share * float64(length))
		o.superstep(true, false)
		o.StageEnded(o.samples(), rebalancer.Vote{}, false)
	}
}

// A call requested because of slow stages reports only measurements since the first of them.
func TestACallForSlowStagesIsAboutThem(t *testing.T) {
	o := newObserver(t, "auto")
	o.stages(100, time.Second, 0.8)
	o.stages(1, 4*time.Second, 0.5)
	o.stages(3, 10*time.Second, 0.2)
	if !o.Vote(1000, false, 1).Alarm {
		t.Error("nothing asks for a call")
	}
	s := o.state(Input{Requested: true, Processes: 1, Left: 1000})
	if s.Steps != 104 || math.Abs(s.Recent-10) > 0.5 || math.Abs(s.Available-0.2) > 0.01 {
		t.Errorf("%+v, want 104 steps, of which the last took 10 s, and a share of 0.2", s)
	}
	o.Called(0, 0, 0)
	o.stages(20, 10*time.Second, 0.2)
	if o.Vote(1000, false, 1).Alarm {
		t.Error("what was slow is usual by now, and asked for a call all the same")
	}
	s = o.state(Input{Processes: 1, Left: 1000})
	if s.Steps != 20 || math.Abs(s.Elapsed-200) > 1 || s.Recent != 0 {
		t.Errorf("%+v, want 20 steps in 200 s", s)
	}
}

// Supersteps outside stages, or in the first stage, are not observed.
func TestTheFirstStageIsNotObserved(t *testing.T) {
	o := newObserver(t, "auto")
	o.superstep(false, false)
	o.superstep(false, false)
	if n := o.trigger.Observations(); n != 0 {
		t.Errorf("%d observations before the second stage", n)
	}
	o.superstep(true, false)
	o.superstep(true, false)
	o.superstep(true, true)
	o.StageEnded(o.samples(), rebalancer.Vote{}, false)
	if n := o.trigger.Observations(); n != 2 {
		t.Errorf("%d observations of three supersteps that end at two places, want 2", n)
	}
}

// Reports exclude the work that is left out of a process's load, and include the loads that
// the program has declared.
func TestWhatIsAsideIsNotReported(t *testing.T) {
	o := newObserver(t, "auto")
	o.settings.Detail = func(int) rebalancer.Detail { return rebalancer.Detail{Request: -1, Load: 7} }
	for load := range 8 {
		o.sample.Work, o.sample.Span, o.sample.Aside = 9*time.Second, 12*time.Second, 8*time.Second
		o.sample.Load = float64(load)
		o.stages(1, 12*time.Second, 1)
	}
	r := o.controller.Report([]rebalancer.RankState{o.state(Input{Processes: 1, Left: 10})}, o.settings.Detail)
	if p := r.Processes[0]; math.Abs(p.Time-3) > 1e-6 {
		t.Errorf("a process works %v s in a stage without what is aside, want 3", p.Time)
	}
	if len(r.Told) != 1 || r.Told[0].Coming != 7 || r.Told[0].Recent[len(r.Told[0].Recent)-1] != 7 {
		t.Errorf("%+v is told", r.Told)
	}
	o.sample.Aside = 20 * time.Second
	o.stages(1, 12*time.Second, 1)
	r = o.controller.Report([]rebalancer.RankState{o.state(Input{Processes: 1, Left: 10})}, o.settings.Detail)
	if work := r.Processes[0].RecentWork; work[len(work)-1] != 0 {
		t.Errorf("more is aside than was worked, and %v s of work are left", work[len(work)-1])
	}
}
