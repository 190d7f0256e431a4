package record

import (
	"math"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
)

// loads writes down the workload itself, so that the record can be simulated again.
type loads struct {
	recorder *ledger.Recorder
	window   *ledger.LoadWindow
	width    int // supersteps of a window
	filled   int // supersteps of this window
}

func (l *loads) open(c *sim.Config, recorder *ledger.Recorder) {
	l.recorder = recorder
	l.window, l.width = ledger.NewLoadWindow(len(c.Where)), recorder.LoadWidth()
	for pid := range c.Where {
		l.window.State(pid, whole(c.Workload.State(pid)))
	}
}

// take adds a superstep.
func (l *loads) take(r *Recording, x *sim.StepRecord) {
	place := site(x.Step)
	l.window.Step(x.Number, place)
	for pid, operations := range x.Step.Work {
		if operations > 0 {
			l.window.Work(place, pid, operations/sim.Reference)
		}
	}
	for _, m := range x.Step.Messages {
		l.window.Send(place, ledger.Message{From: int(m.From), To: int(m.To), Bytes: m.Bytes})
	}
	if x.Step.Over > 0 {
		l.window.Over(place, x.Step.Over)
	}
	for pid, bytes := range x.Step.State {
		l.window.State(pid, whole(bytes))
	}
	if l.filled++; l.filled == l.width {
		l.close(&r.book)
	}
}

// close enters the Loads of the window, and begins another.
func (l *loads) close(b *ledger.Account) {
	l.window.Close(func(e *ledger.Load) { b.Enter(e) })
	l.filled, l.width = 0, l.recorder.LoadWidth()
}

func whole(bytes float64) int64 { return int64(math.Ceil(min(bytes, 1<<62))) }
