package page

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// The words of pages for runs of all kinds, with present and missing figures.
func TestPages(t *testing.T) {
	change := func(f func(*shape)) shape {
		s := usual
		f(&s)
		return s
	}
	for _, c := range []struct {
		name      string
		run       shape
		says, not string // words between |
	}{
		{"usual", usual, "EMULATED|of emulated time|9 calls took|27 processes|Predicted and measured saving|The border is the cube|between Sets|g = 2 ns/B, l = 10 us|before first move|That is the goal", "has no end|negative"},
		{"real", change(func(s *shape) { s.real = true }), "an estimate, not a comparison|not a comparison with a run without", "EMULATED|emulated"},
		{"going on", change(func(s *shape) { s.going = true }), "has not ended, or was killed|The record has no end|g and l are not known", "its result is"},
		{"no machine", change(func(s *shape) { s.bare = true }), "g and l are not in the record|g and l are not known|the program took", "has no end"},
		{"no calls", change(func(s *shape) { s.every, s.strategy = 0, "off" }), "no rescheduling call was made (off)|No rescheduling call was made: the strategy was “off”|0 of 24 processes moved", "Predicted and measured|Choose|before first move"},
		{"no moves", change(func(s *shape) { s.moves = 0 }), "9 rescheduling calls moved nothing|9 calls took|none moved anything|the reason", "Predicted and measured|before first move"},
		{"one rank", shape{seed: 1, steps: 20, ranks: 1, sets: 1, procs: 1, every: 5, strategy: "auto"}, "1 on 1 host in 1 Set|r0", "in 1 Sets|before first move"},
		{"one superstep", shape{seed: 1, steps: 1, ranks: 4, sets: 2, procs: 4, strategy: "auto"}, "Each column is a superstep|4 on 4 hosts in 2 Sets", "supersteps, added up"},
		{"no superstep", shape{seed: 1, steps: 0, ranks: 4, sets: 2, procs: 4, strategy: "auto", going: true}, "nothing is known of its efficiency|The record has no superstep|nothing to compute", "limited most"},
		{"hull", change(func(s *shape) { s.strategy = "mighull" }), "in each plane what is near the segment", "the cube"},
		{"no region", change(func(s *shape) { s.strategy = "auto" }), "Potentials and reasons", "The border"},
		{"many", shape{seed: 1, steps: 2500, ranks: 300, sets: 2, procs: 300, every: 500, moves: 4, strategy: "auto"}, "Columns are 1 to 3 supersteps, added up|Rows are means of up to 2 ranks|of 300 processes moved; shown are these", "The first 300"},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := pageOf(t, c.run.history(t))
			all := elementsOf(t, page)
			for _, fault := range faults(all) {
				t.Error(fault)
			}
			text := words(all)
			must.Have(t, text, strings.Split(c.says, "|")...)
			for _, unwanted := range strings.Split(c.not, "|") {
				if strings.Contains(text, unwanted) {
					t.Errorf("the page says %q", unwanted)
				}
			}
			if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") || strings.Contains(page, "ZgotmplZ") {
				t.Error("the page has figures that are none, or text that the template refused")
			}
		})
	}
}

func TestProblemsStandOut(t *testing.T) {
	h := usual.history(t)
	h.Problems = append(h.Problems, "run.jsonl:7:1: a line that is none")
	h.Warnings = append(h.Warnings, ledger.Warning{Step: 3, Text: "the network is shared"})
	text := words(elementsOf(t, pageOf(t, h)))
	must.Have(t, text, "Problems with the record", "run.jsonl:7:1: a line that is none", "the record has 1 problem, so take the figures with care", "superstep 3: the network is shared")
}

// A page of 500 supersteps on 64 ranks stays near a mebibyte, also with many
// calls, and one of the largest run that is drawn stays within reason.
func TestWeight(t *testing.T) {
	for _, c := range []struct {
		run  shape
		most int
	}{
		{shape{seed: 1, steps: 500, ranks: 64, sets: 3, procs: 256, every: 16, moves: 8, strategy: "migcube"}, 9 << 17},
		{shape{seed: 1, steps: 3000, ranks: 512, sets: 8, procs: 512, every: 100, moves: 8, strategy: "auto"}, 3 << 20},
	} {
		if n := len(pageOf(t, c.run.history(t))); n > c.most {
			t.Errorf("%d supersteps on %d ranks: %d bytes, at most %d", c.run.steps, c.run.ranks, n, c.most)
		}
	}
}

