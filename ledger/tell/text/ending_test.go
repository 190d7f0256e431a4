package text

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/migbsp/migbsp/internal/testrun/must"
	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
	"github.com/migbsp/migbsp/ledger/tell"
)

// ending prints the end of a run as a program does.
func ending(b *Account, end *End, display Display) string {
	var out strings.Builder
	WriteResult(&out, tell.Of(b, nil), display, "verdict")
	out.WriteString("\n")
	WriteAccount(&out, tell.Of(b, end), "verdict", "migbsp report runs/4711", display)
	return out.String()
}

// The end of any run has at most 15 lines of 80 columns, and omits no warning.
func TestEndOfRunIsShort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for n := range 200 {
		b := AccountOf(Story(uint64(n), 5+random.IntN(60))...)
		b.Run().Emulated, b.Run().Platform = n%3 == 0, "a/platform/of/"+words(1)+".hosts"
		b.Result.Title, b.Result.Size = words(1+random.IntN(6)), words(1+random.IntN(6))
		for range random.IntN(12) {
			b.Result.Details = append(b.Result.Details, Detail{Name: words(1 + random.IntN(3)), Value: words(1 + random.IntN(8))})
		}
		for range random.IntN(9) {
			b.Result.Checks = append(b.Result.Checks, Check{Name: words(1 + random.IntN(6)), Value: 1, Limit: 2, Passed: random.IntN(4) > 0})
		}
		for range random.IntN(3) {
			b.Enter(&Warning{Text: words(5 + random.IntN(10))})
		}
		var end *End
		if n%5 > 0 {
			end = &End{}
		}
		text := ending(b, end, Display{})
		if lines := strings.Count(text, "\n"); lines > endLines {
			t.Fatalf("%d lines:\n%s", lines, text)
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 && !strings.HasPrefix(line, "check ") {
				t.Errorf("%d columns in %q", n, line)
			}
		}
		if failed := !b.Result.Passed(); failed != strings.Contains(text, "  FAILED\n") || failed != strings.Contains(text, "do not use this result") {
			t.Fatalf("result passed: %v\n%s", !failed, text)
		}
		if !strings.Contains(text, "\nchecksum  00ff\n") {
			t.Fatalf("no checksum:\n%s", text)
		}
		if len(b.Warnings) > 0 && !strings.Contains(text, "\n note  ") && !regexp.MustCompile(`; \d+ warnings?: -table full`).MatchString(strings.Join(strings.Fields(text), " ")) {
			t.Fatalf("no word of warnings:\n%s", text)
		}
	}
}

// A loss stands out, and is named as one by all verdicts.
func TestLossIsSeen(t *testing.T) {
	b := AccountOf(Story(3, 45)...)
	b.Run().Emulated, b.Emulation = true, &Emulation{With: 0.2, Without: 0.15}
	h := &History{Account: *b, End: &End{}}
	text := ending(b, h.End, Display{Color: true})
	if !strings.Contains(text, "\x1b[1;31m4 moves in 4 calls LOST 50 ms, 33.3% of 150 ms") || !strings.Contains(text, "-balance off") {
		t.Errorf("no loss in\n%s", text)
	}
	if !strings.Contains(tell.OfRecord(h).Verdict(), "lost 50 ms, 33.3% of the 150 ms") || !strings.Contains(tell.OfRecord(h).Brief(), "4 moves lost 33.3%") {
		t.Errorf("%s\n%s", tell.OfRecord(h).Verdict(), tell.OfRecord(h).Brief())
	}
	b.Emulation.Without = 0.4
	if text := ending(b, h.End, Display{Color: true}); strings.Contains(text, "\x1b[1;31m") || !strings.Contains(text, "saved 200 ms, 50.0% of 400 ms; cost 1.20 ms") {
		t.Errorf("no gain in\n%s", text)
	}
	b = AccountOf(Story(3, 45)...)
	b.Enter(&Saving{Step: 45, Unmoved: 1, Seen: 0.5, Error: 0.01})
	if text := ending(b, h.End, Display{}); !strings.Contains(text, "saved 499 ms ± 10 ms, 93.4% ± 0.1%") {
		t.Errorf("beside the unmoved shadow:\n%s", text)
	}
	if g := (&tell.Gain{Known: true, Saved: -1, Error: 2}); g.Lost() {
		t.Error("a loss within the error counts as one")
	}
}

