package rebalancer

import (
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/internal/wire"
)

// A call takes as long as its bytes, so what managers are told and tell is small. Reports,
// histories and decisions travel field by field, in the order of their fields. In a decision
// speeds and availabilities are mostly those of the rank before (wire.Runs), and moves that
// have still to prove themselves mostly those of the decision itself. Few reasons explain many
// moves; a string that comes again is small anyway.

// AppendBinary appends the report's bytes to b.
func (r Report) AppendBinary(b []byte) ([]byte, error) { return wire.AppendFields(b, &r) }

// UnmarshalBinary reads what AppendBinary has written.
func (r *Report) UnmarshalBinary(b []byte) error { return read(b, r) }

// Size is the number of bytes that AppendBinary appends.
func (r Report) Size() int { return wire.Size(&r) }

// AppendBinary appends the history's bytes to b.
func (h History) AppendBinary(b []byte) ([]byte, error) { return wire.AppendFields(b, &h) }

// UnmarshalBinary reads what AppendBinary has written.
func (h *History) UnmarshalBinary(b []byte) error { return read(b, h) }

// AppendBinary appends the decision's bytes to b.
func (d Decision) AppendBinary(b []byte) ([]byte, error) { return wire.AppendFields(b, d.form()) }

// Size is the number of bytes that AppendBinary appends.
func (d Decision) Size() int { return wire.Size(d.form()) }

// UnmarshalBinary reads what AppendBinary has written.
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

// decisionForm is a decision as it travels: without the moves that have still to prove themselves if these
// are its own.
type decisionForm struct {
	Decision decisionFields
	Learned  Learned
}

// decisionFields are those of a Decision, without Learned, which has a tag.
type decisionFields Decision

func (d *Decision) form() *decisionForm {
	f := decisionForm{decisionFields(*d), d.Learned}
	if p := d.Learned.Pending; p != nil && slices.Equal(p.Moves, d.Moves) {
		f.Learned.Pending = &Pending{Call: p.Call, Step: p.Step, Forecast: p.Forecast}
	}
	return &f
}

// read makes v what the bytes say and nothing that it was.
//
// Errors: wire.ErrDamaged.
func read[T any](b []byte, v *T) error {
	*v = *new(T)
	if err := wire.ReadFields(b, v); err != nil {
		return fmt.Errorf("rebalancer: %w", err)
	}
	return nil
}

// What ranks are told that do not decide.
//
// A decision has a list of moves with their bytes and reasons, what the moves have still to
// prove, and what was learned of all ranks: an account needs the first, managers the rest. A
// rank that manages no Set needs to know where processes are, so that messages reach
// them, when the next call is, and what has changed of ranks' speeds and shares. That is a
// Notice: about 4 bytes for each move instead of 20, and nothing for ranks that are as they
// were. It is the same for all, and goes down a tree within each Set (Platform.Tree).

// Notice is what a decision means to ranks that do not decide.
type Notice struct {
	Decision          decisionFields // without moves, with the verdicts of the processes that asked to move
	Places            []place        // where the processes go that move, by pid
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

// place is a process and the rank where it goes, each as far ahead of the place before, which makes them short.
type place struct{ Pid, Rank int }

// Size is the number of bytes of the notice as a message.
func (n Notice) Size() int { return wire.Size(&n) }

// Notice is what a decision means to ranks that do not decide and have adopted the same
// decisions as this controller, which has not adopted this one. asked reports whether a
// process has asked to move: its verdict is told.
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

// figures are those of the ranks that have changed.
func figures(was, is []float64) (changed []rankFigure) {
	for rank, value := range is {
		if value != was[rank] {
			changed = append(changed, rankFigure{rank, value})
		}
	}
	return changed
}

// Understand is the decision that a notice is of, as far as a rank that does not decide knows
// it: moves have neither bytes nor reasons.
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
