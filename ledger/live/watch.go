package live

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// Options say what to show and how.
type Options struct {
	Path     string // the record, or the directory that has it or will
	Table    string // one of Tables, to begin with
	Interval time.Duration
	Color    bool
	Unicode  bool
}

// Ended is the error of a view that a signal has ended.
type Ended struct{ Signal syscall.Signal }

func (e Ended) Error() string { return fmt.Sprintf("ended by signal %d (%v)", int(e.Signal), e.Signal) }

// Interactive tells whether Watch can be used with these files.
func Interactive(in, out *os.File) bool { return interactive(in, out) }

// Unicode tells whether the locale has characters beyond ASCII.
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
	Options
	*reader
	terminal *Terminal
	view     View
	page     int
	keyboard keyboard
}

// Watch shows the run on a terminal until the user has seen enough. The terminal
// is left as it was, however Watch ends.
//
// Errors: those of Follower.Look, ctx's, and Ended.
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
	defer w.follower.Close()
	return w.loop(ctx, signals)
}

// loop looks at the record now and then, and at keys and signals when they come.
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

// look reads a part of what is new, and says when to read on.
func (w *watcher) look() (time.Duration, error) {
	if w.view.Paused {
		return w.Interval, nil
	}
	more, err := w.reader.look()
	if more {
		return 0, err
	}
	return w.Interval, err
}

func (w *watcher) draw() error {
	size, ok := sizeOf(w.terminal.out)
	if !ok {
		return nil
	}
	p := Frame(w.state, w.source(time.Now()), w.view, size, w.Unicode, w.Color)
	w.view.Scroll, w.page = p.Scroll, p.Page
	return w.terminal.show(p.Lines)
}

// typed takes what was typed, and tells whether that means the end.
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

// signal does what a signal asks for; the error ends the view.
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

// reader reads a record into a state.
type reader struct {
	follower *Follower
	state    *State
	wait     string
}

func newReader(path string) *reader { return &reader{follower: Follow(path), state: new(State)} }

// mostAtOnce is how many entries are read between looks at keys.
const mostAtOnce = 2000

// look reads a part of what is new, and tells whether there is more.
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

// source says what is known of the record at a time.
func (r *reader) source(now time.Time) Source {
	s := Source{Name: r.follower.Name(), Wait: r.wait, Partial: r.follower.Partial()}
	if changed := r.follower.Changed(); !changed.IsZero() {
		s.Age = max(0, now.Sub(changed))
		s.Wall = max(0, changed.Sub(r.state.Book.Run.Started))
	}
	return s
}

// Once is what there is to be seen now, for a reader without a screen, in lines
// of at most width columns.
//
// Errors: there is no record, or it cannot be read; for one that ends within a
// line both the lines and an error are returned.
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
	case !r.state.Begun() && source.Partial:
		return nil, fmt.Errorf("%s: the record ends within its first line", source.Name)
	case !r.state.Begun():
		return nil, fmt.Errorf("%s: the file is empty; expected the record of a run", source.Name)
	}
	lines := Snapshot(r.state, source, View{Table: o.Table, Whole: true}, width, o.Unicode, o.Color)
	if source.Partial {
		return lines, fmt.Errorf("%s: the record ends within a line; what follows is missing", source.Name)
	}
	return lines, nil
}

// readAll reads what there is. A line that is not whole may be just being
// written: it has a moment to be completed.
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
