package trace

import (
	"fmt"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// move takes a process to another rank. Moves follow their call and are drawn with it; a
// call has at most one per process.
func (t *tracer) move(m *ledger.Move) {
	if len(t.moves) >= t.run.Procs || t.call != nil && t.call.Number != m.Call {
		t.settle()
	}
	t.moves = append(t.moves, *m)
}

// settle draws the last call and its moves.
func (t *tracer) settle() {
	if t.call == nil && len(t.moves) == 0 {
		return
	}
	call := t.call
	if call == nil { // its line is damaged
		call = &ledger.Call{Number: t.moves[0].Call, Step: t.moves[0].Step, At: t.drawn.Seconds()}
	}
	draw := t.within(call.Step)
	at := max(t.settled, after(call.At))
	if draw {
		t.start(at)
		if t.call != nil {
			t.decision(call, at)
		}
		at = min(latest, at+after(call.Took))
	}
	for i := range t.moves {
		t.transfer(call, i, at, draw)
	}
	if draw {
		t.settled = min(latest, at+after(call.Move))
	}
	t.call, t.moves = nil, t.moves[:0]
}

// decision draws a call, on the ranks that decide.
func (t *tracer) decision(c *ledger.Call, at time.Duration) {
	a := args(nil).int("call", int64(c.Number)).int("step", int64(c.Step)).
		int("alpha before", int64(c.AlphaBefore)).int("alpha after", int64(c.AlphaAfter)).
		number("D", c.D).int("moved", int64(c.Moved)).int("bytes", c.Bytes).int("considered", int64(c.Considered)).
		text("forecast", ledger.Seconds(signed(c.Forecast))).text("cost", ledger.Seconds(signed(c.Cost)))
	if c.Kept != "" {
		a = a.text("kept", c.Kept)
	}
	if list := potentials(c.Verdicts); list != "" {
		a = a.text("PM", list)
	}
	drawn := make([]int, 0, len(t.run.Sets))
	for _, set := range t.run.Sets {
		if set.Manager < 0 || set.Manager >= len(t.run.Ranks) || slices.Contains(drawn, set.Manager) {
			continue
		}
		drawn = append(drawn, set.Manager)
		t.out.complete(fmt.Sprintf("call %d", c.Number), track{set.Manager, migrating}, at, after(c.Took), a)
	}
	t.out.counter("alpha", t.ofRun(0), at, args(nil).int("alpha", int64(c.AlphaAfter)))
}

// potentials lists the largest potentials of migration; the record has only the most
// important ones.
func potentials(verdicts []ledger.Verdict) string {
	const most = 8
	text := ""
	for _, v := range verdicts[:min(most, len(verdicts))] {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("p%d %s", v.Pid, ledger.Seconds(signed(v.PM())))
	}
	if more := len(verdicts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// transfer draws the i-th move in its part of the time of all.
func (t *tracer) transfer(c *ledger.Call, i int, at time.Duration, draw bool) {
	m := &t.moves[i]
	t.procs[t.where[m.Pid]]--
	t.procs[m.To]++
	t.where[m.Pid] = int32(m.To)
	if !draw {
		return
	}
	n := time.Duration(len(t.moves))
	all := after(c.Move)
	begin := min(latest, at+all/n*time.Duration(i))
	takes := all / n
	a := args(nil).int("call", int64(c.Number)).int("pid", int64(m.Pid)).int("from", int64(m.From)).int("to", int64(m.To)).int("bytes", m.Bytes)
	if v := slices.IndexFunc(c.Verdicts, func(v ledger.Verdict) bool { return v.Pid == m.Pid }); v >= 0 {
		a = a.text("PM", ledger.Seconds(signed(c.Verdicts[v].PM())))
	}
	if m.Reason != "" {
		a = a.text("reason", m.Reason)
	}
	a = a.text("time", fmt.Sprintf("one of %d equal parts of %s", n, ledger.Seconds(all)))
	from, to := track{m.From, migrating}, track{m.To, migrating}
	t.out.complete(fmt.Sprintf("p%d to r%d", m.Pid, m.To), from, begin, takes, a)
	if m.From != m.To {
		t.out.complete(fmt.Sprintf("p%d from r%d", m.Pid, m.From), to, begin, takes, a)
	}
	t.made.Moves++
	t.out.leave(t.made.Moves, from, begin)
	t.out.arrive(t.made.Moves, to, begin+takes/2)
	t.count(m.From, begin+takes)
	t.count(m.To, begin+takes)
}

// outcome marks the saving of a call at the time when it became known.
func (t *tracer) outcome(o *ledger.Outcome) {
	if !t.begun {
		return
	}
	a := args(nil).int("call", int64(o.Call)).int("supersteps", int64(o.Steps)).
		text("predicted", ledger.Seconds(signed(o.Predicted))).text("realised", ledger.Seconds(signed(o.Realised))).
		text("cost", ledger.Seconds(signed(o.Cost)))
	if !o.Sure {
		a = a.text("sure", "no: seen for too short")
	}
	manager := max(0, min(t.run.Sets[0].Manager, len(t.run.Ranks)-1))
	t.out.instant(fmt.Sprintf("outcome of call %d", o.Call), track{manager, migrating}, t.drawn, a)
}

// signed returns a time that can be negative.
func signed(seconds float64) time.Duration {
	return time.Duration(max(-latest, min(latest, seconds*1e9)))
}
