package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

// formatFlag defines the flag -format.
func formatFlag(flags *flag.FlagSet) *string {
	return cli.Choice(flags, "format", "how to print", "table", "json")
}

// writeJSON prints one value.
func writeJSON(w io.Writer, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// writeFacts prints names and what is to be said of them, which is wrapped to
// the width of a page.
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
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T"} {
		if x < 999.5 {
			break
		}
		x, prefix = x/1000, p
	}
	return fmt.Sprintf("%.3g %s%s", x, prefix, unit)
}

// dash stands where nothing is known.
func dash(text string) string {
	if strings.TrimSpace(text) == "" {
		return "-"
	}
	return text
}
