package ledger

import (
	"fmt"
	"os"

	"golang.org/x/term"
)

// Look is how text is laid out for what shows it. The zero value is plain text
// of any width.
type Look struct {
	Width int  // columns; 0 where lines may have any length
	Color bool // escape sequences for bold and colours may be used
}

// Colors are the values of the setting that says whether to use colours.
var Colors = []string{"auto", "always", "never"}

// LookOf is how to print on a file. A pseudo-terminal without a size, as
// launchers give their ranks, is no terminal: nobody sees it.
func LookOf(f *os.File, color string) Look {
	var look Look
	if width, height, err := term.GetSize(int(f.Fd())); err == nil && height > 0 {
		look.Width = width
	}
	switch color {
	case "always":
		look.Color = true
	case "never":
	default:
		look.Color = look.Width > 0 && os.Getenv("TERM") != "dumb" && os.Getenv("NO_COLOR") == "" && os.Getenv("SLURM_JOB_ID") == ""
	}
	return look
}

// bold and alarm mark words: headings, and what needs attention.
func (l Look) bold(s string) string  { return l.paint("1", s) }
func (l Look) alarm(s string) string { return l.paint("1;33", s) }

// plain marks nothing.
func plain(s string) string { return s }

func (l Look) paint(code, s string) string {
	if !l.Color {
		return s
	}
	return fmt.Sprintf("\x1b[%sm%s\x1b[0m", code, s)
}
