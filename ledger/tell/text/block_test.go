package text

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
	"github.com/migbsp/migbsp/ledger/tell"
)

func TestAccountSaysWhatHappened(t *testing.T) {
	b := AccountOf(Story(7, 45)...)
	var out strings.Builder
	must.Do(t, WriteResult(&out, tell.Of(b, nil), Display{}, "full"))
	must.Do(t, WriteAccount(&out, tell.Of(b, nil), "full", "", Display{}))
	must.Have(t, out.String(),
		" LU  2026-11-21T03:11:02Z\n", "Gflop/s total      = 2", "Verification       = SUCCESSFUL", "residual = 0.01 (limit 16)  PASSED\n", "checksum  00ff\n",
		"2 in 2 Sets (fast 1, slow 1)", "before move", "between Sets", "unexplained", " MIGRATIONS 4 in 4 of 4 rescheduling calls", "p0 r0>r1", "   1 ms", "800 us",
		"Lost: 270 us net, give or take 40 us", "lower bound: no mapping", "note: the network is shared",
	)
	if strings.Contains(out.String(), "\x1b") || strings.Contains(out.String(), "do not fit") {
		t.Errorf("escape sequences or broken identities:\n%s", out.String())
	}
}

func TestResultWithoutProof(t *testing.T) {
	b := AccountOf(TwoRanks())
	var out strings.Builder
	WriteResult(&out, tell.Of(b, nil), Display{}, "full")
	must.Have(t, out.String(), "Verification       = not performed")
	b.Result = &Result{Title: "T", Checks: []Check{{Name: "one", Value: 1, Limit: 2, Passed: true}, {Name: "two", Value: math.NaN(), Limit: 2}}}
	b.Result.Finite()
	out.Reset()
	WriteResult(&out, tell.Of(b, nil), Display{}, "none")
	if !strings.Contains(out.String(), "FAILED") || math.IsNaN(b.Result.Checks[1].Value) {
		t.Errorf("a failed check:\n%s", out.String())
	}
}

// No line is longer than the terminal, and the columns that matter stay.
func TestTablesFit(t *testing.T) {
	b := AccountOf(Story(9, 45)...)
	var narrow strings.Builder
	WriteResult(&narrow, tell.Of(b, nil), Display{Width: 60}, "full")
	WriteAccount(&narrow, tell.Of(b, nil), "verdict", "migbsp report runs/1", Display{Width: 60})
	writeFactors(&printer{w: &narrow}, tell.Of(b, nil), Display{Width: 60})
	for line := range strings.Lines(narrow.String()) {
		if n := utf8.RuneCountInString(line); n > 61 && !strings.HasPrefix(line, "check") {
			t.Errorf("%d columns at width 60: %q", n, line)
		}
	}
	for _, name := range []string{"sites", "ranks", "sets"} {
		for width := 60; width < 140; width++ {
			var out strings.Builder
			must.Do(t, WriteTable(&out, tell.Of(b, nil), name, width))
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width+1 {
					if breadth(fit(tell.Of(b, nil).Table(name), 1)) <= width {
						t.Errorf("%s at width %d: %d columns in %q", name, width, n, line)
					}
				}
			}
		}
	}
	var all, few strings.Builder
	WriteTable(&all, tell.Of(b, nil), "sites", 0)
	WriteTable(&few, tell.Of(b, nil), "sites", 80)
	if !strings.Contains(all.String(), "w min") || strings.Contains(few.String(), "w min") || !strings.Contains(few.String(), "w max") {
		t.Errorf("columns with and without room:\n%s%s", all.String(), few.String())
	}
}

// The CSV has exactly the figures of the printed table.
func TestCSVHasTheFigures(t *testing.T) {
	h := must.Get(ReadFrom("r", Written(Story(10, 45))))(t)
	var out strings.Builder
	must.Do(t, WriteSteps(&out, h, TableSpec{Name: "steps"}, "csv", Display{}))
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil || len(rows) != 46 || rows[0][0] != "step" || rows[0][4] != "w_max_s" {
		t.Fatalf("%v: %d rows, header %v", err, len(rows), rows[0])
	}
	sum := 0.0
	for i, row := range rows[1:] {
		var x float64
		fmt.Sscan(row[4], &x)
		sum += x
		if row[0] != fmt.Sprint(i+1) {
			t.Fatalf("row %d is of superstep %s", i, row[0])
		}
	}
	if want := h.Account.Whole().Step.WorkMax.Seconds(); math.Abs(sum-want) > 1e-9 {
		t.Errorf("w max adds up to %g s, want %g s", sum, want)
	}
	if mark := fmt.Sprint(rows[10][len(rows[10])-3 : len(rows[10])-1]); mark != "[1 1]" {
		t.Errorf("superstep 10 has %s calls and moves, want one of each", mark)
	}
}

func TestRanksAndSetsKnowWhoCame(t *testing.T) {
	b := AccountOf(Story(11, 35)...)
	whole := b.Whole()
	ranks, sets := tell.Ranks(b, &whole.Step), tell.Sets(b, &whole.Step)
	if ranks[1].In != 2 || ranks[1].Out != 1 || ranks[0].Procs != 3 || ranks[1].Procs != 5 || sets[1].Procs != 5 || sets[1].Speed != 0.5 {
		t.Errorf("ranks %+v\nSets %+v", ranks, sets)
	}
	if got, want := ranks[0].Work+ranks[1].Work, b.Whole().Step.WorkSum; got != want {
		t.Errorf("the ranks worked %v, want %v", got, want)
	}
}