// A line on a run has room for its checksum, for any text on moves.
func TestBriefEndsWithTheChecksum(t *testing.T) {
	const checksum = "96c92c6d8fcb2b4496c92c6d8fcb2b44"
	b := AccountOf(Story(3, 45)...)
	b.Enter(&Saving{Step: 45, Unmoved: 125.5, Seen: 0.5, Error: 164})
	b.Stop(b.Whole().Elapsed)
	b.Result = &Result{Checks: []Check{{Passed: true}}, Checksum: checksum}
	text := tell.OfRecord(&History{Account: *b, End: &End{}}).Brief()
	if !strings.HasSuffix(text, " PASSED "+checksum) || !strings.Contains(text, " moves, ") || len(text) > 80 {
		t.Errorf("%d characters: %q", len(text), text)
	}
}

// No text gives a saving as a part of the time if its error covers it, or is not known; otherwise
// the error follows the saving.
func TestDoubtfulSavings(t *testing.T) {
	percentage := regexp.MustCompile(`[0-9.]+%`)
	for _, c := range []struct {
		name    string
		unmoved float64
		error   float64
		says    string // in all of them
		parts   int
	}{
		{"within its error", 125.5, 164, "not sure whether ", 0},
		{"a loss within its error", 0.49, 0.02, "not sure whether ", 0},
		{"of no error", 1, 0, "", 0},
		{"sure", 1, 0.1, "saved ", 2},
		{"a loss for sure", 0.48, 0.005, "lost ", 2},
	} {
		b := AccountOf(Story(3, 45)...)
		b.Enter(&Saving{Step: 45, Unmoved: c.unmoved, Seen: 0.5, Error: c.error})
		b.Stop(b.Whole().Elapsed)
		h := &History{Account: *b, End: &End{}}
		conclusion := tell.Of(&h.Account, h.End)
		f := gainFact(&conclusion.Gain, "auto", Display{})
		for _, text := range []string{tell.OfRecord(h).Brief(), conclusion.Verdict(), f.text} {
			if !strings.Contains(strings.ToLower(text), c.says) || len(percentage.FindAllString(text, -1)) != c.parts {
				t.Errorf("%s: %q", c.name, text)
			}
		}
		var full strings.Builder
		if err := WriteAccount(&full, tell.Of(&h.Account, h.End), "full", "", Display{}); err != nil || conclusion.Gain.Doubtful() != strings.Contains(full.String(), "Not sure whether moves paid") {
			t.Errorf("%s: %v in\n%s", c.name, err, &full)
		}
	}
	// The error of a part reaches 0 where the error of the time does.
	for _, saved := range []float64{-3, -1, 1, 3} {
		g := tell.Gain{Known: true, Estimated: true, Without: 10, Saved: saved, Error: math.Abs(saved) * 0.999}
		if part, error, known := g.Part(); !known || math.Abs(math.Abs(part)-error) > 0.01 || part > 0 != (saved > 0) {
			t.Errorf("%+v: %g, %g, %v", g, part, error, known)
		}
	}
}

