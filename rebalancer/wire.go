package rebalancer

import (
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/internal/wire"
)

// The duration of a call grows with its bytes, so the messages of managers are small. Reports,
// histories and decisions are encoded field by field, in the order of their fields. In a decision
// most speeds and availabilities repeat those of the previous rank (wire.Runs), and the moves
// still to be judged are mostly the moves of the decision itself. A few reasons explain many
// moves; repeated strings are short.

// AppendBinary appends the report's bytes to b.
func (r Report) AppendBinary(b []byte) ([]byte, error) { return wire.AppendFields(b, &r) }

// UnmarshalBinary decodes the output of AppendBinary.
func (r *Report) UnmarshalBinary(b []byte) error { return read(b, r) }

// Size is the number of bytes that AppendBinary appends.
func (r Report) Size() int { return wire.Size(&r) }

// AppendBinary appends the history's bytes to b.
func (h History) AppendBinary(b []byte) ([]byte, error) { return wire.AppendFields(b, &h) }

// UnmarshalBinary decodes the output of AppendBinary.
func (h *History) UnmarshalBinary(b []byte) error { return read(b, h) }

// AppendBinary appends the decision's bytes to b.
func (d Decision) AppendBinary(b []byte) ([]byte, error) { return wire.AppendFields(b, d.form()) }

// Size is the number of bytes that AppendBinary appends.
func (d Decision) Size() int { return wire.Size(d.form()) }

// UnmarshalBinary decodes the output of AppendBinary.
func (d *Decision) UnmarshalBinary(b []byte) error {
	var f decisionForm
	err := read(b, &f)
	*d = Decision(f.Decision)
	d.Learned = f.Learned
	if p := d.Learned.Pending; p != nil && p.Moves == nil {
		p.Moves = slices.Clone(d.Moves)
	}
	return err
}

// decisionForm is the encoded form of a decision. It omits the moves still to be judged if they are the
// decision's own.
type decisionForm struct {
	Decision decisionFields
	Learned  Learned
}

// decisionFields holds the fields of a Decision. Its Learned field has a tag and is encoded separately.
type decisionFields Decision

func (d *Decision) form() *decisionForm {
	f := decisionForm{decisionFields(*d), d.Learned}
	if p := d.Learned.Pending; p != nil && slices.Equal(p.Moves, d.Moves) {
		f.Learned.Pending = &Pending{Call: p.Call, Step: p.Step, Forecast: p.Forecast}
	}
	return &f
}

// read resets v and decodes b into it.
//
// Errors: wire.ErrDamaged.
func read[T any](b []byte, v *T) error {
	*v = *new(T)
	if err := wire.ReadFields(b, v); err != nil {
		return fmt.Errorf("rebalancer: %w", err)
	}
	return nil
}

// Notices to ranks that do not decide.
//
// A decision contains moves with their bytes and reasons, the expected result of
// the moves, and the figures learned for all ranks: an account needs the first, managers the rest. A
// rank that manages no Set needs the new ranks of the processes, to route messages, the time of the
// next call, and the changes of ranks' speeds and shares. That is a
// Notice: about 4 bytes for each move instead of 20, and no bytes for unchanged
// ranks. It is the same for all ranks, and is sent down a tree within each Set (Platform.Tree).

// Notice is the part of a decision needed by ranks that do not decide.
type Notice struct {
	Decision          decisionFields // without moves, with the verdicts of the processes that asked to move
	Places            []place        // the new ranks of the processes that move, by pid
	Judged            bool           // some moves have still to prove themselves
	Speeds, Available []rankFigure
	Trust             float64
	Unexplained       float64
	Exchange          float64
	Errors            []float32
	Bank              *Bank
}

// rankFigure is a figure of one rank.
type rankFigure struct {
	Rank  int
	Value float64
}

// place is a process and its new rank, each as the difference from the previous place, which is short.
type place struct{ Pid, Rank int }

// Size is the number of bytes of the notice as a message.
func (n Notice) Size() int { return wire.Size(&n) }

// Notice returns the notice of a decision. Its receivers must have adopted the same decisions as this
// controller, which must not have adopted d yet. asked reports whether a
// process has asked to move: its verdict is included.
func (c *Controller) Notice(d *Decision, asked func(pid int) bool) Notice {
	l := &d.Learned
	n := Notice{
		Decision: decisionFields(*d), Judged: l.Pending != nil, Errors: l.Errors, Bank: l.Bank,
		Speeds: figures(c.last.Learned.Speeds, l.Speeds), Available: figures(c.last.Learned.Available, l.Available),
		Trust: l.Trust, Unexplained: l.Unexplained, Exchange: l.Exchange,
	}
	n.Decision.Moves = nil
	n.Decision.Verdicts = slices.DeleteFunc(slices.Clone(d.Verdicts), func(v Verdict) bool { return !asked(v.Pid) })
	var before place
	for _, m := range d.Moves {
		n.Places = append(n.Places, place{m.Pid - before.Pid, m.To - before.Rank})
		before = place{m.Pid, m.To}
	}
	return n
}

// figures returns the figures of the ranks that have changed.
func figures(was, is []float64) (changed []rankFigure) {
	for rank, value := range is {
		if value != was[rank] {
			changed = append(changed, rankFigure{rank, value})
		}
	}
	return changed
}

// Understand returns the decision of a notice, with moves that have neither bytes nor reasons.
//
// Errors: processes or ranks that this run does not have.
func (c *Controller) Understand(n Notice) (Decision, error) {
	d := Decision(n.Decision)
	d.Learned = Learned{
		Speeds: slices.Clone(c.last.Learned.Speeds), Available: slices.Clone(c.last.Learned.Available),
		Trust: n.Trust, Unexplained: n.Unexplained, Exchange: n.Exchange, Errors: n.Errors, Bank: n.Bank,
	}
	if n.Judged {
		d.Learned.Pending = new(Pending)
	}
	var at place
	for _, ahead := range n.Places {
		at = place{at.Pid + ahead.Pid, at.Rank + ahead.Rank}
		if at.Pid < 0 || at.Pid >= len(c.where) || at.Rank < 0 || at.Rank >= len(c.platform.Ranks) {
			return d, wire.ErrDamaged
		}
		d.Moves = append(d.Moves, Move{Pid: at.Pid, From: int(c.where[at.Pid]), To: at.Rank})
	}
	for _, to := range []struct {
		all     []float64
		changed []rankFigure
	}{{d.Learned.Speeds, n.Speeds}, {d.Learned.Available, n.Available}} {
		for _, is := range to.changed {
			if is.Rank < 0 || is.Rank >= len(to.all) {
				return d, wire.ErrDamaged
			}
			to.all[is.Rank] = is.Value
		}
	}
	return d, nil
}
