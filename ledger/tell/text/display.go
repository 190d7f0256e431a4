// Package text prints the account of a run for people, and its tables for programs too: the
// end of a run, the table of supersteps while it runs, and any other table.
package text

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/migbsp/migbsp/ledger"
)

// Display describes the screen or file that text is written for. The zero value is
// plain text of any width.
type Display struct {
	Width  int  // columns; 0 where lines may have any length
	Height int  // lines; 0 if it is not a screen
	Color  bool // escape sequences for bold and colours may be used
}

// Colors are the values of the setting of colours.
var Colors = []string{"auto", "always", "never"}

// DisplayOf returns the display of a file, with colours as the setting color asks. A
// pseudo-terminal without a size, as launchers give their ranks, counts as a file: its text
// is not seen at once.
func DisplayOf(f *os.File, color string) Display {
	var display Display
	if width, height, err := term.GetSize(int(f.Fd())); err == nil && height > 0 {
		display.Width, display.Height = width, height
	}
	switch color {
	case "always":
		display.Color = true
	case "never":
	default:
		display.Color = display.Width > 0 && os.Getenv("TERM") != "dumb" && os.Getenv("NO_COLOR") == "" && os.Getenv("SLURM_JOB_ID") == ""
	}
	return display
}

// bold, alarm and loss mark headings, warnings, and losses.
func (d Display) bold(s string) string  { return d.paint("1", s) }
func (d Display) alarm(s string) string { return d.paint("1;33", s) }
func (d Display) loss(s string) string  { return d.paint("1;31", s) }

// plain leaves words unmarked.
func plain(s string) string { return s }

func (d Display) paint(code, s string) string {
	if !d.Color {
		return s
	}
	return fmt.Sprintf("\x1b[%sm%s\x1b[0m", code, s)
}

// printer prints lines and remembers the first error.
type printer struct {
	w   io.Writer
	err error
}

func (out *printer) line(format string, args ...any) {
	if out.err == nil {
		_, out.err = fmt.Fprintf(out.w, format+"\n", args...)
	}
}

// usualWidth is the length of lines of running text where the width is not known.
const usualWidth = 80

// breadth returns the length of lines of running text.
func (d Display) breadth() int {
	if d.Width <= 0 || d.Width > usualWidth {
		return usualWidth
	}
	return d.Width
}

// sentence prints running text, indented, in the lines that it needs; paint marks each.
func (out *printer) sentence(display Display, paint func(string) string, format string, args ...any) {
	text := ledger.Printable(fmt.Sprintf(format, args...))
	indent := " " + text[:len(text)-len(strings.TrimLeft(text, " "))]
	for _, line := range Wrapped(text, display.breadth(), indent, indent+"  ") {
		out.line("%s", paint(line))
	}
}

// Wrapped breaks running text into lines of at most width characters; a longer word has a
// line to itself. first begins the first line, next all others.
func Wrapped(text string, width int, first, next string) (lines []string) {
	line, n := first, utf8.RuneCountInString(first)
	for i, word := range strings.Fields(text) {
		long := utf8.RuneCountInString(word)
		switch {
		case i > 0 && n+1+long > width:
			lines = append(lines, line)
			line, n = next, utf8.RuneCountInString(next)
		case i > 0:
			line += " "
			n++
		}
		line += word
		n += long
	}
	return append(lines, line)
}

// narrow reports whether the lines are too short for two columns.
func (d Display) narrow() bool { return d.Width > 0 && d.Width < usualWidth }

// pairs lays out names and values, in two columns if they fit; a long value has a line to itself.
func pairs(display Display, facts []ledger.Detail) (lines []string) {
	const name = 18
	half := 42
	if display.narrow() {
		half = 0
	}
	line := ""
	for _, f := range facts {
		if f.Value == "" {
			continue
		}
		text := ledger.Printable(fmt.Sprintf(" %-*s = %s", name, f.Name, f.Value))
		switch {
		case line == "":
			line = text
		case utf8.RuneCountInString(line) < half && utf8.RuneCountInString(text) <= usualWidth-half:
			lines = append(lines, fmt.Sprintf("%-*s%s", half, line, text))
			line = ""
		default:
			lines = append(lines, line)
			line = text
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
