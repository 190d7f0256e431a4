package console

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Figures are found in all forms that programs and the tool print.
func TestFigures(t *testing.T) {
	const gained = ` time          895 ms EMULATED on busy-node.hosts, 508 supersteps
 rescheduling  8 moves in 1 of 3 calls saved 1.24 s, 58.0% of 2.14 s; cost
               40.1 ms
 next          none saves 99.0%
`
	const simulated = `SIMULATED: r on 8 hosts in 2 Sets; 16 processes, 530 supersteps.
 scenario  balance      time  saved  calls  deciding  moves   moving
---------------------------------------------------------------------
 i         off      0.5785 s             0      0 ns      0     0 ns
 ii        auto     0.5926 s  -2.4%      1   14.1 ms      0     0 ns
 iii       auto     0.4202 s  27.4%      1   14.1 ms      8  13.7 ms
`
	for _, c := range []struct {
		output, quantity, want string
	}{
		{gained, "moves", "8"},
		{gained, "saved", "58%"},
		{gained, "supersteps", "508"},
		{gained, "processes", "none"},
		{gained, "lines", "3"}, // continuations belong to their lines
		{simulated, "moves", "8"},
		{simulated, "saved", "27.4%"},
		{simulated, "supersteps", "530"},
		{simulated, "processes", "16"},
		{strings.Replace(simulated, "27.4%", "-1.4%", 1), "saved", "-1.4%"},
		{" rescheduling  0 moves in 1 call LOST 18.1 ms, 3.2%; cost 18.1\n               ms\n", "saved", "-3.2%"},
		{" rescheduling  1 move in 2 calls saved 1.24 s,\n               58.0% of 2 s\n", "saved", "58%"},
		{" rescheduling  off\n", "moves", "none"},
		{" rescheduling  3 moves in 1 call; what they saved is not known\n", "saved", "none"},
		{" MIGRATIONS 23 in 3 of 4 rescheduling calls\n emulated on x: 2.4 s, without rescheduling 3.7 s: 34.8%\n   saved\n", "moves", "23"},
		{" MIGRATIONS 23 in 3 of 4 rescheduling calls\n emulated on x: 2.4 s, without rescheduling 3.7 s: 34.8%\n   saved\n", "saved", "34.8%"},
		{" emulated on x: 2.4 s, without rescheduling 2.3 s: 4.2% lost\n", "saved", "-4.2%"},
		{"check     a = 1  PASSED\ncheck     b = 2  FAILED\ncheck     c = 3  PASSED\n", "checks", "2"},
		{"", "moves", "none"},
	} {
		for _, q := range quantities {
			if q.name == c.quantity {
				if got, _ := (&claim{quantity: q}).verdict(split(c.output)); got != c.want {
					t.Errorf("%s of %q: %s, want %s", c.quantity, c.output, got, c.want)
				}
			}
		}
	}
}

func TestVerdicts(t *testing.T) {
	const output = " rescheduling  3 moves in 1 call saved 1 s, 10.0% of 10 s\n"
	for word, want := range map[string]bool{
		"moves>=3": true, "moves>=4": false, "moves==3": true, "moves==2": false, "saved>=10%": true, "saved>=10.5%": false, "supersteps>=0": false,
	} {
		c := must.Get(readClaim(word))(t)
		if _, got := c.verdict(split(output)); got != want {
			t.Errorf("%s: %v, want %v", word, got, want)
		}
	}
}

// A run fails if its output, or the page, does not meet a claim, and an update does not write
// such an output into the page.
func TestClaimsOfRuns(t *testing.T) {
	bench := &Bench{root: t.TempDir(), prefix: t.TempDir(), copy: t.TempDir()}
	bench.environment(t)
	const fence = "'''console measured moves>=2\n$ echo ' rescheduling  "
	for text, want := range map[string]string{
		fence + "2 moves'\n rescheduling  5 moves\n'''": "",
		fence + "1 moves'\n rescheduling  5 moves\n'''": "page.md:1: moves>=2 does not hold: moves is 1",
		fence + "2 moves'\n rescheduling  1 moves\n'''": "page.md:1: the block claims moves>=2, but the page shows 1",
		fence + "2 moves'; echo off\n'''":               "",
	} {
		a := &run{bench: bench, page: page(t, text), outputs: make(map[*Shown][]string)}
		a.all(t)
		if got := strings.Join(a.failures, "|"); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		a = &run{bench: bench, page: page(t, text), update: true, outputs: make(map[*Shown][]string)}
		a.all(t)
		wrote := len(a.outputs) > 0
		if stale := strings.Contains(want, "the page shows"); wrote != stale || len(a.failures) > 0 != strings.Contains(want, "does not hold") {
			t.Errorf("%s: updated %v, %q", text, wrote, a.failures)
		}
	}
}

// Of five launches, a claim with == has to hold in all and any other claim in four.
func TestNeeded(t *testing.T) {
	p := page(t, "'''console measured lines==1 moves>=1\n$ true\n'''")
	b := p.Blocks[0]
	s := score{figures: make(map[*claim][]string), held: make(map[*claim]int)}
	for _, output := range []string{" rescheduling  1 move", " rescheduling  0 moves"} {
		for i := range b.claims {
			s.add(&b.claims[i], []string{output})
		}
	}
	if exact, least := &b.claims[0], &b.claims[1]; s.held[exact] != 2 || s.held[least] != 1 || exact.needed() != launches || least.needed() != launches-1 || !slices.Equal(s.figures[least], []string{"1", "0"}) {
		t.Errorf("%+v", &s)
	}
}

// Hold launches measured blocks five times, and no others.
func TestHold(t *testing.T) {
	bench := &Bench{root: t.TempDir(), prefix: t.TempDir(), copy: t.TempDir()}
	bench.environment(t)
	count := t.TempDir() + "/count"
	bench.Hold(t, []*Page{page(t, "'''console\n$ echo exact >>"+count+"\n'''\n\n'''console measured lines==1 lines>=1\n$ echo measured | tee -a "+count+"\n'''\n")})
	if got := must.Get(os.ReadFile(count))(t); string(got) != strings.Repeat("measured\n", launches) {
		t.Errorf("%q", got)
	}
}
