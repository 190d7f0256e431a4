package ledger

import (
	"fmt"
	"os"

	"golang.org/x/term"
)

// Display describes the screen or file that text is written for. The zero value is
// plain text of any width.
type Display struct {
	Width int  // columns; 0 where lines may have any length
	Color bool // escape sequences for bold and colours may be used
}

// Colors are the values of the setting that says whether to use colours.
var Colors = []string{"auto", "always", "never"}

// DisplayOf returns the display of a file, with colors as the setting color asks. A
// pseudo-terminal without a size, as launchers give their ranks, counts as a file:
// what is written there is not seen as it comes.
func DisplayOf(f *os.File, color string) Display {
	var display Display
	if width, height, err := term.GetSize(int(f.Fd())); err == nil && height > 0 {
		display.Width = width
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

// bold and alarm mark words: headings, and what needs attention.
func (d Display) bold(s string) string  { return d.paint("1", s) }
func (d Display) alarm(s string) string { return d.paint("1;33", s) }

// plain marks nothing.
func plain(s string) string { return s }

func (d Display) paint(code, s string) string {
	if !d.Color {
		return s
	}
	return fmt.Sprintf("\x1b[%sm%s\x1b[0m", code, s)
}
