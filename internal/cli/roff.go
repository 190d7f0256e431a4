package cli

import (
	"strings"
	"time"
)

// title begins a manual page in the macros of man(7).
func (r *script) title(name string, date time.Time, source string) {
	r.line(".TH ", strings.ToUpper(name), " 1 ", date.UTC().Format(time.DateOnly), ` "`, escaped(source), `"`)
}

func (r *script) section(name string) {
	r.line(`.SH "`, strings.ToUpper(name), `"`)
}

// text writes a paragraph in short lines. The text has been escaped.
func (r *script) text(text string) {
	for _, line := range Wrap(text, lineWidth) {
		r.line(protected(line))
	}
}

// about writes the blocks of an About.
func (r *script) about(text string) {
	for i, part := range blocksOf(text) {
		if i > 0 {
			r.line(".PP")
		}
		if !part.kept {
			r.text(escaped(strings.Join(part.lines, " ")))
			continue
		}
		r.line(".nf")
		for _, line := range part.lines {
			r.line(protected(escaped(line)))
		}
		r.line(".fi")
	}
}

// escaped returns text without commands of roff, wherever its words stand in a line except
// the first column: see protected.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
}

// protected is a line that does not begin as requests do.
func protected(line string) string {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}
