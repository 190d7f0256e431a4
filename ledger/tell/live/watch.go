package live

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Ended is the error of a view that a signal has ended.
type Ended struct{ Signal syscall.Signal }

// Error names the signal.
func (e Ended) Error() string { return fmt.Sprintf("ended by signal %d (%v)", int(e.Signal), e.Signal) }

// Unicode reports whether the locale has characters beyond ASCII.
func Unicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			value = strings.ToLower(value)
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// watcher shows a run on a terminal.
type watcher struct {
	Options  Options
	reader   *reader
	terminal *Terminal
	view     View
	page     int
	keyboard keyboard
}

// Watch shows the run on a terminal until the user quits. It restores the terminal in all cases,
// also on a panic.
//
// Errors: an error of Follower.Look, ctx's, or Ended.
func Watch(ctx context.Context, in, out *os.File, o Options) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, handled...)
	defer signal.Stop(signals)
	t, err := openTerminal(in, out)
	if err != nil {
		return err
	}
	defer t.give()
	w := &watcher{Options: o, reader: newReader(o.Path), terminal: t, view: View{Table: o.Table}}
	defer w.reader.follower.Close()
	return w.loop(ctx, signals)
}

// loop reads the record at intervals, and keys and signals when they come.
func (w *watcher) loop(ctx context.Context, signals <-chan os.Signal) error {
	due := time.NewTimer(0)
	keys := w.terminal.keys
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s := <-signals:
			if err := w.signal(s, signals); err != nil {
				return err
			}
		case b, open := <-keys:
			if !open {
				return Ended{syscall.SIGHUP}
			}
			if w.typed(b) {
				return nil
			}
		case <-due.C:
			pause, err := w.look()
			if err != nil {
				return err
			}
			due.Reset(pause)
		}
		if err := w.draw(); err != nil {
			return err
		}
	}
}

// look reads a part of the new entries, and returns the time until the next look.
func (w *watcher) look() (time.Duration, error) {
	if w.view.Paused {
		return w.Options.Interval, nil
	}
	more, err := w.reader.look()
	if more {
		return 0, err
	}
	return w.Options.Interval, err
}

func (w *watcher) draw() error {
	size, ok := sizeOf(w.terminal.out)
	if !ok {
		return nil
	}
	p := Frame(w.reader.state, w.reader.source(time.Now()), w.view, size, w.Options.Unicode, w.Options.Color)
	w.view.Scroll, w.page = p.Scroll, p.Page
	return w.terminal.show(p.Lines)
}

// typed handles typed bytes, and reports whether they end the view.
func (w *watcher) typed(b []byte) bool {
	for _, k := range w.keyboard.keys(b) {
		switch k {
		case 'q', 'Q', interrupt:
			return true
		case redraw:
			w.terminal.screen.forget()
		case suspend:
			stopAll()
		default:
			w.view.press(k, w.page)
		}
	}
	return false
}

// signal handles a signal; an error ends the view.
func (w *watcher) signal(s os.Signal, signals <-chan os.Signal) error {
	switch {
	case isResize(s):
		w.terminal.screen.forget()
	case isStop(s):
		w.terminal.give()
		end := stopSelf(signals)
		if err := w.terminal.take(); end == nil || err != nil {
			return err
		}
		return w.signal(end, signals)
	case isContinue(s):
		return w.terminal.take()
	default:
		number, _ := s.(syscall.Signal)
		return Ended{number}
	}
	return nil
}
