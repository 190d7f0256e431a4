package app

import (
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"github.com/migbsp/migbsp/ledger/tell/text"
)

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

// progress is where the run says how far it is: in place on a terminal that can do that and
// has nothing else to show meanwhile, else in lines.
func (app *application) progress() io.Writer {
	term := os.Getenv("TERM")
	if term == "" || term == "dumb" || text.DisplayOf(os.Stderr, "never").Width == 0 || app.flags.why || app.flags.streams() {
		return struct{ io.Writer }{&app.console}
	}
	return &app.console
}
