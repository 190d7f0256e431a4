package page

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// The page begins with the result, and losses come before any other figures; the description of the
// run comes after the figures.
func TestPageBeginsWithTheResult(t *testing.T) {
	h := usual.history(t)
	h.Account.Emulation.Without = h.Account.Emulation.With * 0.9
	h.Calls[2].Outcome = &ledger.Outcome{Call: 3, Steps: 20, Predicted: 5e-3, Realised: -2e-3, Sure: true}
	page := pageOf(t, h)
	text := words(elementsOf(t, page))
	at := 0
	for _, want := range []string{
		"elapsed", "parallel efficiency", "11.1 %", "lost by moves", "took", "Next:", "Calls that lost", "were predicted to be saved, and it made them 2 ms longer",
		"With and without rescheduling", "Where the time went", "Who talks to whom", "About the run", "Started",
	} {
		next := strings.Index(text[at:], want)
		if next < 0 && want == "Calls that lost" {
			next = strings.Index(text[at:], "A call that lost")
		}
		if next < 0 {
			t.Fatalf("no %q after %q in the page", want, text[max(0, at-80):at])
		}
		at += next
	}
	if !strings.Contains(page, `<li class="lost">`) {
		t.Error("the loss is not red")
	}
	h = usual.history(t)
	for i := range h.Calls {
		h.Calls[i].Outcome = nil
	}
	if page := pageOf(t, h); strings.Contains(page, `class="lost"`) || strings.Contains(page, `class="losses"`) {
		t.Error("a run that has saved time shows a loss")
	}
}

// Messages are counted by the ranks that the processes had then: two processes on two hosts
// that come together on one.
func TestNetwork(t *testing.T) {
	h := shape{seed: 1, steps: 4, ranks: 4, sets: 2, procs: 4, strategy: "off", real: true}.history(t)
	flow := func(from, to int) ledger.Flow {
		f := ledger.Flow{Steps: 2, Bytes: make([][]float64, 4)}
		for i := range f.Bytes {
			f.Bytes[i] = make([]float64, 4)
		}
		f.Bytes[from][to] = 4096
		return f
	}
	n := newNetwork(tell.OfRecord(h), &ledger.Traffic{Before: flow(0, 3), After: flow(2, 2)})
	if n.Rows[betweenSets].Before != "2 KiB" || n.Rows[betweenSets].After != "0 B" || n.Rows[withinRank].After != "2 KiB" ||
		!strings.Contains(n.Words, "2 KiB in a superstep went to another host (100.0 % of all), after the last 0 B") {
		t.Errorf("%+v", n)
	}
	if n := newNetwork(tell.OfRecord(h), nil); n.SVG != "" || n.Words == "" {
		t.Errorf("of a record without messages: %+v", n)
	}
	many := shape{seed: 1, steps: 4, ranks: 90, sets: 3, procs: 90, strategy: "off", real: true}.history(t)
	if n := len(spotsOf(many.Account.Run())); n != 3 {
		t.Errorf("90 ranks on as many hosts in 3 Sets are drawn in %d rows", n)
	}
}

// The index has a section for runs that can be compared, the latest at the top of its table, and
// compares the last one with the others.
func TestIndex(t *testing.T) {
	records := []*ledger.History{usual.history(t), usual.history(t), shape{seed: 1, steps: 4, ranks: 4, sets: 2, procs: 4, strategy: "off", real: true}.history(t)}
	var runs []*tell.View
	for i, h := range records {
		h.Name = "/runs/" + string(rune('a'+i)) + "/run.jsonl"
		h.Account.Run().Commit = strings.Repeat(string(rune('a'+i)), 40)
		runs = append(runs, tell.OfRecord(h))
	}
	var page strings.Builder
	must.Do(t, WriteIndex(&page, "/runs", runs, func(run string) bool { return run == "/runs/b" }))
	all := elementsOf(t, page.String())
	for _, fault := range faults(all) {
		if !strings.Contains(fault, "b/report.html") { // the page of a run
			t.Error(fault)
		}
	}
	text := words(all)
	must.Have(t, text, "3 runs of 2 kinds", "2 runs; the last took", "above the middle of those before", "aaaaaaa", "bbbbbbb", "EMULATED", runs[0].Brief())
	if strings.Count(page.String(), `href="./`) != 1 || !strings.Contains(page.String(), `href="./b/report.html"`) {
		t.Error("links to runs' pages: want one, to that of b")
	}
}
