package bsplib

import (
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// noteCall enters a rescheduling call into the account, on rank 0.
func (r *rank) noteCall(d *rebalancer.Decision) {
	if r.comm.Rank() != 0 {
		return
	}
	b := r.balance
	if r.why != nil {
		d.Why(r.why, &b.platform)
	}
	if r.account.book == nil {
		return
	}
	if o := d.Outcome; o != nil {
		r.account.book.See(o.Call, o.Steps, seconds(o.Predicted), seconds(o.Realised))
	}
	c := ledger.Call{
		Number: d.Call, Step: r.step - 1, AlphaBefore: d.Before.Alpha, AlphaAfter: d.After.Alpha,
		D: d.After.D, Balanced: d.Balanced, Kept: d.Kept,
		Took: seconds(b.called), Moved: seconds(b.moved),
		Messages: b.talk.messages, Talk: b.talk.bytes,
		Horizon: d.Forecast.Horizon, Forecast: seconds(d.Forecast.Before - d.Forecast.After),
	}
	for _, m := range d.Moves {
		c.Moves = append(c.Moves, ledger.Move{Pid: m.Pid, From: m.From, To: m.To})
		c.Bytes += m.Bytes
	}
	r.account.book.AddCall(c)
}

// noteEmulation enters what an emulated platform made of the run.
func (r *rank) noteEmulation() {
	v, book := r.virtual, r.account.book
	if v == nil || book == nil {
		return
	}
	book.Emulation = &ledger.Emulation{
		Platform: v.name, With: seconds(v.clock), Without: seconds(v.without), Least: seconds(v.least),
		Calls: seconds(v.calls), Moves: seconds(v.moves),
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * 1e9) }
