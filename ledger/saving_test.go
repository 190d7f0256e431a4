package ledger_test

import (
	"math"
	"strings"
	"testing"
	"time"

	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
	"github.com/migbsp/migbsp/ledger/tell"
	. "github.com/migbsp/migbsp/ledger/tell/text"
)

// The savings of the calls add up to the run's, and each prediction is the saving of the mapping
// before the call plus the call's forecast.
func TestBroughtAddsUp(t *testing.T) {
	b := AccountOf(Compared()...)
	b.Stop(2.3e-3)
	s, spent, known := b.Saving()
	if !known || math.Abs(s.Gross()-9e-4) > 1e-15 || math.Abs(spent-70e-6) > 1e-15 {
		t.Errorf("%+v, %g s spent, known %v", s, spent, known)
	}
	sum := 0.0
	for i, want := range []Brought{{Steps: 10, Predicted: 5e-4, Realised: 4e-4, Error: 3e-5}, {Steps: 10, Predicted: 4e-4 + 2e-4, Realised: 5e-4, Error: 4e-5}} {
		got := b.Calls().Last[i].Brought
		sum += got.Realised
		if got.Steps != want.Steps || !Equal(got.Predicted*1e3, want.Predicted*1e3) || !Equal(got.Realised*1e3, want.Realised*1e3) || !Equal(got.Error*1e3, want.Error*1e3) {
			t.Errorf("call %d brought %+v, want %+v", i+1, *got, want)
		}
	}
	if math.Abs(sum-s.Gross()) > 1e-15 {
		t.Errorf("calls brought %g s, the run saved %g s", sum, s.Gross())
	}
	if wrong := b.Check(); len(wrong) > 0 {
		t.Error(wrong)
	}
	summary := tell.Of(b, nil).Summary()
	if v := summary.Saving; v == nil || !Equal(v.Net*1e3, 0.83) || !Equal(v.Without*1e3, 2.3+0.83) {
		t.Errorf("summary %+v", v)
	}
}

// A history contains the saving of each call, as in the account of the run.
func TestHistoryOfComparedRun(t *testing.T) {
	h, err := ReadFrom("r", Written(append(Compared(), &End{At: 2.3e-3, Supersteps: 30})))
	if err != nil || len(h.Problems) > 0 {
		t.Fatal(err, h.Problems)
	}
	if len(h.Calls) != 3 || h.Calls[0].Brought == nil || h.Calls[1].Brought == nil || h.Calls[2].Brought != nil {
		t.Fatalf("%+v", h.Calls)
	}
	if got := h.Calls[0].Brought.Realised; !Equal(got*1e3, 0.4) {
		t.Errorf("the first call brought %g s", got)
	}
}

// The saving of a run without moves is unknown; on an emulated platform it is exact.
func TestSavingOfOtherRuns(t *testing.T) {
	b := AccountOf(TwoRanks(), Sample(1, "x", US, US), &Saving{Step: 1, Unmoved: 1e-6, Seen: 1e-6})
	if _, _, known := b.Saving(); known {
		t.Error("something was saved without a move")
	}
	b = AccountOf(TwoRanks(), Sample(1, "x", US, US), &Call{Number: 1, Step: 1, Moved: 1, Took: 1, Move: 2})
	b.Emulation = &Emulation{With: 10, Without: 15, Calls: 1, Moves: 2}
	if s, spent, known := b.Saving(); !known || s.Gross()-spent != 5 || s.Error != 0 || s.Seen != 7 {
		t.Errorf("emulated: %+v, %g s spent, known %v", s, spent, known)
	}
}

// Figures that do not fit together are found.
func TestSavingAndCapacityAreChecked(t *testing.T) {
	good := &Capacity{At: 1, Ranks: []RankCapacity{{Elapsed: 2.1e-3, CPU: 1.1e-3, Throttled: 1e-3}, {Elapsed: 30e-6, CPU: 30e-6}}}
	for want, change := range map[string]func(*Account){
		"":              func(*Account) {},
		"was denied":    func(a *Account) { a.Capacity().Ranks[0].Foreign = 1 },
		"ranks worked":  func(a *Account) { a.Capacity().Ranks[1].Elapsed++; a.Capacity().Ranks[1].CPU++ },
		"they took":     func(a *Account) { a.SavingSoFar().Seen = 1; a.SavingSoFar().Unmoved += 1 - 2.1e-3 },
		"calls brought": func(a *Account) { a.Calls().AddToPast(1) },
	} {
		b := AccountOf(Compared()...)
		b.WholeSoFar().Step.DeniedSum = time.Millisecond
		b.Enter(good)
		b.Stop(2.3e-3)
		change(b)
		if wrong := strings.Join(b.Check(), "; "); want == "" && wrong != "" || !strings.Contains(wrong, want) {
			t.Errorf("want %q: %q", want, wrong)
		}
	}
}

