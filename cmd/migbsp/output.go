package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

// formatFlag defines the flag -format.
func formatFlag(flags *flag.FlagSet) *string {
	return cli.Choice(flags, "format", "how to print", "table", "json")
}

// writeJSON prints one value.
func writeJSON(w io.Writer, value any) error { return ledger.WriteJSON(w, value) }

// writeFacts prints names and texts, wrapped to the width of a page.
func writeFacts(w io.Writer, facts [][2]string) error {
	const width = 62
	var rows [][]string
	for _, f := range facts {
		for i, line := range cli.Wrap(f[1], width) {
			name := f[0]
			if i > 0 {
				name = ""
			}
			rows = append(rows, []string{name, line})
		}
	}
	return text.WriteRows(w, []string{"what", "found"}, rows, 0, 1)
}

// seconds prints a time with three digits and a unit.
func seconds(s float64) string { return ledger.Seconds(time.Duration(s * float64(time.Second))) }

// scaled prints a number with three digits and a prefix of its unit.
func scaled(x float64, unit string) string {
	x, prefix := tell.Scaled(x, 999.5)
	return fmt.Sprintf("%.3g %s%s", x, prefix, unit)
}

// dash returns text, or a dash if it is empty.
func dash(text string) string {
	if strings.TrimSpace(text) == "" {
		return "-"
	}
	return text
}
