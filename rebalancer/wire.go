package rebalancer

import (
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/internal/wire"
)

// A call takes as long as its bytes, so what managers are told and tell is small. A
// report and a history travel field by field, in the order of their fields. A decision
// does too, but for what it has learned:
//
//	speeds and availabilities are mostly those of the rank before: wire.Runs
//	moves that have still to prove themselves are mostly those of the decision itself
//
// Few reasons explain many moves; a string that comes again is small anyway.

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
func (d Decision) AppendBinary(b []byte) ([]byte, error) {
	form := d.form()
	return wire.AppendFields(b, &form)
}

// Size is the number of bytes that AppendBinary appends.
func (d Decision) Size() int {
	form := d.form()
	return wire.Size(&form)
}

// UnmarshalBinary reads what AppendBinary has written.
func (d *Decision) UnmarshalBinary(b []byte) error {
	var form decisionForm
	err := read(b, &form)
	*d = form.decision()
	return err
}

// decisionForm is a decision as it travels.
type decisionForm struct {
	Decision decisionFields
	Learned  Learned
	Pending  *pendingForm
	Bank     *Bank
}

// decisionFields are those of a Decision, without Learned, which has a tag.
type decisionFields Decision

// pendingForm is a Pending. Moves is nil where they are those of the decision.
type pendingForm struct {
	Call, Step int
	Moves      *[]Move
	Forecast   Forecast
}

func (d *Decision) form() decisionForm {
	f := decisionForm{Decision: decisionFields(*d), Learned: d.Learned, Bank: d.Learned.Bank}
	if p := d.Learned.Pending; p != nil {
		f.Pending = &pendingForm{Call: p.Call, Step: p.Step, Forecast: p.Forecast}
		if !slices.Equal(p.Moves, d.Moves) {
			f.Pending.Moves = &p.Moves
		}
	}
	return f
}

func (f *decisionForm) decision() Decision {
	d := Decision(f.Decision)
	d.Learned = f.Learned
	d.Learned.Bank = f.Bank
	if p := f.Pending; p != nil {
		d.Learned.Pending = &Pending{Call: p.Call, Step: p.Step, Moves: slices.Clone(d.Moves), Forecast: p.Forecast}
		if p.Moves != nil {
			d.Learned.Pending.Moves = *p.Moves
		}
	}
	return d
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
