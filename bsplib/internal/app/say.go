package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

// messages are what the program prints beside its result.
type messages struct {
	name    string // of the program
	lead    bool   // rank 0 is a rank of this Go program
	console console
}

func (m *messages) stdout() io.Writer { return m.onLead(os.Stdout) }
func (m *messages) stderr() io.Writer { return m.onLead(&m.console) }

func (m *messages) onLead(w io.Writer) io.Writer {
	if m.lead {
		return w
	}
	return io.Discard
}

// refuse reports what keeps the program from starting, in a line, or in one for each
// mistake of a file; all ranks find the same.
func (m *messages) refuse(code int, err error) int {
	for line := range strings.SplitSeq(settings.Plain(err), "\n") {
		if !strings.HasPrefix(line, "\t") { // as what belongs to the line above does
			line = m.name + ": " + line
		}
		fmt.Fprintln(m.stderr(), line)
	}
	return code
}

func (m *messages) warn(text string) {
	fmt.Fprintf(m.stderr(), "%s: warning: %s\n", m.name, text)
}

// advise prints advice, which is no warning: the run is right as it is.
func (m *messages) advise(text string) {
	fmt.Fprintf(m.stderr(), "%s: %s\n", m.name, text)
}

// ErrReported is what ends a program or a section of one for something that has been printed, on
// rank 0.
var ErrReported = errors.New("the settings do not fit, as the standard error says")

// console is the standard error. Its last line on a terminal says how far the run is, in
// place, and is gone before anything else is written. The zero value is ready for use by
// several goroutines.
//
// What a program prints itself does not come through here: the cursor stands at the beginning
// of the line, and the engine erases it before the last barrier of a loop of stages.
type console struct {
	mu     sync.Mutex
	shown  bool
	closed bool
}

// Write writes b in place of the line.
func (c *console) Write(b []byte) (int, error) {
	c.Erase()
	return os.Stderr.Write(b)
}

// Show has the text of the line, as far as the terminal is wide. Where another program has the
// terminal, as a shell that this one was started from with &, nothing is shown.
func (c *console) Show(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	width := text.DisplayOf(os.Stderr, "never").Width
	if c.closed || width < 2 || !foreground(os.Stderr) {
		return
	}
	if utf8.RuneCountInString(line) >= width {
		line = string([]rune(line)[:width-1]) // a full line would wrap
	}
	c.shown = true
	io.WriteString(os.Stderr, eraseLine+line+"\r")
}

const eraseLine = "\r\x1b[K"

// Erase takes the line away.
func (c *console) Erase() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown {
		c.shown = false
		io.WriteString(os.Stderr, eraseLine)
	}
}

// close takes the line away for good.
func (c *console) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.Erase()
}
