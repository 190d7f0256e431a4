package ledger

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// A StepTable prints supersteps as they are entered, so that it can be read while the run
// goes on. Text has lines of 80 or 120 columns, whose widths are known before the figures
// are, and its header again on each screen.
//
// Unless the TableSpec selects supersteps a row stands for one as long as rows are few: for
// two after the first rowsOfOneLength, then for four, and so on. A row ends with a call.
type StepTable struct {
	spec    TableSpec
	w       io.Writer
	form    string // "text", "csv" or "jsonl"
	display Display
	machine *Machine

	run   *Run
	row   Window // that may be added to
	width int    // supersteps in a row
	rows  int    // of this width
	shown int    // rows below the header
	text  bytes.Buffer
	table *tablewriter.Table // of this screen
	err   error
}

const (
	rowsOfOneLength = 1000
	// screenRows is how many rows are below a header where no screen has a height.
	screenRows = 40
)

// NewStepTable makes a table of a run on w, as "text", "csv" or "jsonl". machine is nil
// where g and l are not known yet.
func NewStepTable(w io.Writer, spec TableSpec, form string, machine *Machine, display Display) *StepTable {
	if spec.File != "" {
		form = spec.form()
	}
	return &StepTable{spec: spec, w: w, form: form, display: display, machine: machine, width: 1}
}

