package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/migbsp/migbsp/sim"
)

// progress shows the progress of simulating: on a terminal in a line that changes, else in a line
// now and then.
type progress struct {
	cases       int64  // in all
	parts       int64  // of all cases
	of          string // name of the parts
	ended, done atomic.Int64
}

// counted is a workload whose supersteps count as done when they are asked for.
type counted struct {
	sim.Workload
	done *atomic.Int64
}

func (c counted) Fill(step int, s *sim.Step) error {
	c.done.Add(1)
	return c.Workload.Fill(step, s)
}

// line returns the text after some time.
func (p *progress) line(after time.Duration) string {
	part := float64(p.done.Load()) / float64(max(1, p.parts))
	text := fmt.Sprintf("%d of %d simulated, %.0f%% of the %s", p.ended.Load(), p.cases, 100*part, p.of)
	if part > 0.01 && part < 1 {
		left := time.Duration(float64(after) * (1 - part) / part)
		text += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	return text
}

// bar returns a picture of the part that is done.
func (p *progress) bar(width int) string {
	full := int(float64(width) * float64(p.done.Load()) / float64(max(1, p.parts)))
	full = max(0, min(width, full))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

// The times between texts on a terminal, and elsewhere.
const (
	progressOften = 200 * time.Millisecond
	progressSome  = 30 * time.Second
	progressBar   = 24
)

// tell begins to write to w; the returned function ends it, and clears the line on a
// terminal.
func (p *progress) tell(w io.Writer) (end func()) {
	f, isFile := w.(*os.File)
	terminal := isFile && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
	every := progressSome
	if terminal {
		every = progressOften
	}
	ticks, over, ended := time.NewTicker(every), make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		for {
			select {
			case now := <-ticks.C:
				line := p.line(now.Sub(began))
				if terminal {
					fmt.Fprintf(w, "\r%s %s\x1b[K", p.bar(progressBar), line)
				} else {
					fmt.Fprintf(w, "migbsp simulate: %s\n", line)
				}
			case <-over:
				if terminal {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() {
		ticks.Stop()
		close(over)
		<-ended
	}
}
