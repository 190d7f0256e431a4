package record

import (
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/sim"
)

// call enters a rescheduling call.
func (r *Recording) call(x *sim.CallRecord) {
	costs := decided.Costs{
		Step: x.Decision.Step, At: x.At, Took: x.Took, Move: x.Moved, Messages: int64(x.Messages), Talk: int64(x.Bytes),
	}
	for _, e := range decided.Entries(&x.Decision, costs) {
		r.book.Enter(e)
	}
	for _, m := range x.Decision.Moves {
		r.where[m.Pid] = int32(m.To)
	}
}

// pendingMoves is moves prescribed by a workload whose duration is not known yet. In the record each
// superstep with such moves has a call that took no time.
type pendingMoves struct {
	calls int
	call  *ledger.Call // nil without moves
	all   []ledger.Entry
}

func (p *pendingMoves) open(r *Recording, x *sim.StepRecord) {
	p.calls++
	p.call = &ledger.Call{Number: p.calls, Step: x.Number, At: x.At + x.Total, Moved: len(x.Step.Moves)}
	for _, m := range x.Step.Moves {
		p.call.Bytes += int64(m.Bytes)
		p.all = append(p.all, &ledger.Move{
			Call: p.calls, Step: x.Number, Pid: m.Pid, From: int(r.where[m.Pid]), To: m.Host, Bytes: int64(m.Bytes), Reason: "the workload says so",
		})
		r.where[m.Pid] = int32(m.Host)
	}
}

// close enters moves that have ended.
func (p *pendingMoves) close(r *Recording, now float64) {
	if p.call == nil {
		return
	}
	p.call.Move = max(0, now-p.call.At)
	r.book.Enter(p.call)
	for _, e := range p.all {
		r.book.Enter(e)
	}
	p.call, p.all = nil, p.all[:0]
}
