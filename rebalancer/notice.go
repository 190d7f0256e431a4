package rebalancer

import (
	"encoding/binary"
	"slices"

	"github.com/migbsp/migbsp/internal/wire"
)

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
	Places            places         // where the processes go that move
	Judged            judging
	Pending           places // of judgeOthers: where the processes were whose moves have still to prove themselves
	Speeds, Available []rankFigure
	Trust             float64
	Unexplained       float64
	Exchange          float64
	Errors            []float32
	Bank              *Bank
}

// RankFigure is a figure of one rank.
type rankFigure struct {
	Rank  int
	Value float64
}

// judging is what becomes of the moves that have still to prove themselves.
type judging int8

const (
	judgeNone   judging = iota // there are none
	judgeSame                  // they are those before this call
	judgeMoves                 // they are the decision's moves
	judgeOthers                // others
)

// Places are processes and the ranks where they go, in order of their pids: as they travel,
// each beside the one before.
type places []place

// Place is a process and a rank.
type place struct{ Pid, Rank int32 }

// AppendBinary appends the places' bytes to b.
func (p places) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(p)))
	last := place{Pid: -1}
	for _, is := range p {
		b = binary.AppendVarint(b, int64(is.Pid)-int64(last.Pid)-1)
		b = binary.AppendVarint(b, int64(is.Rank)-int64(last.Rank))
		last = is
	}
	return b, nil
}

// UnmarshalBinary reads what AppendBinary has written.
func (p *places) UnmarshalBinary(b []byte) error {
	n, head := binary.Uvarint(b)
	if head <= 0 || n > uint64(len(b)-head)/2 {
		return wire.ErrDamaged
	}
	b, *p = b[head:], nil
	if n > 0 {
		*p = make(places, n)
	}
	pid, rank := int64(-1), int64(0)
	for i := range *p {
		var ahead [2]int64
		for k := range ahead {
			x, size := binary.Varint(b)
			if size <= 0 {
				return wire.ErrDamaged
			}
			ahead[k], b = x, b[size:]
		}
		pid, rank = pid+1+ahead[0], rank+ahead[1]
		if pid != int64(int32(pid)) || rank != int64(int32(rank)) {
			return wire.ErrDamaged
		}
		(*p)[i] = place{int32(pid), int32(rank)}
	}
	if len(b) > 0 {
		return wire.ErrDamaged
	}
	return nil
}

// AppendBinary appends the notice's bytes to b.
func (n Notice) AppendBinary(b []byte) ([]byte, error) { return wire.AppendFields(b, &n) }

// UnmarshalBinary reads what AppendBinary has written.
func (n *Notice) UnmarshalBinary(b []byte) error { return read(b, n) }

// Size is the number of bytes that AppendBinary appends.
func (n Notice) Size() int { return wire.Size(&n) }

// Notice is what a decision means to ranks that do not decide and have adopted the same
// decisions as this controller, which has not adopted this one. asked reports whether a
// process has asked to move: its verdict is told.
func (c *Controller) Notice(d *Decision, asked func(pid int) bool) Notice {
	n := Notice{
		Decision: decisionFields(*d), Errors: d.Learned.Errors, Bank: d.Learned.Bank,
		Speeds: figures(c.last.Learned.Speeds, d.Learned.Speeds), Available: figures(c.last.Learned.Available, d.Learned.Available),
		Trust: d.Learned.Trust, Unexplained: d.Learned.Unexplained, Exchange: d.Learned.Exchange,
	}
	n.Decision.Moves = nil
	n.Decision.Verdicts = slices.DeleteFunc(slices.Clone(d.Verdicts), func(v Verdict) bool { return !asked(v.Pid) })
	for _, m := range d.Moves {
		n.Places = append(n.Places, place{int32(m.Pid), int32(m.To)})
	}
	switch p := d.Learned.Pending; {
	case p == nil:
	case p == c.last.Learned.Pending:
		n.Judged = judgeSame
	case slices.Equal(p.Moves, d.Moves):
		n.Judged = judgeMoves
	default:
		n.Judged = judgeOthers
		for _, m := range p.Moves {
			n.Pending = append(n.Pending, place{int32(m.Pid), int32(m.From)})
		}
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
	for _, is := range slices.Concat(n.Places, n.Pending) {
		if is.Pid < 0 || int(is.Pid) >= len(c.where) || is.Rank < 0 || int(is.Rank) >= len(c.platform.Ranks) {
			return d, wire.ErrDamaged
		}
	}
	for _, is := range n.Places {
		d.Moves = append(d.Moves, Move{Pid: int(is.Pid), From: int(c.where[is.Pid]), To: int(is.Rank)})
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
	switch n.Judged {
	case judgeSame:
		d.Learned.Pending = c.last.Learned.Pending
	case judgeMoves:
		d.Learned.Pending = &Pending{Call: d.Call, Step: d.Step, Moves: d.Moves}
	case judgeOthers:
		d.Learned.Pending = &Pending{Call: d.Call, Step: d.Step}
		for _, is := range n.Pending {
			d.Learned.Pending.Moves = append(d.Learned.Pending.Moves, Move{Pid: int(is.Pid), From: int(is.Rank)})
		}
	}
	return d, nil
}
