package text

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// A StepTable prints supersteps as they are entered, so that it can be read while the run
// goes on. Text has lines of 80 or 120 columns, whose widths are known before the figures
// are, and its header again on each screen.
//
// Unless the TableSpec selects supersteps, a row is one superstep while rows are few: it is
// two after the first rowsOfOneLength, then four, and so on. A row ends with a call.
type StepTable struct {
	spec    TableSpec
	w       io.Writer
	form    string // "text", "csv" or "jsonl"
	display Display
	machine *ledger.Machine

	run   *ledger.Run
	row   ledger.Window // that may be added to
	width int           // supersteps in a row
	rows  int           // of this width
	shown int           // rows below the header
	text  bytes.Buffer
	table *tablewriter.Table // of this screen
	err   error
}

const (
	rowsOfOneLength = 1000
	// screenRows is the number of rows below a header if no screen height is known.
	screenRows = 40
)

// NewStepTable makes a table of a run on w, as "text", "csv" or "jsonl". machine is nil
// where g and l are not known yet.
func NewStepTable(w io.Writer, spec TableSpec, form string, machine *ledger.Machine, display Display) *StepTable {
	if spec.File != "" {
		form = spec.form()
	}
	return &StepTable{spec: spec, w: w, form: form, display: display, machine: machine, width: 1}
}

// Enter adds an entry of the run.
func (t *StepTable) Enter(e ledger.Entry) {
	switch e := e.(type) {
	case *ledger.Run:
		t.run = e
	case *ledger.Step:
		if t.row.Step.Count >= t.width || t.row.Calls > 0 {
			t.end()
		}
		if t.row.Step.Count > 0 {
			t.row.Add(e)
			return
		}
		t.row = ledger.WindowOf(e)
	case *ledger.Call:
		t.row.Calls++
		t.row.Moved += e.Moved
	}
}

// Close prints the last row, and returns the first error of all writing.
func (t *StepTable) Close() error {
	t.end()
	if t.form == "csv" && t.shown == 0 && t.err == nil {
		_, t.err = io.WriteString(t.w, t.names())
	}
	return t.err
}

// end prints the row, if it is wanted, and begins another.
func (t *StepTable) end() {
	w := &t.row
	if w.Step.Count > 0 && t.spec.has(w) && t.err == nil && t.run != nil {
		t.err = t.print(w)
		if t.rows++; t.rows == rowsOfOneLength && !t.spec.selective() {
			t.rows = 0
			t.width *= 2
		}
	}
	t.row = ledger.Window{}
}

func (t *StepTable) print(w *ledger.Window) error {
	defer t.text.Reset()
	var err error
	switch t.form {
	case "csv":
		err = t.csv(w)
	case "jsonl":
		err = t.json(w)
	default:
		err = t.line(w)
	}
	if err == nil {
		_, err = t.w.Write(t.text.Bytes())
	}
	return err
}

// names returns the header of the table for programs.
func (t *StepTable) names() string {
	var all []string
	for _, c := range tell.StepColumns {
		all = append(all, c.Column.Name)
	}
	return strings.Join(all, ",") + "\n"
}

func (t *StepTable) csv(w *ledger.Window) error {
	if t.shown++; t.shown == 1 {
		t.text.WriteString(t.names())
	}
	out := csv.NewWriter(&t.text)
	var line []string
	for _, c := range tell.StepColumns {
		line = append(line, ledger.Printable(c.Cell(t.run, t.machine, w).Exact))
	}
	out.Write(line)
	out.Flush()
	return out.Error()
}

// json writes a row as an object. Values that are numbers are written as numbers.
func (t *StepTable) json(w *ledger.Window) error {
	for i, c := range tell.StepColumns {
		sign := byte(',')
		if i == 0 {
			sign = '{'
		}
		t.text.WriteByte(sign)
		value := c.Cell(t.run, t.machine, w).Exact
		fmt.Fprintf(&t.text, "%q:", c.Column.Name)
		switch {
		case c.Column.Text:
			text, err := json.Marshal(value)
			if err != nil {
				return err
			}
			t.text.Write(text)
		case value == "":
			t.text.WriteString("null")
		default:
			t.text.WriteString(value)
		}
	}
	t.text.WriteString("}\n")
	return nil
}

