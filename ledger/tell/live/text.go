package live

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/clipperhouse/displaywidth"

	"github.com/migbsp/migbsp/ledger"
)

// style is the meaning of a text; its colour follows from it.
type style byte

const (
	plain style = iota
	strong
	faint
	good
	warn
	bad
)

// codes are the parameters of the escape sequences of styles.
var codes = [...]string{strong: "1", faint: "2", good: "32", warn: "33", bad: "1;31"}

// chunk is text of one style.
type chunk struct {
	text string
	as   style
}

// line is a line of the screen.
type line []chunk

// text makes a line of printable text.
func text(s string, as style) line { return line{{s, as}} }

func (l line) width() int {
	sum := 0
	for _, c := range l {
		sum += widthOf(c.text)
	}
	return sum
}

// cut returns the part of the line that fits into width columns.
func (l line) cut(width int) line {
	var fits line
	for _, c := range l {
		w := widthOf(c.text)
		if w > width {
			return append(fits, chunk{shortened(c.text, width), c.as})
		}
		width -= w
		fits = append(fits, c)
	}
	return fits
}

// String returns the line without styles.
func (l line) String() string {
	var b strings.Builder
	for _, c := range l {
		b.WriteString(c.text)
	}
	return b.String()
}

// painted returns the line with escape sequences.
func (l line) painted() string {
	var b strings.Builder
	for _, c := range l {
		if c.as == plain || c.text == "" {
			b.WriteString(c.text)
			continue
		}
		fmt.Fprintf(&b, "\x1b[%sm%s\x1b[0m", codes[c.as], c.text)
	}
	return b.String()
}

// widthOf returns the number of columns that clean text takes.
func widthOf(s string) int {
	sum := 0
	for _, r := range s {
		sum += displaywidth.Rune(r)
	}
	return sum
}

// cutText returns the beginning of s that fits into width columns.
func cutText(s string, width int) string {
	for i, r := range s {
		if width -= displaywidth.Rune(r); width < 0 {
			return s[:i]
		}
	}
	return s
}

// shortened returns s, cut to width columns with a mark at the end if it is longer.
func shortened(s string, width int) string {
	if widthOf(s) <= width {
		return s
	}
	return cutText(s, width-1) + cutText("…", width)
}

// padded is s shortened or filled with blanks to width columns.
func padded(s string, width int, right bool) string {
	s = shortened(s, width)
	blanks := strings.Repeat(" ", max(0, width-widthOf(s)))
	if right {
		return blanks + s
	}
	return s + blanks
}

// clean is text of a record, which may come from anywhere, as it can be shown: in
// one line, each character of a width that all terminals agree on.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xfe00 && r <= 0xfe0f: // which change the width of the character before them
			return -1
		case !unicode.IsPrint(r), r >= 0x1f1e6 && r <= 0x1f1ff, r >= 0x1f3fb && r <= 0x1f3ff:
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// ascii replaces the characters of the line that a terminal without Unicode cannot show, at
// the same width.
func (l line) ascii() line {
	shown := make(line, len(l))
	for i, c := range l {
		var b strings.Builder
		for _, r := range c.text {
			switch {
			case r <= unicode.MaxASCII:
				b.WriteRune(r)
			case r == '…':
				b.WriteByte('~')
			default:
				b.WriteString(strings.Repeat("?", displaywidth.Rune(r)))
			}
		}
		shown[i] = chunk{b.String(), c.as}
	}
	return shown
}

// clock prints a duration as people read it off a clock, short ones with a unit.
func clock(d time.Duration) string {
	if d < time.Minute {
		return ledger.Seconds(d)
	}
	s := int64(d / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	if s < 86400 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%dd %d:%02d", s/86400, s/3600%24, s/60%60)
}

// count prints a number with its digits in groups.
func count(n int) string {
	digits := fmt.Sprint(n)
	if n < 10000 {
		return digits
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(d)
	}
	return b.String()
}
