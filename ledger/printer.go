package ledger

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

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

// usualWidth is the length of lines of running text where nothing else is known.
const usualWidth = 80

// sentence prints running text, indented, in as many lines as it needs; paint
// marks each.
func (out *printer) sentence(display Display, paint func(string) string, format string, args ...any) {
	width := display.Width
	if width <= 0 {
		width = usualWidth
	}
	text := fmt.Sprintf(format, args...)
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

// narrow tells whether there is no room for two things beside each other.
func (d Display) narrow() bool { return d.Width > 0 && d.Width < usualWidth }

// pairs prints names and values, in two columns where there is room; a value that
// is too long has a line of its own.
func (out *printer) pairs(display Display, facts []Detail) {
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
		text := fmt.Sprintf(" %-*s = %s", name, f.Name, f.Value)
		switch {
		case line == "":
			line = text
		case utf8.RuneCountInString(line) < half && utf8.RuneCountInString(text) <= half:
			out.line("%-*s%s", half, line, text)
			line = ""
		default:
			out.line("%s", line)
			line = text
		}
	}
	if line != "" {
		out.line("%s", line)
	}
}
