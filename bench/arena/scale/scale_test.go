package scale

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
)

func called(args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	code := Program.Run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestFigures(t *testing.T) {
	args := []string{"-max", "1000", "-rounds", "1", "-quiet"}
	code, out, errs := called(append(args, "-json")...)
	if code != 0 || errs != "" {
		t.Fatalf("code %d, %s", code, errs)
	}
	figures := make(map[string]map[string]float64) // by case and measure
	for line := range strings.Lines(out) {
		var m frame.Measure
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if m.Of != "" && figures[m.Of] == nil {
			figures[m.Of] = make(map[string]float64)
		}
		if m.Of != "" {
			figures[m.Of][m.Measure] = m.Center
		}
	}
	if len(figures) != 2*3*2 {
		t.Errorf("%d cases", len(figures))
	}
	for of, f := range figures {
		if f["bytes of all reports"] <= 0 || f["bytes of the notice"] <= 0 || f["messages of the busiest host"] <= 0 ||
			!(f["call, simulated"] > f["deciding, simulated"]) || !(f["deciding, simulated"] > 0) || !(f["decide"] > 0) {
			t.Errorf("%s: %v", of, f)
		}
	}
	one, many := figures["1000 processes on 100 hosts in 1 Sets, percent"], figures["1000 processes on 100 hosts in 10 Sets, percent"]
	if sent := "messages of the busiest host"; one == nil || many == nil || many[sent] >= one[sent] {
		t.Errorf("with one Set %v, with many %v", one, many)
	}
	if code, out, _ := called(args...); code != 0 || !strings.Contains(out, " processes  Sets  balance ") {
		t.Errorf("code %d, %s", code, out)
	}
}

// Calls that are decided within Sets come to what one decides who knows all, with a part of the
// messages; and next to nothing is reported where nothing has changed.
func TestWithinSets(t *testing.T) { withinSets(t, 5000) }

// The same with a million processes on a hundred thousand hosts, and what that may take. It runs
// for minutes, if MIGBSP_TEST_MILLION is set.
func TestAMillion(t *testing.T) {
	if os.Getenv("MIGBSP_TEST_MILLION") == "" {
		t.Skip("MIGBSP_TEST_MILLION is not set")
	}
	m := withinSets(t, 1_000_000)
	if m.record.Took > 5 || m.took[1] > 2*time.Second {
		t.Errorf("a call takes %.2f s, and %v of the processor of a manager; want less than 5 s and 2 s", m.record.Took, m.took[1])
	}
	if m := withinSets(t, 100_000); m.took[1] > 100*time.Millisecond {
		t.Errorf("of 100 000 processes it takes %v of the processor of a manager, want less than 0.1 s", m.took[1])
	}
}

func withinSets(t *testing.T, processes int) *made {
	t.Helper()
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	n, err := newInstance(processes, "square")
	if err != nil {
		t.Fatal(err)
	}
	var calls [2]*made
	for i, balance := range []string{"auto,central=0", "auto,central=1e12"} {
		spec, err := rebalancer.Parse(balance)
		if err != nil {
			t.Fatal(err)
		}
		c := rebalancer.New(n.ranks, n.where, spec)
		n.observe(c, supersteps)
		if i == 0 {
			calls[i], err = n.within(c)
		} else {
			calls[i], err = n.central(c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	within, central := calls[0], calls[1]
	a, b := n.slowest(&within.decision), n.slowest(&central.decision)
	t.Logf("%d processes on %d hosts in %d Sets: within Sets %.4f s a superstep, %.2f s and %.3g bytes a call, %v of a manager; central %.4f s, %.2f s, %.3g bytes, %v; at least %.4f s",
		processes, n.hosts, n.sets, a, within.record.Took, within.record.BusiestBytes, within.took[1],
		b, central.record.Took, central.record.BusiestBytes, central.took[1], n.least())
	if len(within.decision.Moves) == 0 || a > 1.02*b {
		t.Errorf("%d moves within Sets come to %v s, %d central ones to %v", len(within.decision.Moves), a, len(central.decision.Moves), b)
	}
	if within.record.BusiestBytes > central.record.BusiestBytes/2 || within.record.Took > central.record.Took {
		t.Errorf("a call takes %v s and %v bytes of the busiest host, a central one %v s and %v bytes",
			within.record.Took, within.record.BusiestBytes, central.record.Took, central.record.BusiestBytes)
	}
	return within
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-max 5", "expected 10 processes at least"},
		{"-sets two", `there is no "two"; there are one, cube, square`},
		{"-balance off", "off decides nothing"},
		{"-balance fast", `there is no strategy "fast"`},
		{"-rounds 0", "at least one"},
		{"x", `unexpected argument "x"`},
	} {
		if code, out, errs := called(strings.Fields(c.args)...); code != 2 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: code %d, %s%s", c.args, code, out, errs)
		}
	}
	if code, out, _ := called("-h"); code != 0 || !strings.Contains(out, "-max") {
		t.Errorf("code %d, %s", code, out)
	}
}
