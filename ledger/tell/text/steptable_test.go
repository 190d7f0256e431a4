package text

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
)

func TestParseTable(t *testing.T) {
	for text, want := range map[string]TableSpec{
		"verdict":                       {Name: "verdict"},
		"steps":                         {Name: "steps"},
		"steps,every=10,imb=1.5":        {Name: "steps", Every: 10, Imbalance: 1.5},
		"steps,moves,site=panel.go:104": {Name: "steps", Moves: true, Site: "panel.go:104"},
		"steps,width=120,to=a/b.jsonl":  {Name: "steps", Width: 120, File: "a/b.jsonl"},
	} {
		if got, err := ParseTable(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "there are verdict", "step": "there are verdict", "sites,every=2": "only steps has", "steps,every": "expected every=K", "steps,every=0": "from 1 on",
		"steps,imb=0.5": "from 1 on", "steps,imb=x": "from 1 on", "steps,moves=1": "expected every=K", "steps,width=100": "80 or 120", "steps,to=x.txt": ".csv or .jsonl", "steps,foo=1": "expected every, imb",
	} {
		if got, err := ParseTable(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want %q", text, got, err, want)
		}
	}
}

// tableOf prints the supersteps of entries, and returns the length of the output after each.
func tableOf(spec string, form string, display Display, entries []Entry) (text string, grown []int) {
	s, err := ParseTable(spec)
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	table := NewStepTable(&out, s, form, nil, display)
	b := &Account{Table: table}
	for _, e := range entries {
		b.Enter(e)
		grown = append(grown, out.Len())
	}
	if err := table.Close(); err != nil {
		panic(err)
	}
	return out.String(), grown
}

// rowsOf returns the first cells of rows, without headers.
func rowsOf(text string) (rows []string) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 0 && f[0][0] >= '0' && f[0][0] <= '9' {
			rows = append(rows, f[0])
		}
	}
	return rows
}

// Supersteps are printed while the run goes on: with each, the one before it.
func TestStepTableStreams(t *testing.T) {
	entries := Story(1, 45)
	text, grown := tableOf("steps", "text", Display{}, entries)
	if n := len(rowsOf(text)); n != 45 {
		t.Errorf("%d rows of 45 supersteps:\n%s", n, text)
	}
	steps := 0
	for i, e := range entries {
		if _, is := e.(*Step); is {
			if steps++; steps > 1 && grown[i] == grown[i-1] {
				t.Fatalf("superstep %d is not printed when %d comes", steps-1, steps)
			}
		}
	}
	if n := strings.Count(text, "slowest"); n != 2 {
		t.Errorf("%d headers above 45 rows of 40 to a screen", n)
	}
	text, _ = tableOf("steps", "text", Display{Height: 24}, entries)
	if n := strings.Count(text, "slowest"); n != 3 {
		t.Errorf("%d headers above 45 rows of 20 to a screen", n)
	}
}

