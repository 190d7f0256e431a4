package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

// printAs prints one value in a format of formatFlag.
func printAs(streams cli.Streams, format string, value any, table func() string) error {
	if format == "json" {
		return ledger.WriteJSON(streams.Out, value)
	}
	return streams.Print(table())
}

// writeLines prints lines as JSON, a single one without a list around it.
func writeLines[L any](w io.Writer, lines []L) error {
	if len(lines) == 1 {
		return ledger.WriteJSON(w, lines[0])
	}
	return ledger.WriteJSON(w, lines)
}

// table is a table in the making.
type table struct {
	heads []string
	words []int // its first columns, whose cells are words
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// distinguish puts a column in front of the others, unless all its cells are the same.
func (t *table) distinguish(name string, cell func(row int) string) {
	var cells []string
	for i := range t.rows {
		cells = append(cells, cell(i))
	}
	if len(slices.Compact(slices.Clone(cells))) < 2 {
		return
	}
	t.heads, t.words = slices.Insert(t.heads, 0, name), append(t.words, len(t.words))
	for i := range t.rows {
		t.rows[i] = slices.Insert(t.rows[i], 0, cells[i])
	}
}

// factsText returns a table of names and texts, wrapped to the width of a page.
func factsText(facts [][2]string) string {
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
	return text.Rows([]string{"what", "found"}, rows, 0, 1)
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

// output writes to the file that the user has named, - being the standard output, or else to
// the usual one, and returns its name.
func output(out io.Writer, named, usual string, write func(io.Writer) error) (file string, err error) {
	switch named {
	case "-":
		return "", write(out)
	case "":
		return usual, replace(usual, write)
	}
	return named, writeWhole(named, write)
}

// writeWhole writes a file completely or not at all: readers see the old one or the new one. A pipe
// or a device, which the user has named, is written to directly.
func writeWhole(name string, write func(io.Writer) error) error {
	if is, err := os.Stat(name); err == nil && !is.Mode().IsRegular() { // a pipe or a device
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	return replace(name, write)
}

// replace is writeWhole for a name that the user has not given, in a directory that may belong to
// another user: a link or a pipe there is removed, not written to.
func replace(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// openInBrowser opens a file with the system's program for pages.
func openInBrowser(file string) error {
	opener := "xdg-open"
	switch runtime.GOOS {
	case "darwin":
		opener = "open"
	case "windows":
		opener = "explorer"
	}
	if err := exec.Command(opener, file).Run(); err != nil {
		return fmt.Errorf("the page is written, but cannot be opened: %s %s: %w", opener, file, err)
	}
	return nil
}
