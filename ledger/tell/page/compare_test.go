package page

import (
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

func comparisonOf(t *testing.T, a, b *ledger.History) []element {
	t.Helper()
	all := elementsOf(t, pageOfTwo(t, a, b))
	for _, fault := range faults(all) {
		t.Error(fault)
	}
	return all
}

// Runs that differ in their program, input or measurement are reported as not comparable.
func TestComparable(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(h *ledger.History)
		want   string // in the list of differences; "" for none
	}{
		{"other seed", func(*ledger.History) {}, ""},
		{"program", func(h *ledger.History) { h.Account.Run().Program = "fft" }, "program: the program in A, fft in B"},
		{"size", func(h *ledger.History) { h.Account.Result.Size = "9 x 9" }, "size: 1000 x 1000 in A, 9 x 9 in B"},
		{"clock", func(h *ledger.History) { h.Account.Run().Emulated = false }, "times: EMULATED in A, of the machine in B"},
		{"processes", func(h *ledger.History) { h.Account.Run().Procs = 5 }, "processes: 24 in A, 5 in B"},
		{"result", func(h *ledger.History) { h.Account.Result.Checksum = "" }, "checksum of the result: 00ff in A, not known in B"},
		{"going on", func(h *ledger.History) { h.End = nil }, "state: ended in A, not ended"},
		{"its simulation", func(h *ledger.History) { simulate(h, "the program") }, ""},
		{"simulation of another program", func(h *ledger.History) { simulate(h, "fft") }, "program: the program in A, fft in B"},
		{"simulation of figures", func(h *ledger.History) { simulate(h, "") }, "program: the program in A, lu:n=50 in B"},
		{"platform moved", func(h *ledger.History) { h.Account.Run().Platform = "elsewhere/made.hosts" }, ""},
	} {
		other := usual
		other.seed = 9
		a, b := usual.history(t), other.history(t)
		c.change(b)
		x, y := tell.OfRecord(a), tell.OfRecord(b)
		got := strings.Join(differences(x, y), "|")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if said := strings.Contains(Verdicts(x, y), "not comparable"); said != (c.want != "") {
			t.Errorf("%s: %s", c.name, Verdicts(x, y))
		}
	}
}

// simulate turns a history into the history of a simulated run whose workload is the record of a
// program, or figures if recorded is "".
func simulate(h *ledger.History, recorded string) {
	run := h.Account.Run()
	run.Program, run.Simulated, run.Recorded = "migbsp", true, recorded
	h.Account.Result.Title, h.Account.Result.Checksum = "lu:n=50", ""
}

func TestComparisonPage(t *testing.T) {
	other := usual
	other.seed, other.every, other.strategy = 9, 0, "off"
	text := words(comparisonOf(t, usual.history(t), other.history(t)))
	must.Have(t, text, "Same program, size, processes, ranks and platform", "B − A", "rescheduling calls 9 0 −9 0.00", "the site:10", "Both have the same scale of times", "EMULATED")
	small := shape{seed: 1, steps: 1, ranks: 1, sets: 1, procs: 1, strategy: "auto", real: true, going: true}
	text = words(comparisonOf(t, usual.history(t), small.history(t)))
	must.Have(t, text, "Not comparable as they are", "ranks: 12 in A, 1 in B", "The record has no end")
}

// Call sites are joined by their position; a run without the site has a dash.
func TestSitesAreJoined(t *testing.T) {
	a, b := usual.history(t), usual.history(t)
	b.Account.Enter(&ledger.Step{First: 9999, Count: 2, Site: "new.go:1", Work: make([]time.Duration, 12), Ranks: 12, WorkMax: 5, WorkSum: 50, Total: 6})
	table := joinedSites(tell.OfRecord(a), tell.OfRecord(b))
	if len(table.Rows) != 4 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	first, last := table.Rows[0], table.Rows[3]
	if first[0].Text != a.Account.Sites()[0].Step.Site || first[1].Text != first[2].Text || first[9].Text != "1.00" {
		t.Errorf("the first row is %v", first)
	}
	if last[0].Text != "new.go:1" || last[1].Text != "-" || last[2].Text != "2" || last[9].Text != "-" {
		t.Errorf("the last row is %v", last)
	}
}
