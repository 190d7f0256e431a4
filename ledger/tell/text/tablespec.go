package text

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// A TableSpec selects a table of an account, and supersteps.
type TableSpec struct {
	Name string
	// Of the table by superstep; zeros are all.
	Every     int     // only supersteps whose number is a multiple
	Imbalance float64 // supersteps with at least this imbalance
	Moves     bool    // supersteps after which processes moved
	Site      string  // supersteps that ended here: file:line, or the file
	Width     int     // columns of a line, 80 or 120; 0: as the display has
	File      string  // written here, as CSV or JSON lines by the end of its name, and not shown
}

// TableHelp lists the tables of ParseTable, for help texts.
const TableHelp = "verdict (a few lines), sites, steps (while the program runs), ranks, sets, full or none; of steps some, as steps,every=10,imb=1.5,moves,site=FILE:LINE, and width=120 or to=FILE.csv or .jsonl"

// ParseTable reads a name of tell.Views, for "steps" with settings after commas.
func ParseTable(text string) (TableSpec, error) {
	parts := strings.Split(text, ",")
	spec := TableSpec{Name: parts[0]}
	if !slices.Contains(tell.Views, spec.Name) {
		return spec, fmt.Errorf("there is no such table; there are %s", strings.Join(tell.Views, ", "))
	}
	for _, part := range parts[1:] {
		if spec.Name != "steps" {
			return spec, fmt.Errorf("%s has no settings, %q; only steps has", spec.Name, part)
		}
		if err := spec.set(strings.Cut(part, "=")); err != nil {
			return spec, fmt.Errorf("%q: %w", part, err)
		}
	}
	return spec, nil
}

func (s *TableSpec) set(key, value string, has bool) (err error) {
	if has == (key == "moves") || has && value == "" {
		return fmt.Errorf("expected every=K, imb=X, moves, site=FILE:LINE, width=80 or 120, or to=FILE")
	}
	switch key {
	case "every":
		if s.Every, err = strconv.Atoi(value); err != nil || s.Every < 1 {
			return fmt.Errorf("expected a number from 1 on")
		}
	case "imb":
		if s.Imbalance, err = strconv.ParseFloat(value, 64); err != nil || !(s.Imbalance >= 1) || math.IsInf(s.Imbalance, 0) {
			return fmt.Errorf("expected a number from 1 on: the longest work over the mean")
		}
	case "moves":
		s.Moves = true
	case "site":
		s.Site = value
	case "width":
		if s.Width, err = strconv.Atoi(value); err != nil || s.Width != 80 && s.Width != 120 {
			return fmt.Errorf("expected 80 or 120")
		}
	case "to":
		if s.File = value; s.form() == "" {
			return fmt.Errorf("expected the name of a file that ends in .csv or .jsonl")
		}
	default:
		return fmt.Errorf("expected every, imb, moves, site, width or to")
	}
	return nil
}

// form returns the form of File: "csv" or "jsonl", "" if its name ends in neither.
func (s *TableSpec) form() string {
	switch end := filepath.Ext(s.File); end {
	case ".csv", ".jsonl":
		return end[1:]
	}
	return ""
}

// selective reports whether supersteps were asked for, each by itself.
func (s *TableSpec) selective() bool {
	return s.Every > 0 || s.Imbalance > 0 || s.Moves || s.Site != "" || s.File != ""
}

// has reports whether a row is wanted.
func (s *TableSpec) has(w *ledger.Window) bool {
	if s.Every > 1 && w.Step.Last/s.Every == (w.Step.First-1)/s.Every {
		return false
	}
	if s.Imbalance > 0 && w.Step.Imbalance() < s.Imbalance {
		return false
	}
	if s.Moves && w.Moved == 0 {
		return false
	}
	if file, _, _ := strings.Cut(w.Step.Site, ":"); s.Site != "" && s.Site != w.Step.Site && s.Site != file {
		return false
	}
	return true
}