// A run without moves prints the reason: of several reasons, the reason of the last call that saw a
// possible gain.
func TestWhyNothingMoved(t *testing.T) {
	b := Advised([]string{"a", "b"}, []time.Duration{9e6, 3e6}, []int32{0, 0, 1}, 0)
	b.Enter(&Call{Number: 1, Step: 10, Took: 1.39e-3, Kept: "no move was found that pays; process 1: no rank would finish sooner with it"})
	if text := ending(b, nil, Display{}); !strings.Contains(text, " 0 moves (1 call, 1.39 ms): no move would pay\n") {
		t.Errorf("no reason in\n%s", text)
	}
	b.Enter(&Call{Number: 2, Step: 20, Kept: "2 moves would save 1 s and cost 3 s", Forecast: 1, Horizon: 20})
	b.Enter(&Call{Number: 3, Step: 30, Kept: "no move was found that pays"})
	if text := ending(b, nil, Display{}); !strings.Contains(text, " 0 moves (3 calls, 1.39 ms): 2 moves would save 1 s and cost 3 s\n") {
		t.Errorf("no reason in\n%s", text)
	}
}

// The time of measuring before the first superstep is printed if it matters, because it is not part
// of the time.
func TestMeasuringBeforeIsSaid(t *testing.T) {
	b := Advised([]string{"a", "b"}, []time.Duration{9e6, 9e6}, []int32{0, 1}, 0)
	for _, before := range []float64{0.1, 3} {
		b.Run().Measuring = before
		if text := ending(b, nil, Display{}); strings.Contains(text, " after 3 s of measuring, ") != (before == 3) {
			t.Errorf("measured for %g s: %s", before, text)
		}
	}
}

// A start that is not in equal blocks is named, and so is the comparison with it.
func TestStartIsNamed(t *testing.T) {
	b := Advised([]string{"a", "b"}, []time.Duration{9e6, 9e6}, []int32{0, 1}, 0)
	if text := ending(b, nil, Display{}); strings.Contains(text, " start ") {
		t.Errorf("in blocks: %s", text)
	}
	b.Run().StartFrom("by speeds: 1 process on a, 1 on b")
	if text := ending(b, nil, Display{}); !strings.Contains(text, "\n start         by speeds: 1 process on a, 1 on b\n") {
		t.Errorf("by speeds: %s", text)
	}
}

// Hosts that are drained are listed, and are not idle.
func TestDrainedHostsAreListed(t *testing.T) {
	b := Advised([]string{"a", "b", "c"}, []time.Duration{9e6, 9e6, 0}, []int32{0, 1, 1}, 0)
	b.Enter(&Drain{Host: "c", State: DrainAsked})
	b.Enter(&Drain{Host: "c", State: DrainDone, Step: 3, Left: 2})
	text := ending(b, nil, Display{})
	if !strings.Contains(text, "c after superstep 3: 2 processes left") || strings.Contains(text, "hosts idle") {
		t.Errorf("%s", text)
	}
	b.Enter(&Drain{Host: "c", Undo: true, State: DrainDone, Step: 9})
	if text := ending(b, nil, Display{}); strings.Contains(text, "drained") || !strings.Contains(text, "1 of 3 hosts idle") {
		t.Errorf("%s", text)
	}
}

