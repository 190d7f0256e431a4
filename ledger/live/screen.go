package live

import (
	"fmt"
	"strings"
)

// Sequences that take a screen for oneself and give it back: the alternate
// screen, no cursor, lines cut at the edge.
const (
	takeScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	giveScreen = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// screen knows what stands on a terminal, so that only what changes is written.
type screen struct {
	lines []string
	known bool
}

// forget has all lines written the next time.
func (s *screen) forget() { s.known = false }

// change is what to write, at once, to have these lines on the screen.
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
