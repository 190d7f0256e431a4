package ledger

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Call is the account of one rescheduling call.
type Call struct {
	Number      int
	Step        int // superstep after which it was
	AlphaBefore int // supersteps between calls
	AlphaAfter  int
	D           float64 // how far from the mean counts as balanced
	Balanced    bool
	Kept        string // why nothing moved, "" if something did

	Moves []Move
	Bytes int64         // of state that moved
	Took  time.Duration // to decide
	Moved time.Duration // to move

	Messages int64 // that ranks told each other to decide
	Talk     int64 // bytes of these

	Horizon   int           // supersteps that the forecast is for
	Forecast  time.Duration // predicted saving in them, costs not deducted
	Seen      int           // supersteps after which the saving was measured, 0 if it was not
	Predicted time.Duration // part of Forecast for these
	Realised  time.Duration // saving measured in them
}

// Move is one process's move.
type Move struct{ Pid, From, To int }

// AddCall enters a rescheduling call.
func (b *Book) AddCall(c Call) { b.calls = append(b.calls, c) }

// See enters what the moves of call number have brought in so many supersteps.
func (b *Book) See(number, steps int, predicted, realised time.Duration) {
	for i := range b.calls {
		if c := &b.calls[i]; c.Number == number {
			c.Seen, c.Predicted, c.Realised = steps, predicted, realised
		}
	}
}

// Calls are the rescheduling calls so far.
func (b *Book) Calls() []Call { return b.calls }

// WriteCalls prints the calls that moved something, and one line on all.
func (b *Book) WriteCalls(w io.Writer) error {
	if len(b.calls) == 0 {
		return nil
	}
	var sum Call
	moved, seen := 0, time.Duration(0)
	t := NewTable(w, []string{"call", "step", "alpha", "moved", "bytes", "cost", "steps seen", "predicted", "realised"}, 3)
	for _, c := range b.calls {
		sum.Took += c.Took
		sum.Messages += c.Messages
		sum.Talk += c.Talk
		if len(c.Moves) == 0 {
			continue
		}
		moved++
		sum.Moves = append(sum.Moves, c.Moves...)
		sum.Bytes += c.Bytes
		sum.Moved += c.Moved
		seen += c.Realised
		if err := t.Append(c.row()); err != nil {
			return err
		}
	}
	if moved > 0 {
		if err := t.Render(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, " %d rescheduling calls took %s (%d messages, %s); %d processes (%s) moved in %s and saved %s\n",
		len(b.calls), Seconds(sum.Took), sum.Messages, Bytes(sum.Talk), len(sum.Moves), Bytes(sum.Bytes), Seconds(sum.Moved), signed(seen))
	return err
}

func (c *Call) row() []string {
	predicted, realised := Seconds(c.Forecast)+" to come", "not seen"
	if c.Seen > 0 {
		predicted, realised = signed(c.Predicted), signed(c.Realised)
	}
	return []string{
		strconv.Itoa(c.Number), strconv.Itoa(c.Step), fmt.Sprintf("%d > %d", c.AlphaBefore, c.AlphaAfter),
		listMoves(c.Moves), Bytes(c.Bytes), Seconds(c.Moved), strconv.Itoa(c.Seen), predicted, realised,
	}
}

// listMoves names the first moves and counts the others.
func listMoves(moves []Move) string {
	const most = 4
	var names []string
	for _, m := range moves[:min(most, len(moves))] {
		names = append(names, fmt.Sprintf("p%d r%d>r%d", m.Pid, m.From, m.To))
	}
	text := strings.Join(names, ", ")
	if more := len(moves) - most; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// signed is Seconds of what may be negative.
func signed(d time.Duration) string {
	if d < 0 {
		return "-" + Seconds(-d)
	}
	return Seconds(d)
}
