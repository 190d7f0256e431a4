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

// messages prints all output except the result, on the standard error.
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

// refuse prints an error that ends the program early, in one line, or in one line for each mistake of
// a file. All ranks have the same error.
func (m *messages) refuse(code int, err error) int {
	for line := range strings.SplitSeq(settings.Plain(err), "\n") {
		if !strings.HasPrefix(line, "\t") { // a continuation of the line above
			line = m.name + ": " + line
		}
		fmt.Fprintln(m.stderr(), line)
	}
	return code
}

func (m *messages) warn(text string) {
	fmt.Fprintf(m.stderr(), "%s: warning: %s\n", m.name, text)
}

// advise prints advice. Unlike a warning, advice concerns a correct run.
func (m *messages) advise(text string) {
	fmt.Fprintf(m.stderr(), "%s: %s\n", m.name, text)
}

// ErrReported ends a program, or a section of one, whose error rank 0 has already printed.
var ErrReported = errors.New("the settings do not fit, as the standard error says")

// console is the standard error. On a terminal its last line shows progress in place; the line is
// erased before any other output is written. The zero value is ready for use by several goroutines.
//
// The program's own output does not pass through the console. It overwrites the line, because the
// cursor is at its beginning, and the engine erases the line before the last barrier of a loop of
// stages.
type console struct {
	mu     sync.Mutex
	shown  bool
	closed bool
}

// Write erases the line and writes b.
func (c *console) Write(b []byte) (int, error) {
	c.Erase()
	return os.Stderr.Write(b)
}

// Show shows the line, cut to the width of the terminal. It has no effect while another program is in
// the foreground, such as the shell that has started this program with &.
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

// Erase erases the line.
func (c *console) Erase() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown {
		c.shown = false
		io.WriteString(os.Stderr, eraseLine)
	}
}

// close erases the line, and keeps Show from showing another one.
func (c *console) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.Erase()
}
