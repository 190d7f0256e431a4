package live

import (
	"context"
	"fmt"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// reader reads a record into a state.
type reader struct {
	follower *Follower
	state    *State
	wait     string
}

func newReader(path string) *reader { return &reader{follower: Follow(path), state: new(State)} }

// mostAtOnce is the number of entries that are read before keys are read again.
const mostAtOnce = 2000

// look reads a part of the new entries, and reports whether more are left.
func (r *reader) look() (more bool, err error) {
	fresh := r.follower.file == nil
	state := r.state
	if fresh {
		state = new(State)
	}
	news, err := r.follower.Look(mostAtOnce, state.Enter, state.Trouble)
	if news.Anew {
		r.state = state
	}
	r.wait = news.Wait
	return news.More, err
}

// source describes the record at a time.
func (r *reader) source(now time.Time) Source {
	s := Source{Name: r.follower.Name(), Wait: r.wait, Cut: r.follower.Cut() != ""}
	if changed := r.follower.Changed(); !changed.IsZero() {
		s.Age = max(0, now.Sub(changed))
		s.Wall = max(0, changed.Sub(r.state.Account.Run().Started))
	}
	return s
}

// Once returns the present state, for a reader without a screen, in lines of at most width columns.
//
// Errors: the record does not exist, ends within its head, or cannot be read.
func Once(ctx context.Context, o Options, width int) ([]string, error) {
	r := newReader(o.Path)
	defer r.follower.Close()
	if _, err := ledger.Locate(o.Path); err != nil {
		return nil, err
	}
	if err := r.readAll(ctx); err != nil {
		return nil, err
	}
	source := r.source(time.Now())
	switch {
	case !r.state.Begun() && source.Cut:
		return nil, fmt.Errorf("%s: the record ends within its first line: the run ended early, or is about to begin", source.Name)
	case !r.state.Begun():
		return nil, fmt.Errorf("%s: the file is empty; expected the record of a run", source.Name)
	}
	if err := r.follower.decoder.Damage(); err != nil {
		r.state.Trouble(err)
	}
	return Snapshot(r.state, source, View{Table: o.Table, Whole: true}, width, o.Unicode, o.Color), nil
}

// readAll reads all entries. A last line without an end may be just being written: readAll
// waits a moment for the rest of it.
func (r *reader) readAll(ctx context.Context) error {
	const moments, moment = 5, 100 * time.Millisecond
	for left := moments; ; {
		more, err := r.look()
		switch {
		case err != nil:
			return err
		case more:
			continue
		case !r.follower.Partial() || left == 0:
			return nil
		}
		left--
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(moment):
		}
	}
}