// The advice follows from the measurements.
func TestAdvice(t *testing.T) {
	ms := func(n ...time.Duration) []time.Duration {
		for i := range n {
			n[i] *= time.Millisecond
		}
		return n
	}
	two, four := []string{"a", "b"}, []string{"a", "b", "c", "d"}
	for _, c := range []struct {
		name string
		b    *Account
		want string
	}{
		{"good", Advised(two, ms(9, 9), []int32{0, 0, 1, 1}, 0), "nothing has to be done"},
		{"unequal", Advised(two, ms(9, 3), []int32{0, 0, 1, 1}, 0), "30.0% of the time is left to even out, and shorten the 10.0% that exchanges take; a longer run"},
		{"one process each", Advised(two, ms(9, 3), []int32{0, 1}, 0), "each rank has one process: with more (-procs 8)"},
		{"barriers", Advised(two, ms(3, 3), []int32{0, 0, 1, 1}, 7*time.Millisecond), "on a alone this would take about 240 ms: fewer hosts, or a larger problem"},
		{"barriers of more work", Advised(two, ms(5, 5), []int32{0, 0, 1, 1}, 5*time.Millisecond), "bound by barriers: a larger problem, or fewer hosts"},
		{"idle", Advised(four, ms(9, 0, 0, 0), []int32{0, 0, 0, 0}, 0), "3 of 4 hosts idle"},
		{"too few processes", Advised(four, ms(9, 0, 0, 0), []int32{0}, 0), "3 of 4 hosts idle: -procs 4 or more use all"},
	} {
		if got := strings.Join(tell.Of(c.b, &End{}).Next, "; "); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		denied RankCapacity
		want   string
	}{
		{RankCapacity{Throttled: 9, Cores: 128, Share: 64}, "a quota grants 128 cores to 2 ranks on a"},
		{RankCapacity{Shared: 9}, "2 ranks on a share half a core: fewer ranks do the same"},
		{RankCapacity{Throttled: 9}, "a quota grants half a core to 2 ranks on a: ask for more"},
		{RankCapacity{Foreign: 9, Other: 1}, "2 ranks on a get half a core: whole nodes"},
	} {
		b := Advised([]string{"a", "a"}, ms(9, 9), []int32{0, 0, 1, 1}, 0)
		deny(b)
		rank := c.denied
		rank.Elapsed, rank.CPU, rank.Share, rank.Quota = 1, 0.5, 0.25, 1
		b.Enter(&Capacity{Ranks: []RankCapacity{rank, rank}})
		got := tell.Of(b, &End{})
		if got.Limit.Name != "capacity" || !strings.Contains(strings.Join(got.Next, "; "), c.want) {
			t.Errorf("%+v: %+v, want %q", c.denied, got, c.want)
		}
	}
	// A host that the run has left, or that is drained, is no longer advised on.
	for where, want := range map[string]string{"b": "1 rank on b gets half a core", "ab": "1 rank on a gets 0.25 of a core"} {
		for _, drained := range []bool{false, true} {
			mapping := []int32{1, 1}
			if where == "ab" {
				mapping = []int32{0, 1}
			}
			b := Advised(two, ms(9, 9), mapping, 0)
			deny(b)
			b.Enter(&Capacity{Ranks: []RankCapacity{
				{Elapsed: 1, CPU: 0.5, Foreign: 1, Share: 0.25, Quota: 1}, {Elapsed: 1, CPU: 0.5, Foreign: 1, Share: 0.5, Quota: 1},
			}})
			if drained {
				b.Enter(&Drain{Host: "a", State: DrainDone})
				want = "1 rank on b gets half a core"
			}
			if got := strings.Join(tell.Of(b, &End{}).Next, "; "); !strings.Contains(got, want) || drained && strings.Contains(got, "on a") {
				t.Errorf("processes on %s, a drained %v: %q, want %q", where, drained, got, want)
			}
		}
	}
	// The host that is named is one where the cause that is named costs most, though another gives less.
	b := Advised([]string{"a", "b", "c"}, ms(9, 9, 9), []int32{0, 1, 2}, 0)
	deny(b)
	b.Enter(&Capacity{Ranks: []RankCapacity{
		{Elapsed: 1, CPU: 0.1, Throttled: 0.9, Share: 0.1, Cores: 0.1},
		{Elapsed: 1, CPU: 0.2, Foreign: 0.8, Share: 0.2, Cores: 0.5}, {Elapsed: 1, CPU: 0.3, Foreign: 0.7, Share: 0.3, Cores: 0.5},
	}})
	if got := strings.Join(tell.Of(b, &End{}).Next, "; "); !strings.Contains(got, "1 rank on b gets 0.2 of a core: whole nodes") {
		t.Error(got)
	}
	// One host is named even if quotas cost most, if it alone would finish sooner than all of them
	// under any balance of work.
	for fast, want := range map[float64]string{0.9: "on a alone this would take about 222 ms", 0.4: "ask for more"} {
		b := Advised([]string{"a", "b", "c"}, ms(5, 5, 5), []int32{0, 1, 2}, 4*time.Millisecond)
		deny(b)
		b.Enter(&Capacity{Ranks: []RankCapacity{
			{Elapsed: 1, CPU: 0.1, Throttled: 0.1, Share: fast, Cores: fast},
			{Elapsed: 1, CPU: 0.05, Throttled: 0.95, Share: 0.1, Cores: 0.1}, {Elapsed: 1, CPU: 0.05, Throttled: 0.95, Share: 0.1, Cores: 0.1},
		}})
		if got := tell.Of(b, &End{}); !strings.Contains(strings.Join(got.Next, "; "), want) {
			t.Errorf("a host of %g cores, limit %s: %q, want %q", fast, got.Limit.Name, got.Next, want)
		}
	}
	// The cores that ranks share are the number printed at the beginning of the run.
	for _, denied := range []RankCapacity{{Throttled: 9}, {Shared: 9}, {Foreign: 9}} {
		b := Advised([]string{"a", "a", "a"}, ms(9, 9, 9), []int32{0, 1, 2}, 0)
		deny(b)
		rank := denied
		rank.Elapsed, rank.CPU, rank.Share, rank.Quota, rank.Cores = 1, 0.5, 0.3, 1, 0.25
		b.Enter(&Capacity{Ranks: []RankCapacity{rank, rank, rank}})
		if got := strings.Join(tell.Of(b, &End{}).Next, "; "); !strings.Contains(got, "3 ranks on a") || !strings.Contains(got, "0.25 of a core") {
			t.Errorf("%+v: %q", denied, got)
		}
	}
	// The possible gain of balancing counts idle hosts too: it is not printed for a run that has
	// left them.
	if got := strings.Join(tell.Of(Advised(four, ms(9, 3, 0, 0), []int32{0, 0, 0, 1, 1, 1}, 0), &End{}).Next, "; "); got != "2 of 4 hosts idle" {
		t.Errorf("two of four hosts: %q", got)
	}
	b = Advised(two, ms(9, 3), []int32{0, 0, 1, 1}, 0)
	b.Run().Strategy = "off"
	if got := fmt.Sprint(tell.Of(b, &End{}).Next); !strings.Contains(got, "-balance auto: moves can even out 30.0% of the time, and shorten the 10.0% that exchanges take]") {
		t.Error(got)
	}
	// Moves come first also if ranks of small quotas, which they help most, limit the run.
	b = Advised([]string{"a", "b"}, ms(9, 3), []int32{0, 0, 1, 1}, 0)
	b.Run().Strategy = "off"
	deny(b)
	b.Enter(&Capacity{Ranks: []RankCapacity{
		{Elapsed: 1, CPU: 0.1, Throttled: 9, Share: 0.1, Quota: 1}, {Elapsed: 1, CPU: 0.5, Share: 0.5, Quota: 1},
	}})
	got := tell.Of(b, &End{})
	if text := fmt.Sprint(got.Next); got.Limit.Name != "capacity" || !strings.HasPrefix(text, "[-balance auto: moves can even out") || !strings.Contains(text, "a quota grants 0.1 of a core to 1 rank on a") {
		t.Errorf("limited by %s: %s", got.Limit.Name, text)
	}
	b = Advised([]string{"a", "a"}, ms(9, 3), []int32{0, 0, 1, 1}, 0)
	if got := fmt.Sprint(tell.Of(b, &End{}).Next); !strings.Contains(got, "30.0% of the time is left to even out; a longer run") {
		t.Error(got)
	}
}