// Enter takes in an entry of the run.
func (t *StepTable) Enter(e Entry) {
	switch e := e.(type) {
	case *Run:
		t.run = e
	case *Step:
		if t.row.Step.Count >= t.width || t.row.Calls > 0 {
			t.end()
		}
		if t.row.Step.Count > 0 {
			t.row.merge(e)
			return
		}
		t.row = Window{Step: *e, Mixed: e.Count < e.Last-e.First+1}
		t.row.Step.Work = nil
	case *Call:
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
	t.row = Window{}
}

// stepColumn is a column of the table: its heading, its name for programs, its width in
// lines of 80 and of 120 columns (0: it is left out), and its cell.
type stepColumn struct {
	heading, name string
	narrow, wide  int
	left          bool
	cell          func(t *StepTable, w *Window) cell
}

var stepColumns = []stepColumn{
	{"step", "step", 7, 7, false, func(_ *StepTable, w *Window) cell { return intCell(w.Step.First) }},
	{"of", "steps", 4, 4, false, func(_ *StepTable, w *Window) cell { return cell{few(w.Step.Count), strconv.Itoa(w.Step.Count)} }},
	{"at", "at_s", 0, 7, false, func(_ *StepTable, w *Window) cell { return timeCell(w.Step.At) }},
	{"where", "where", 13, 13, true, func(_ *StepTable, w *Window) cell { return textCell(w.where()) }},
	{"w max", "w_max_s", 7, 7, false, func(_ *StepTable, w *Window) cell { return timeCell(w.Step.WorkMax) }},
	{"w avg", "w_avg_s", 7, 7, false, func(_ *StepTable, w *Window) cell { return timeCell(w.Step.WorkAvg()) }},
	{"w min", "w_min_s", 0, 7, false, func(_ *StepTable, w *Window) cell { return timeCell(w.Step.WorkMin) }},
	{"imb", "imbalance", 5, 5, false, func(_ *StepTable, w *Window) cell { return ratioCell(w.Step.Imbalance()) }},
	{"idle", "idle", 0, 6, false, func(_ *StepTable, w *Window) cell { return shareCell(w.Step.Idle()) }},
	{"h/step", "h_per_step_bytes", 8, 8, false, func(_ *StepTable, w *Window) cell { return bytesCell(w.Step.H / int64(max(1, w.Step.Count))) }},
	{"g*h+l", "predicted_s", 0, 7, false, func(t *StepTable, w *Window) cell {
		if t.machine == nil {
			return cell{"-", ""}
		}
		return secondsCell(t.machine.Predict(&w.Step))
	}},
	{"comm", "comm_s", 7, 7, false, func(_ *StepTable, w *Window) cell { return timeCell(w.Step.Comm) }},
	{"t on r0", "t_rank0_s", 0, 7, false, func(_ *StepTable, w *Window) cell { return timeCell(w.Step.Total) }},
	{"slowest", "slowest", 7, 8, true, func(_ *StepTable, w *Window) cell { return textCell(w.slowest()) }},
	{"moved", "moved", 5, 5, false, func(_ *StepTable, w *Window) cell {
		if w.Calls == 0 {
			return cell{"", "0"}
		}
		return intCell(w.Moved)
	}},
	{"", "calls", 0, 0, false, func(_ *StepTable, w *Window) cell { return intCell(w.Calls) }},
	{"", "clock", 0, 0, true, func(t *StepTable, _ *Window) cell { return textCell(strings.ToLower(t.run.Clock())) }},
}

// few is a number in no more than four characters.
func few(n int) string {
	switch {
	case n >= 9_999_500:
		return fmt.Sprintf("%.0fM", float64(n)/1e6)
	case n >= 9_999:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return strconv.Itoa(n)
}

// where names the place where the supersteps ended, slowest the process with the longest
// work.
func (w *Window) where() string {
	if w.Mixed {
		return SeveralSites
	}
	return w.Step.Site
}

func (w *Window) slowest() string {
	if w.Step.Slowest < 0 {
		return "-"
	}
	return fmt.Sprintf("p%d@r%d", w.Step.Slowest, w.Step.SlowestRank)
}

func (t *StepTable) print(w *Window) error {
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
	for _, c := range stepColumns {
		all = append(all, c.name)
	}
	return strings.Join(all, ",") + "\n"
}

func (t *StepTable) csv(w *Window) error {
	if t.shown++; t.shown == 1 {
		t.text.WriteString(t.names())
	}
	out := csv.NewWriter(&t.text)
	var line []string
	for _, c := range stepColumns {
		line = append(line, Printable(c.cell(t, w).exact))
	}
	out.Write(line)
	out.Flush()
	return out.Error()
}

// json writes a row as an object. What programs take for a number is one.
func (t *StepTable) json(w *Window) error {
	for i, c := range stepColumns {
		sign := byte(',')
		if i == 0 {
			sign = '{'
		}
		t.text.WriteByte(sign)
		value := c.cell(t, w).exact
		fmt.Fprintf(&t.text, "%q:", c.name)
		switch {
		case c.left:
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
func (t *StepTable) line(w *Window) error {
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
		cells = append(cells, shortened(Printable(c.cell(t, w).shown), c.width))
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
			text += " of " + Printable(base(t.run.Platform))
		}
		t.text.WriteString(t.display.alarm(text) + "\n")
	}
	var heads []string
	widths, align := tw.NewMapper[int, int](), tw.Alignment{}
	for i, c := range t.columns() {
		heads = append(heads, c.heading)
		widths.Set(i, c.width+1)
		if c.left {
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
	stepColumn
	width int
}

// columns are those that there is room for.
func (t *StepTable) columns() []shownColumn {
	wide := t.spec.Width == 120 || t.spec.Width == 0 && t.display.Width >= 120
	var all []shownColumn
	for _, c := range stepColumns {
		if width := c.narrow; !wide && width > 0 {
			all = append(all, shownColumn{c, width})
		} else if wide && c.wide > 0 {
			all = append(all, shownColumn{c, c.wide})
		}
	}
	return all
}

// shortened cuts text at its begin: the end of a file name and its line tell more.
func shortened(text string, width int) string {
	n := utf8.RuneCountInString(text)
	if n <= width {
		return text
	}
	return "~" + string([]rune(text)[n-width+1:])
}

// WriteSteps prints the table by superstep of the run, as "text", "csv" or "jsonl".
func (h *History) WriteSteps(w io.Writer, spec TableSpec, form string, display Display) error {
	t := NewStepTable(w, spec, form, h.Account.Machine, display)
	t.Enter(&h.Account.Run)
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