// line writes a row of text, below a header if it is the first on its screen.
func (t *StepTable) line(w *ledger.Window) error {
	screen := screenRows
	if t.display.Height > 10 {
		screen = t.display.Height - 4
	}
	if t.shown%screen == 0 {
		if err := t.header(); err != nil {
			return err
		}
	}
	t.shown++
	head := t.text.Len()
	var cells []string
	for _, c := range t.columns() {
		cells = append(cells, shortened(ledger.Printable(c.Cell(t.run, t.machine, w).Shown), c.width))
	}
	if err := t.table.Append(cells); err != nil {
		return err
	}
	if row := t.text.String()[head:]; w.Moved > 0 && t.display.Color {
		t.text.Truncate(head)
		t.text.WriteString(t.display.bold(strings.TrimRight(row, "\n")) + "\n")
	}
	return nil
}

// header begins a screen.
func (t *StepTable) header() error {
	if t.table != nil {
		if err := t.table.Close(); err != nil {
			return err
		}
	}
	if t.shown > 0 {
		t.text.WriteByte('\n')
	}
	if clock := t.run.Clock(); clock != "" {
		text := " " + clock + " times"
		if t.run.Platform != "" {
			text += " of " + ledger.Printable(tell.Base(t.run.Platform))
		}
		t.text.WriteString(t.display.alarm(text) + "\n")
	}
	var heads []string
	widths, align := tw.NewMapper[int, int](), tw.Alignment{}
	for i, c := range t.columns() {
		heads = append(heads, c.Column.Heading)
		widths.Set(i, c.width+1)
		if c.Column.Text {
			align = append(align, tw.AlignLeft)
		} else {
			align = append(align, tw.AlignRight)
		}
	}
	t.table = tablewriter.NewTable(&trimmer{w: &t.text},
		tablewriter.WithRenderer(renderer.NewBlueprint(rendition(true))),
		tablewriter.WithStreaming(tw.StreamConfig{Enable: true}),
		tablewriter.WithWidths(tw.CellWidth{PerColumn: widths}),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithAlignment(align),
		tablewriter.WithPadding(tw.Padding{Left: " ", Right: "", Overwrite: true}),
	)
	if err := t.table.Start(); err != nil {
		return err
	}
	t.table.Header(heads)
	return nil
}

type shownColumn struct {
	tell.StepColumn
	width int
}

// columns returns the columns that fit.
func (t *StepTable) columns() []shownColumn {
	wide := t.spec.Width == 120 || t.spec.Width == 0 && t.display.Width >= 120
	var all []shownColumn
	for _, c := range tell.StepColumns {
		if width := c.Narrow; !wide && width > 0 {
			all = append(all, shownColumn{c, width})
		} else if wide && c.Wide > 0 {
			all = append(all, shownColumn{c, c.Wide})
		}
	}
	return all
}

// shortened cuts text at its beginning: the end of a file name and its line are more
// useful.
func shortened(text string, width int) string {
	n := utf8.RuneCountInString(text)
	if n <= width {
		return text
	}
	return "~" + string([]rune(text)[n-width+1:])
}

// WriteSteps prints the table by superstep of a recorded run, as "text", "csv" or "jsonl".
func WriteSteps(w io.Writer, h *ledger.History, spec TableSpec, form string, display Display) error {
	t := NewStepTable(w, spec, form, h.Account.Machine, display)
	t.Enter(h.Account.Run())
	calls := h.Calls
	for i := range h.Steps {
		for len(calls) > 0 && calls[0].Step < h.Steps[i].First {
			t.Enter(&calls[0])
			calls = calls[1:]
		}
		t.Enter(&h.Steps[i])
	}
	for i := range calls {
		t.Enter(&calls[i])
	}
	return t.Close()
}