func TestStepTableWidths(t *testing.T) {
	entries := Story(2, 45)
	entries[0].(*Run).Emulated = true
	big := Sample(12345678, "a_long_name_of_a_file.go:12345", 3e12, 1e12)
	big.Slowest, big.H, big.At = 123456, 1<<50, 1e15
	entries = append(entries[:len(entries)-1], big)
	for _, c := range []struct {
		spec    string
		display Display
		want    int
	}{
		{"steps", Display{}, 80}, {"steps", Display{Width: 119}, 80}, {"steps", Display{Width: 200}, 120}, {"steps,width=80", Display{Width: 200}, 80}, {"steps,width=120", Display{}, 120},
	} {
		text, _ := tableOf(c.spec, "text", c.display, entries)
		widest := 0
		for line := range strings.Lines(text) {
			widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
		if widest > c.want || widest < c.want-5 {
			t.Errorf("%s at %d: %d columns, want about %d\n%s", c.spec, c.display.Width, widest, c.want, text)
		}
		if strings.Contains(text, "w min") != (c.want == 120) || strings.Count(text, " EMULATED times\n") != strings.Count(text, "slowest") {
			t.Errorf("%s at %d:\n%s", c.spec, c.display.Width, text)
		}
		must.Have(t, text, ".go:12345")
	}
}

func TestStepTableSelects(t *testing.T) {
	entries := Story(3, 45)
	unequal := 0
	for _, e := range entries {
		if s, is := e.(*Step); is && s.Imbalance() >= 1.5 {
			unequal++
		}
	}
	for spec, want := range map[string]string{
		"steps,every=10":                   "10 20 30 40",
		"steps,moves":                      "10 20 30 40",
		"steps,site=file.go:11,every=9":    "",
		"steps,site=file.go:10,every=9":    "9 18 27 36 45",
		"steps,site=file.go,every=9,moves": "",
	} {
		text, _ := tableOf(spec, "text", Display{}, entries)
		if got := strings.Join(rowsOf(text), " "); got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
	text, _ := tableOf("steps,imb=1.5", "text", Display{}, entries)
	if n := len(rowsOf(text)); n != unequal || n == 0 {
		t.Errorf("%d rows with an imbalance of 1.5, want %d", n, unequal)
	}
}

// A long run does not drown its reader: rows stand for more and more supersteps, and leave none
// out. A selection prints each superstep.
func TestStepTableOfManySupersteps(t *testing.T) {
	entries := []Entry{TwoRanks()}
	for n := range 10000 {
		entries = append(entries, Sample(n+1, fmt.Sprint("a.go:", n%2), US, US))
	}
	text, _ := tableOf("steps", "csv", Display{}, entries)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) > 4001 || len(rows) < 3000 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	sum := 0
	for _, row := range rows[1:] {
		var n int
		fmt.Sscan(row[1], &n)
		sum += n
	}
	if sum != 10000 {
		t.Errorf("rows stand for %d of 10000 supersteps", sum)
	}
	text, _ = tableOf("steps,site=a.go:1", "csv", Display{}, entries)
	if n := strings.Count(text, "\n"); n != 5001 {
		t.Errorf("%d lines on one of two places, want 5001", n)
	}
}

// Programs get numbers in CSV and JSON lines, and a label for whose the times are. Names that
// could steer a terminal do not.
func TestStepTableForPrograms(t *testing.T) {
	entries := Story(4, 12)
	entries[0].(*Run).Emulated = true
	entries[1].(*Step).Site = "a\x1b[31m,\"b\".go:1"
	text, _ := tableOf("steps", "csv", Display{}, entries)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 13 || strings.Contains(text, "\x1b") || rows[1][len(rows[1])-1] != "emulated" {
		t.Fatalf("%v, %d rows:\n%s", err, len(rows), text)
	}
	text, _ = tableOf("steps,to=x.jsonl", "text", Display{}, entries)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		var row struct {
			Step, Moved int
			Max         float64  `json:"w_max_s"`
			Predicted   *float64 `json:"predicted_s"`
			Clock       string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Step != i+1 || !(row.Max > 0) || row.Predicted != nil || row.Clock != "emulated" || (row.Moved == 1) != (i == 9) {
			t.Errorf("%v: %+v in %s", err, row, line)
		}
	}
	if len(lines) != 12 {
		t.Errorf("%d lines", len(lines))
	}
	if text, _ := tableOf("steps,moves", "csv", Display{}, entries[:5]); strings.Count(text, "\n") != 1 {
		t.Errorf("a table without rows: %q", text)
	}
}

// A record gives the same table as the run that wrote it.
func TestStepTableOfRecord(t *testing.T) {
	entries := Story(5, 45)
	live, _ := tableOf("steps,every=5", "csv", Display{}, entries)
	h := must.Get(ReadFrom("r", Written(entries)))(t)
	h.Account.Machine = nil // which is not known while the run goes on
	var later strings.Builder
	spec, _ := ParseTable("steps,every=5")
	if err := WriteSteps(&later, h, spec, "csv", Display{}); err != nil || later.String() != live {
		t.Errorf("%v\n%s\nwant\n%s", err, later.String(), live)
	}
}
