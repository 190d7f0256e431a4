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