// The same record makes the same page.
func TestDeterministic(t *testing.T) {
	if pageOf(t, usual.history(t)) != pageOf(t, usual.history(t)) {
		t.Error("two pages of one record differ")
	}
}

// For any columns, no figure is lost or counted twice.
func TestCourseKeepsSums(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		h := new(ledger.History)
		h.Account.Run().Ranks = make([]ledger.Rank, 2)
		var work, total time.Duration
		first, steps := 1, 0
		for range 1 + random.IntN(60) {
			n := 1 + random.IntN(5)
			for site := range 1 + random.IntN(2) {
				w := time.Duration(random.IntN(1000))
				h.Steps = append(h.Steps, ledger.Step{First: first, Last: first + 2*n - 1, Count: n, Site: fmt.Sprint(site), Work: []time.Duration{w, w}, WorkMax: w, WorkSum: 2 * w, Total: w + 1})
				work, total, steps = work+w, total+w+1, steps+n
			}
			first += 2 * n
		}
		most := 1 + random.IntN(30)
		all := courseOf(tell.OfRecord(h), most)
		if len(all) > most {
			t.Fatalf("%d columns, at most %d", len(all), most)
		}
		for i := range all {
			work, total, steps = work-all[i].Step.WorkMax, total-all[i].Step.Total, steps-all[i].Step.Count
			if i > 0 && all[i].Step.First <= all[i-1].Step.Last {
				t.Fatalf("column %d begins at %d, the one before ends at %d", i, all[i].Step.First, all[i-1].Step.Last)
			}
		}
		if work != 0 || total != 0 || steps != 0 {
			t.Fatalf("%v of work, %v of time and %d supersteps are lost", work, total, steps)
		}
	}
}

// Each part of the budget is explained and has a colour.
func TestBudgetIsExplained(t *testing.T) {
	for _, row := range newBudget(tell.OfRecord(usual.history(t))).Parts {
		if row.Meaning == "" || !strings.Contains(style, fmt.Sprintf(".k-part%d {", row.Key)) {
			t.Errorf("%q is not explained, or has no colour", row.Name)
		}
	}
}

// TestPictures takes pictures of the pages of real records for the
// documentation: MIGBSP_PICTURES_OF names the directory of a run, or of two as in
// PATH, and MIGBSP_PICTURES_TO where the pictures go.
func TestPictures(t *testing.T) {
	from, to := os.Getenv("MIGBSP_PICTURES_OF"), os.Getenv("MIGBSP_PICTURES_TO")
	if from == "" || to == "" {
		t.Skip("SKIPPED: MIGBSP_PICTURES_OF and MIGBSP_PICTURES_TO are not set")
	}
	var runs []*ledger.History
	for _, name := range filepath.SplitList(from) {
		h := must.Get(ledger.Read(name))(t)
		runs = append(runs, h)
	}
	var page strings.Builder
	traffic := must.Get(runs[0].ReadTraffic())(t)
	write := func() error { return Write(&page, tell.OfRecord(runs[0]), traffic) }
	if len(runs) > 1 {
		write = func() error { return WriteComparison(&page, tell.OfRecord(runs[0]), tell.OfRecord(runs[1])) }
	}
	must.Do(t, write())
	b := startBrowser(t)
	b.open(stored(t, page.String()))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{400, 1280} {
			b.look(width, scheme)
			b.picture(filepath.Join(to, fmt.Sprintf("%s-%d.png", scheme, width)), "body")
		}
		for _, part := range []string{"body > header", "section[aria-labelledby=efficiency]", "section[aria-labelledby=course]", "section[aria-labelledby=where]", "details.call:not([hidden])"} {
			name := strings.Map(func(r rune) rune {
				if r < 'a' || r > 'z' {
					return -1
				}
				return r
			}, part)
			b.picture(filepath.Join(to, scheme+"-"+name+".png"), part)
		}
	}
}

// picture writes a picture of an element, if the page has it.
func (b *browser) picture(name, selector string) {
	b.t.Helper()
	var box map[string]float64
	b.eval(`(e => { if (!e) return null; const r = e.getBoundingClientRect(); return {x: r.x - 12, y: r.y + scrollY - 12, width: r.width + 24, height: r.height + 24, scale: 1} })(document.querySelector("`+selector+`"))`, &box)
	if box == nil {
		return
	}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true, "clip": box}, &shot)
	png := must.Get(base64.StdEncoding.DecodeString(shot.Data))(b.t)
	must.Do(b.t, os.WriteFile(name, png, 0o644))
}