// oldRecord is in an old format, in which work was processor time, and lost time was added to it.
const oldRecord = `{"type":"run","schema":"migbsp.run/1","program":"lu","engine":"MPI","started":"2026-11-01T00:00:00Z","procs":2,"ranks":[{"host":"a","set":0,"speed":1},{"host":"b","set":0,"speed":1}],"sets":[{"name":"all","manager":0}],"links":[[{"latency":1e-6,"per_byte":1e-9}]],"strategy":"auto","mapping":[[0,1],[1,1]]}
{"type":"superstep","first":1,"last":1,"count":1,"site":"main.go:1","at":0,"w":[0.001,0.002],"w_max":0.002,"w_min":0.001,"lost":0.01,"least":0.0015,"slow_rank":1,"slow_pid":1,"slow_w":0.002,"talks":0,"h":0,"comm":0.001,"t":0.013}
{"type":"balance","call":1,"step":1,"at":0.013,"alpha_before":4,"alpha_after":4,"d":0.5,"balanced":false,"moved":1,"bytes":10,"took":0.001,"move":0.001,"messages":1,"talk":1,"considered":0}
{"type":"migration","call":1,"step":1,"pid":1,"from":1,"to":0,"bytes":10}
{"type":"superstep","first":2,"last":2,"count":1,"site":"main.go:1","at":0.015,"w":[0.003,0],"w_max":0.003,"w_min":0,"lost":0,"least":0.0015,"slow_rank":0,"slow_pid":1,"slow_w":0.002,"talks":0,"h":0,"comm":0.001,"t":0.004}
{"type":"outcome","call":1,"steps":1,"predicted":0.005,"realised":0.004,"cost":0.001,"sure":false}
`

// Records of older versions keep their meaning, also for a killed run: lost time is separate from
// work, and a run without moves has no saving.
func TestOldRecords(t *testing.T) {
	for end, state := range map[string]string{"": "not ended", `{"type":"end","code":0,"at":0.02,"supersteps":2}` + "\n": "ended"} {
		h, err := ReadFrom("old", strings.NewReader(oldRecord+end))
		if err != nil || len(h.Problems) > 0 || !strings.HasPrefix(tell.OfRecord(h).State(), state) {
			t.Fatal(err, h.Problems, tell.OfRecord(h).State())
		}
		whole := h.Account.Whole()
		d, e := h.Account.Budget(&whole), h.Account.Efficiency(&whole)
		if d.Work != 0.005 || d.Lost != 0.01 || d.Denied.Sum() != 0 || e.Capacity != 1 || !Equal(e.Parallel, 0.006/2/whole.Elapsed) {
			t.Errorf("%+v %+v", d, e)
		}
		if _, _, known := h.Account.Saving(); known || h.Calls[0].Brought != nil || h.Calls[0].Outcome == nil {
			t.Error("a comparison with a run without moves that was not made")
		}
		var out strings.Builder
		if err := WriteAccount(&out, tell.Of(&h.Account, h.End), "full", "", Display{}); err != nil || !strings.Contains(out.String(), "Saved: 4 ms in the 1 superstep") {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
}

// Denied time is divided by its known causes, and the budget contains all of it.
func TestBudgetOfDeniedTime(t *testing.T) {
	s := Sample(1, "x", 100*US, 20*US)
	s.Denied, s.DeniedSum = 80*US, 90*US
	b := AccountOf(TwoRanks(), s)
	b.Stop(101e-6)
	whole := b.Whole()
	if d := b.Budget(&whole); !Equal(d.Work*1e3, 20e-3) || !Equal(d.Lost*1e3, 80e-3) || d.Denied.Sum() != 0 {
		t.Errorf("causes unknown: %+v", d)
	}
	if e := b.Efficiency(&whole); !Equal(e.Capacity, 0.25) || !Equal(e.Parallel, 30./202) || !Equal(e.LoadBalance, 0.6) {
		t.Errorf("%+v", e)
	}
	b.Enter(&Capacity{At: 1, Ranks: []RankCapacity{
		{Elapsed: 100e-6, CPU: 20e-6, Throttled: 60e-6, Foreign: 20e-6}, {Elapsed: 20e-6, CPU: 10e-6, Throttled: 10e-6},
	}})
	d := b.Budget(&whole)
	if !Equal(d.Denied.Throttled*1e3, 80e-3*70/90) || !Equal(d.Denied.Foreign*1e3, 80e-3*20/90) || !Equal(d.Denied.Sum()*1e3, 80e-3) {
		t.Errorf("%+v", d.Denied)
	}
	if wrong := b.Check(); len(wrong) > 0 {
		t.Error(wrong)
	}
	for _, bad := range []Entry{&Capacity{Ranks: make([]RankCapacity, 1)}, &Capacity{Ranks: []RankCapacity{{CPU: -1}, {}}}, &Saving{Step: 1, Seen: -1}, &Saving{Step: 1, Error: math.NaN()}} {
		if CheckOf(TwoRanks(), bad) == nil {
			t.Errorf("%+v is read", bad)
		}
	}
}

// A run that ended, or was killed, before anything was seen of its moves has no gain and no
// loss to tell; the cost of moves after its last superstep is a loss.
func TestGainOfAKilledRun(t *testing.T) {
	until := func(text string) int {
		for i, e := range Compared() {
			if c, ok := e.(*Call); ok && c.Step == 10 && text == "call" {
				return i + 1
			}
			if s, ok := e.(*Saving); ok && s.Step == 20 && text == "seen" {
				return i + 1
			}
		}
		return 0
	}
	for _, c := range []struct {
		name        string
		entries     int
		ended       bool
		known, lost bool
	}{
		{name: "killed at its first move", entries: until("call")},
		{name: "killed soon after it", entries: until("call") + 5},
		{name: "killed later", entries: until("seen"), known: true},
		{name: "ended with a move", entries: until("call"), ended: true, known: true, lost: true},
	} {
		a := AccountOf(Compared()[:c.entries]...)
		if c.ended {
			a.Stop(1.1e-3)
		}
		if g := tell.Of(a, nil).Gain; g.Known != c.known || g.Lost() != c.lost {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}