func TestHeadline(t *testing.T) {
	b := AccountOf(Story(12, 35)...)
	for _, c := range []struct {
		p    Progress
		want string
	}{
		{Progress{Step: 36}, "superstep 36, 2m0s; w max/avg"},
		{Progress{Step: 36, Loop: 1, Stage: 10, Stages: 40}, "superstep 36, stage 10 of 40 (25%), 2m0s, 6m0s to go; w max/avg"},
		{Progress{Step: 36, Loop: 2, Stage: 10, Stages: 40}, "superstep 36, stage 10 of 40 (25%), 2m0s; w max/avg"},
	} {
		if got := tell.Headline(b, &c.p, 2*time.Minute); !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, "; 3 moves in 3 calls") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Names have any source: characters that steer a terminal are not printed, and text that a
// spreadsheet would take for a formula is marked as text.
func TestNamesAreEscaped(t *testing.T) {
	run := TwoRanks()
	evil := "=1+1\x1b]0;owned\a\u202e\xff\n"
	run.Program, run.Strategy = evil, evil
	run.Ranks[0].Host, run.Sets[0].Name = evil, "@"+evil
	a := AccountOf(run)
	for n := 1; n <= 3; n++ {
		a.Enter(Sample(n, evil, US, US))
	}
	a.Enter(&Warning{Text: evil})
	a.Result = &Result{Title: evil, Size: evil, Checksum: evil, Checks: []Check{{Name: evil, Passed: true}}, Details: []Detail{{Name: evil, Value: evil}}}
	var text, table bytes.Buffer
	a.Enter(&Call{Number: 1, Step: 2, Moved: 1})
	for _, view := range tell.Views {
		must.Do(t, WriteResult(&text, tell.Of(a, nil), Display{}, view))
		must.Do(t, WriteAccount(&text, tell.Of(a, nil), view, evil, Display{Width: 80}))
		must.Do(t, WriteCSV(&table, tell.Of(a, nil), view))
	}
	for _, out := range []string{text.String(), table.String()} {
		if i := strings.IndexAny(out, "\x1b\a\u202e"); i >= 0 || !utf8.ValidString(out) {
			t.Errorf("at byte %d: %q", i, out)
		}
	}
	lines, err := csv.NewReader(strings.NewReader(table.String())).ReadAll()
	if err != nil && !errors.Is(err, csv.ErrFieldCount) {
		t.Fatal(err)
	}
	if strings.Contains(table.String(), ",=1") || strings.HasPrefix(table.String(), "=") || !strings.Contains(table.String(), "'=1+1") || !strings.Contains(table.String(), "'@=1+1") {
		t.Errorf("%q", lines)
	}
}

// The account reports the method by which the calls have predicted loads.
func TestPredictionsByWhatWasTold(t *testing.T) {
	a := AccountOf(TwoRanks(), Sample(1, "x", US, US))
	a.Enter(&Call{Number: 1, Step: 1, ToldError: 0.01, PastError: 0.3, ByTold: true})
	if a.Enter(&Call{Number: 2, Step: 1, ToldError: 0.03, PastError: 0.1}); tell.Of(a, nil).Predictions() == "" {
		t.Fatal("nothing is said")
	}
	var out strings.Builder
	WriteAccount(&out, tell.Of(a, nil), "full", "", Display{Width: 200})
	if want := "in 1 of 2 calls: these were off by 2.0% of the work on average, the past by 20.0%"; !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

func TestWriteRows(t *testing.T) {
	var b strings.Builder
	must.Do(t, WriteRows(&b, []string{"measure", "min"}, [][]string{{"empty", "137 ns"}, {"put8_1", "1.20 us"}}, 0))
	must.Have(t, b.String(), " measure ", " empty     137 ns", " put8_1   1.20 us")
}

func TestTrimmer(t *testing.T) {
	var out strings.Builder
	w := &trimmer{w: &out}
	for _, part := range []string{" a  b  ", "  \n", "c ", "", " d\n  \n", "e "} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%q: %d, %v", part, n, err)
		}
	}
	if want := " a  b\nc  d\n\ne"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// The account of a run that has gone on after losses has all parts.
func TestPartsAreTold(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 5, 1, 12, 0, second, 0, time.UTC) }
	a := AccountOf(Story(3, 45)...)
	tells := func(table string) string {
		var out strings.Builder
		must.Do(t, WriteAccount(&out, tell.Of(a, nil), table, "", Display{Width: 200}))
		return out.String()
	}
	if strings.Contains(tells("full"), "PARTS") {
		t.Error("a run in one part has parts")
	}
	a.Enter(&Parts{List: []RunPart{
		{Began: at(0), Started: at(1), Progress: at(20), Noticed: at(22), Ended: at(25), Saved: at(17), Superstep: 9, First: 1, Last: 12, Hosts: []string{"h1", "h2"}, AllHosts: 12, Ranks: 24, Cause: "rank 3 on h2 is lost"},
		{Began: at(26), Started: at(29), Up: at(30), First: 9},
	}})
	for _, want := range []string{"PARTS", "h1,h2 +10", "1-12", "9-53", " 2 s ", " 4 s ", "rank 3 on h2 is lost"} {
		if text := tells("full"); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := tells("verdict"); !strings.Contains(text, " since 2026-05-01 12:00:00; 1 loss took 12 s") {
		t.Errorf("no parts in\n%s", text)
	}
}
