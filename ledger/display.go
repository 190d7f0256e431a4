package ledger

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Display describes the screen or file that text is written for. The zero value is
// plain text of any width.
type Display struct {
	Width  int  // columns; 0 where lines may have any length
	Height int  // lines; 0 where nothing is a screen
	Color  bool // escape sequences for bold and colours may be used
}

// Colors are the values of the setting of colours.
var Colors = []string{"auto", "always", "never"}

// DisplayOf returns the display of a file, with colours as the setting color asks. A
// pseudo-terminal without a size, as launchers give their ranks, counts as a file:
// what is written there is not seen as it comes.
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

// bold, alarm and loss mark words: headings, what needs attention, and a loss.
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

// Printable is text that may come from anywhere, such as the name of a host or of a
// program, without what could steer a terminal or change the direction of the text around.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
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

// sentence prints running text, indented, in as many lines as it needs; paint
// marks each.
func (out *printer) sentence(display Display, paint func(string) string, format string, args ...any) {
	width := display.Width
	if width <= 0 || width > usualWidth {
		width = usualWidth
	}
	text := Printable(fmt.Sprintf(format, args...))
	line := " " + text[:len(text)-len(strings.TrimLeft(text, " "))]
	next := line + "  "
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			out.line("%s", paint(line))
			line = next
		case i > 0:
			line += " "
		}
		line += word
	}
	out.line("%s", paint(line))
}

// narrow reports whether there is no room for two things beside each other.
func (d Display) narrow() bool { return d.Width > 0 && d.Width < usualWidth }

// pairs lays out names and values, in two columns where there is room; a value that
// is too long has a line of its own.
func pairs(display Display, facts []Detail) (lines []string) {
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
		text := Printable(fmt.Sprintf(" %-*s = %s", name, f.Name, f.Value))
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