// Advice changes something that the run did not do, and does not contradict the run.
func TestAdviceFitsTheRun(t *testing.T) {
	two, one := []string{"a", "b"}, []string{"a", "a"}
	even, uneven := []time.Duration{5e6, 5e6}, []time.Duration{9e6, 3e6}
	spread := func(procs int) (where []int32) {
		for pid := range procs {
			where = append(where, int32(2*pid/procs))
		}
		return where
	}
	bound := func(b *Account) *Account { // by communication
		b.Machine = &Machine{PerByte: 5e-6}
		return b
	}
	set := func(b *Account, strategy string, entries ...Entry) *Account {
		b.Run().Strategy = strategy
		for _, e := range entries {
			b.Enter(e)
		}
		return b
	}
	moved := []Entry{&Call{Number: 1, Step: 20, Moved: 1}, &Move{Call: 1, Step: 20, Pid: 1, From: 0, To: 1}}
	lost := func(b *Account) *Account {
		b.Run().Emulated, b.Emulation = true, &Emulation{With: 0.4, Without: 0.2}
		return b
	}
	for _, c := range []struct {
		name, want string
		b          *Account
	}{
		{"fewer processes leave some to move", "communication-bound: fewer processes on each rank send less (-procs 4)", bound(Advised(two, even, spread(8), 5e6))},
		{"fewer processes would leave none to move", "communication-bound: a larger problem, or fewer hosts", bound(Advised(two, even, spread(4), 5e6))},
		{"one host", "communication-bound: a larger problem, or fewer ranks", bound(Advised(one, even, spread(4), 5e6))},
		{"all on one rank", "communication-bound: a larger problem", bound(Advised(one[:1], even[:1], []int32{0, 0}, 5e6))},
		{"one process each", "each rank has one process: with more (-procs 8) some can move", Advised(one, uneven, []int32{0, 1}, 0)},
		{"one process each, and none may move", "each rank has one process: with more (-procs 8) and -balance auto some can move", set(Advised(one, uneven, []int32{0, 1}, 0), "off")},
		{"not one process each", "30.0% of the time is left to even out; a longer run leaves time for moves", Advised(one, uneven, []int32{1, 1}, 0)},
		{"fewer processes than ranks", "1 of 2 ranks have no process: more processes (-procs 8)", Advised(one, uneven, []int32{0}, 0)},
		{"moves that lost", "-balance off: on this load moves cost more than they saved", lost(set(Advised(one, uneven, spread(6), 0), "auto", moved...))},
		{"good, but moves lost", "-balance off: on this load moves cost more than they saved", lost(set(Advised(one, []time.Duration{9e6, 9e6}, spread(6), 0), "auto", moved...))},
		{"dear calls that moved nothing", "-balance off: calls took 50.0% of the time and moved nothing", set(Advised(one, even, spread(4), 0), "auto", &Call{Number: 1, Step: 40, At: 0.4, Took: 0.4})},
	} {
		b := c.b
		b.Stop(b.Whole().Elapsed)
		if got := strings.Join(tell.Of(b, &End{}).Next, "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A run that asked for moves and made none has lost nothing; the cost of asking is stated.
func TestCallsWithoutMovesAreNoLoss(t *testing.T) {
	b := Advised([]string{"a", "b"}, []time.Duration{9e6, 3e6}, []int32{0, 0, 1}, 0)
	b.Run().Emulated, b.Emulation = true, &Emulation{With: 0.41, Without: 0.4, Calls: 0.01}
	b.Enter(&Call{Number: 1, Step: 40, At: 0.4, Took: 0.01, Kept: "no move was found that pays"})
	v := tell.Of(b, &End{})
	var full strings.Builder
	must.Do(t, WriteAccount(&full, v, "full", "", Display{}))
	for _, text := range []string{ending(b, &End{}, Display{Color: true}), v.Verdict(), v.Brief(), full.String()} {
		if strings.Contains(strings.ToLower(text), "lost 10") || strings.Contains(text, "% lost") || strings.Contains(text, "\x1b[1;31m") || strings.Contains(text, "-balance off") {
			t.Errorf("it says that something was lost:\n%s", text)
		}
	}
	must.Have(t, ending(b, &End{}, Display{}), " rescheduling  0 moves (1 call, 10 ms): no move would pay\n")
	must.Have(t, v.Verdict(), "1 rescheduling call moved nothing, at a cost of 10 ms")
	must.Have(t, full.String(), "2.5% for calls")
}

// deny has half of all work so far not been granted a processor.
func deny(b *Account) {
	s := b.Whole().Step
	b.Enter(&Step{First: s.Last + 1, Count: 1, Ranks: s.Ranks, Work: make([]time.Duration, s.Ranks), Denied: s.WorkMax / 2, DeniedSum: s.WorkSum / 2})
}

// The best host alone is the host whose cores, in the share that the run gets, would finish all
// work soonest; a run on a single host gets no such advice.
func TestAlone(t *testing.T) {
	hosts, work := []string{"slow", "fast", "fast"}, []time.Duration{1e6, 1e6, 1e6}
	b := Advised(hosts, work, []int32{0, 1, 2}, 9*time.Millisecond)
	b.Enter(&Capacity{Ranks: []RankCapacity{
		{CPU: 0.02, Share: 0.25, Quota: 1}, {CPU: 0.02, Share: 0.5, Quota: 1, Cores: 0.5}, {CPU: 0.02, Share: 0.5, Quota: 1, Cores: 0.5},
	}})
	if got, want := strings.Join(tell.Of(b, nil).Next, "; "), "on fast alone this would take about 120 ms"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	b = Advised(hosts, work, []int32{1, 2, 2}, 9*time.Millisecond)
	if got := strings.Join(tell.Of(b, nil).Next, "; "); strings.Contains(got, "alone") {
		t.Errorf("on one host already: %q", got)
	}
}

// If moves have emptied hosts, the amount of work for which all hosts would pay follows from the
// times of a superstep before and after. Here it takes 4 ms less apart from work, and work went
// from 1 ms on each of four hosts to 4 ms on one.
func TestIdleHostsPayWithMoreWork(t *testing.T) {
	for total, want := range map[time.Duration]string{10: "3", 1000: "330"} {
		got := strings.Join(tell.Of(leavesThree(total), &End{}).Next, "; ")
		if want := "this size is faster on 1 of 4 hosts: all pay from about " + want + " times the work per superstep on"; !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// leavesThree has work of 1 ms on each of four hosts in supersteps that take total, in
// milliseconds, and then all of it on one, in supersteps of work alone.
func leavesThree(total time.Duration) *Account {
	b := new(Account)
	run := &Run{Schema: Schema, Procs: 4, Sets: []Set{{Name: "all"}}, Links: [][]Link{{{}}}, Strategy: "auto", Mapping: Mapping{{0, 1}, {1, 1}, {2, 1}, {3, 1}}}
	for _, host := range []string{"a", "b", "c", "d"} {
		run.Ranks = append(run.Ranks, Rank{Host: host, Speed: 1})
	}
	b.Enter(run)
	const ms = time.Millisecond
	at := time.Duration(0)
	for n := range 40 {
		s := &Step{First: n + 1, Site: "a.go:1", At: at, Ranks: 4, Work: []time.Duration{ms, ms, ms, ms}, WorkMax: ms, WorkSum: 4 * ms, Least: ms, Total: total * ms}
		if n >= 20 {
			s.Work, s.WorkMax, s.Total = []time.Duration{4 * ms, 0, 0, 0}, 4*ms, 4*ms
		}
		at += s.Total
		b.Enter(s)
		if n == 19 {
			b.Enter(&Call{Number: 1, Step: 20, At: at.Seconds(), Moved: 3})
			for pid := 1; pid < 4; pid++ {
				b.Enter(&Move{Call: 1, Step: 20, Pid: pid, From: pid, To: 0})
			}
		}
	}
	return b
}
