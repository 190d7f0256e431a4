package launch

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/migbsp/migbsp/internal/loss"
)

// An Outcome is the end of a run.
type Outcome struct {
	Code   int        // the exit code
	Loss   *loss.Loss // nil if no rank was lost
	Ran    bool       // ranks have run
	Killed bool       // signal 9 has ended the launcher, which was not asked to end
	Asked  bool       // a signal has asked the run to end
}

// Time limits for a launcher to end after the loss of a rank: until it is asked to, and then until
// it is killed. Watchers ask ranks to end before the loss is known here.
const (
	leaving   = time.Second
	insisting = 3 * time.Second
)

// reporting is the time that the watchers of the ranks may take to report a loss after the launcher
// has ended. They find a host that is cut off after 10 s, and after 16 s in runs on many hosts.
const reporting = 20 * time.Second

// listener passes on the output of a launcher and its ranks. After a loss it drops the rest, which
// is the launcher's own, often many lines about its internals.
type listener struct {
	to     io.Writer
	goesOn bool     // the run goes on by itself, so that a loss has no advice
	own    []string // beginnings of the launcher's own lines, which are held until it has ended

	mu     sync.Mutex
	begun  []byte // of a line that may become one of these
	within kind   // the kind of the current line, once that is known
	held   []byte
	shown  []byte     // the end of the output passed on
	lost   *loss.Loss // nil if no rank was lost
}

// kind is the kind of a line.
type kind int

const (
	undecided kind = iota
	ofRanks
	ofLauncher
)

// Limits of a listener's buffers, in bytes.
const (
	maxHeld  = 64 << 10
	maxShown = 64 << 10 // longer than the line of a loss
)

func (l *listener) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return len(text), nil
	}
	if len(l.own) == 0 {
		return len(text), l.pass(text)
	}
	for rest := text; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		part := rest[:end]
		if end == 0 {
			part = rest
		}
		rest = rest[len(part):]
		if err := l.take(part, end > 0); err != nil {
			return len(text) - len(rest), err
		}
	}
	return len(text), nil
}

// take takes a part of a line, which may end it.
func (l *listener) take(part []byte, ends bool) error {
	if l.within == undecided {
		l.begun = append(l.begun, part...)
		part = l.begun
		switch {
		case slices.ContainsFunc(l.own, func(own string) bool { return strings.HasPrefix(string(part), own) }) && len(l.held) < maxHeld:
			l.within = ofLauncher
		case !ends && slices.ContainsFunc(l.own, func(own string) bool { return strings.HasPrefix(own, string(part)) }):
			return nil
		default:
			l.within = ofRanks
		}
		l.begun = nil
	}
	within := l.within
	if ends {
		l.within = undecided
	}
	if within == ofLauncher {
		l.held = append(l.held, part...)
		return nil
	}
	return l.pass(part)
}

func (l *listener) pass(text []byte) error {
	l.shown = append(l.shown, text...)
	if extra := len(l.shown) - maxShown; extra > maxShown {
		l.shown = slices.Clone(l.shown[extra:])
	}
	_, err := l.to.Write(text)
	return err
}

// report prints a loss, unless the ranks' watcher has printed the line, and drops all further
// output.
func (l *listener) report(of *loss.Loss) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return
	}
	l.lost = of
	text := of.Line() + "\n"
	if l.goesOn {
		text = of.Program + ": " + of.Cause() + "\n"
	}
	if bytes.Contains(l.shown, []byte(text)) {
		return
	}
	if n := len(l.shown); n > 0 && l.shown[n-1] != '\n' {
		text = "\n" + text
	}
	io.WriteString(l.to, text)
}

// finish prints the held lines, unless a rank was lost.
func (l *listener) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil {
		l.to.Write(append(l.held, l.begun...))
	}
	l.held, l.begun = nil, nil
}

func (l *listener) loss() *loss.Loss {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}
