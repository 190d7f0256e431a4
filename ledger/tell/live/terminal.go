package live

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// Terminal is a terminal controlled by one program: it shows pictures and returns keys when they
// are pressed.
type Terminal struct {
	in, out *os.File
	before  *term.State
	screen  screen
	keys    chan []byte
}

// Interactive reports whether Watch can be used with these files: whether out is a screen and in
// has keys. A pseudo-terminal without a size, as MPI launchers give their ranks, is not a screen; a
// dumb terminal cannot position text.
func Interactive(in, out *os.File) bool {
	_, sized := sizeOf(out)
	return sized && term.IsTerminal(int(in.Fd())) && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != ""
}

// sizeOf returns the size of a terminal, false if it is none or has none.
func sizeOf(f *os.File) (Size, bool) {
	width, height, err := term.GetSize(int(f.Fd()))
	return Size{width, height}, err == nil && width > 0 && height > 0
}

// openTerminal takes the terminal, until close.
func openTerminal(in, out *os.File) (*Terminal, error) {
	t := &Terminal{in: in, out: out, keys: make(chan []byte)}
	before, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("the terminal: %w", err)
	}
	t.before = before
	if err := t.take(); err != nil {
		return nil, err
	}
	go t.listen()
	return t, nil
}

// take is also called when the terminal was given back, or another program has
// changed it.
func (t *Terminal) take() error {
	if _, err := term.MakeRaw(int(t.in.Fd())); err != nil {
		return fmt.Errorf("the terminal: %w", err)
	}
	t.screen.forget()
	return t.write(takeScreen)
}

// give leaves the terminal as it was found.
func (t *Terminal) give() {
	t.write(giveScreen)
	term.Restore(int(t.in.Fd()), t.before)
}

// show puts lines on the screen.
func (t *Terminal) show(lines []string) error {
	if text := t.screen.change(lines); text != "" {
		return t.write(text)
	}
	return nil
}

func (t *Terminal) write(text string) error {
	_, err := t.out.WriteString(text)
	return err
}

// listen sends the keys that are typed, until the terminal is closed.
func (t *Terminal) listen() {
	defer close(t.keys)
	for {
		b := make([]byte, 256)
		n, err := t.in.Read(b)
		if n > 0 {
			t.keys <- b[:n]
		}
		if err != nil || n == 0 {
			return
		}
	}
}

// Sequences that take a screen for oneself and give it back: the alternate
// screen, no cursor, lines cut at the edge.
const (
	takeScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	giveScreen = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// screen remembers the text of a terminal, so that only changes are written.
type screen struct {
	lines []string
	known bool
}

// forget has all lines written the next time.
func (s *screen) forget() { s.known = false }

// change returns the bytes that, written at once, make the screen show the lines.
func (s *screen) change(lines []string) string {
	var b strings.Builder
	if !s.known || len(lines) != len(s.lines) {
		b.WriteString("\x1b[0m\x1b[2J")
		s.lines = make([]string, len(lines))
	}
	for i, l := range lines {
		if l == s.lines[i] {
			continue
		}
		fmt.Fprintf(&b, "\x1b[%d;1H\x1b[K%s", i+1, l)
	}
	s.lines, s.known = append(s.lines[:0], lines...), true
	return b.String()
}
