package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live"
)

// watched is a run that goes on, and its progress by its record. Each line of the record is
// read once, because reading takes time from the measured run.
type watched struct {
	*live.Follower
	launcher *exec.Cmd
	stop     func()        // ends it, and only its own processes
	patience time.Duration // without news
	started  time.Time
	said     bytes.Buffer  // by the launcher and the program; whole once all is over
	over     chan struct{} // closed when the launcher has ended
	err      error         // of the launcher, then

	news  time.Time // when the record has last grown
	begun bool      // the record's head is there
	ended bool      // and its end
	last  int       // superstep in it
}

// start starts a launcher that keeps a record, and that stop ends, and watches it.
func start(launcher *exec.Cmd, record string, patience time.Duration, stop func()) (*watched, error) {
	now := time.Now()
	w := &watched{
		Follower: live.Follow(record), launcher: launcher, stop: stop, patience: patience, started: now, news: now, over: make(chan struct{}),
	}
	launcher.Stdout, launcher.Stderr = &w.said, &w.said
	if err := launcher.Start(); err != nil {
		stop()
		return nil, err
	}
	go func() {
		w.err = launcher.Wait()
		close(w.over)
	}()
	return w, nil
}

// end ends the run if it goes on, and waits for that.
func (w *watched) end() {
	w.stop()
	<-w.over
	w.Close()
}

// failed ends the run, and returns an error with its output.
func (w *watched) failed(err error) error {
	took := time.Since(w.started).Round(time.Second)
	w.stop()
	<-w.over
	return fmt.Errorf("%w after %v\n%s", err, took, w.said.Bytes())
}

// look reads new entries. Mistakes in the record show when the run is over and all of it is
// read.
//
// Errors: no entry has come for too long.
func (w *watched) look() error {
	w.Look(math.MaxInt, func(entry ledger.Entry) {
		w.news = time.Now()
		switch entry := entry.(type) {
		case *ledger.Run:
			w.begun = true
		case *ledger.Step:
			w.last = entry.Last
		case *ledger.End:
			w.ended = true
		}
	}, func(error) {})
	if still := time.Since(w.news); still > w.patience && !w.ended {
		return fmt.Errorf("%w: its record ends at superstep %d and has not grown for %v (-patience)", errStill, w.last, w.patience)
	}
	return nil
}

var (
	errStill = errors.New("the run hangs")                     // by its record
	errOver  = errors.New("the run was over before the event") // that was to happen in it
)

// await waits until a superstep is in the record, and returns how long after the
// program's begin that is.
func (w *watched) await(ctx context.Context, step int) (time.Duration, error) {
	var begun time.Time
	for {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-w.over:
			return 0, errors.Join(errOver, w.err)
		case <-time.After(20 * time.Millisecond):
		}
		if err := w.look(); err != nil {
			return 0, err
		}
		if w.begun && begun.IsZero() {
			begun = time.Now()
		}
		if w.begun && w.last >= step {
			return time.Since(begun), nil
		}
	}
}

// lingerLimit is how long a launcher may go on after its program has ended. Then it is
// interrupted: Open MPI's was once seen to linger.
const lingerLimit = 20 * time.Second

// finish waits for the end of the run.
func (w *watched) finish(ctx context.Context) error {
	for {
		lingers := w.ended && time.Since(w.news) > lingerLimit
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.over:
			if lingers {
				return nil
			}
			return w.err
		case <-time.After(200 * time.Millisecond):
		}
		if lingers {
			w.launcher.Process.Signal(os.Interrupt)
		}
		if err := w.look(); err != nil {
			return err
		}
	}
}
