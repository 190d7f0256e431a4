package ledger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
	"github.com/migbsp/migbsp/ledger/tell"
	. "github.com/migbsp/migbsp/ledger/tell/text"
)

func TestAccountAddsUpBySite(t *testing.T) {
	b := AccountOf(TwoRanks(), Sample(1, "file.go:10", 30*US, 10*US), Sample(2, "file.go:10", 30*US, 10*US), Sample(3, "file.go:10", 30*US, 10*US),
		Sample(4, "file.go:20", 5*US, 15*US), Sample(5, "end", 1*US, 1*US))
	b.Machine = &Machine{PerByte: 1e-9, L: 2e-6}
	if b.Steps() != 5 {
		t.Errorf("%d steps, want 5", b.Steps())
	}
	total := b.Whole()
	if total.Step.Count != 5 || total.Step.WorkMax != 106*US || total.Step.WorkSum != 142*US || total.Step.H != 5000 {
		t.Errorf("total %+v", total)
	}
	first := b.Sites()[0].Step
	if first.WorkAvg() != 60*US || first.Imbalance() != 1.5 || fmt.Sprintf("%.3f", first.Idle()) != "0.333" {
		t.Errorf("first site: avg %v, imbalance %v, idle %v", first.WorkAvg(), first.Imbalance(), first.Idle())
	}
	var out strings.Builder
	must.Do(t, WriteTable(&out, tell.Of(b, nil), "sites", 0))
	must.Have(t, out.String(), "file.go:10", "file.go:20", "end", "all", "p3 in 100%", "p7 in 100%", "1.50", "33.3%", "   9 us  3 us    93 us")
}

// A long run uses at most the memory of MaxWindows windows, and its sums are complete.
func TestWindowsDoubleInLength(t *testing.T) {
	b := AccountOf(TwoRanks())
	const steps = 5*MaxWindows + 123
	for i := range steps {
		b.Enter(Sample(i+1, fmt.Sprint("x", i%2), US, US))
	}
	if len(b.Windows()) > MaxWindows {
		t.Fatalf("%d windows, want at most %d", len(b.Windows()), MaxWindows)
	}
	next := 1
	for _, w := range b.Windows() {
		if w.Step.First != next || w.Step.Count != b.WidthOfWindows() && next+w.Step.Count != steps+1 {
			t.Fatalf("window of %d steps at %d, want %d at %d", w.Step.Count, w.Step.First, b.WidthOfWindows(), next)
		}
		if !w.Mixed && w.Step.Count > 1 {
			t.Fatalf("window at %d does not say that its sites differ", w.Step.First)
		}
		next += w.Step.Count
	}
	if next != steps+1 {
		t.Errorf("windows end at %d, want %d", next-1, steps)
	}
}

// The account tracks the ranks of processes and reports impossible moves.
func TestAccountFollowsProcesses(t *testing.T) {
	b := AccountOf(TwoRanks(), &Move{Call: 1, Pid: 0, From: 0, To: 1}, &Move{Call: 2, Pid: 0, From: 1, To: 0}, &Move{Call: 3, Pid: 7, From: 1, To: 0})
	if got := fmt.Sprint(b.Where()); got != "[0 0 0 0 1 1 1 0]" {
		t.Errorf("processes are on ranks %s", got)
	}
	if wrong := b.Check(); len(wrong) > 0 {
		t.Error(wrong)
	}
	b.Enter(&Move{Call: 4, Pid: 7, From: 1, To: 0})
	if wrong := b.Check(); len(wrong) != 1 || !strings.Contains(wrong[0], "process 7 moved from rank 1") {
		t.Errorf("a move from where the process is not: %q", wrong)
	}
}

// The account keeps few calls regardless of their number, and its sums include all of them.
func TestCallsAreBounded(t *testing.T) {
	b := AccountOf(TwoRanks())
	const calls = MostCalls + 1000
	for n := 1; n <= calls; n++ {
		b.Enter(&Call{Number: n, Step: n, Moved: 1, Took: 1, Move: 2, Bytes: 3})
		b.Enter(&Move{Call: n, Pid: 0, From: (n + 1) % 2, To: n % 2})
		b.Enter(&Call{Number: n, Step: n, Balanced: true})
	}
	if last := b.Calls().Last; len(last) > MostCalls || len(last[len(last)-1].Moves) != 1 {
		t.Errorf("%d calls are kept, the last with %d moves", len(last), len(last[len(last)-1].Moves))
	}
	s := b.Calls()
	if s.Calls != 2*calls || s.Moving != calls || s.Moves != calls || s.Balanced != calls || s.Bytes != 3*calls || s.MoveTime != 2*calls {
		t.Errorf("summary %+v", s)
	}
}

func TestTableOfNothing(t *testing.T) {
	for _, view := range tell.Views {
		var out strings.Builder
		for _, b := range []*Account{new(Account), AccountOf(TwoRanks())} {
			if err := WriteTable(&out, tell.Of(b, nil), view, 80); err != nil {
				t.Errorf("%s: %v", view, err)
			}
			if err := WriteCSV(&out, tell.Of(b, nil), view); err != nil {
				t.Errorf("%s: %v", view, err)
			}
		}
	}
	if err := WriteAccount(&strings.Builder{}, tell.Of(new(Account), nil), "full", "", Display{}); err != nil {
		t.Error(err)
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Seconds(0), "0 ns"}, {Seconds(999), "999 ns"}, {Seconds(1500), "1.50 us"}, {Seconds(999600), "1.00 ms"},
		{Seconds(12 * time.Second), "12 s"}, {Seconds(3 * time.Hour), "10800 s"}, {Seconds(-1500), "-1.50 us"},
		{Bytes(0), "0 B"}, {Bytes(999), "999 B"}, {Bytes(1024), "1 KiB"}, {Bytes(3 << 19), "1.50 MiB"}, {Bytes(1 << 50), "1024 TiB"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
