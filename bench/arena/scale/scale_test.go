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
	"github.com/migbsp/migbsp/internal/testrun/must"
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

// A call of very many processes comes as near to the lower bound as one of few, by moving no more
// of them than must move.
func TestManyProcesses(t *testing.T) { many(t, 30_000) }

// The same with a million processes on a hundred thousand hosts, and what that may take. It runs
// for minutes, if MIGBSP_TEST_MILLION is set.
func TestAMillion(t *testing.T) {
	if os.Getenv("MIGBSP_TEST_MILLION") == "" {
		t.Skip("MIGBSP_TEST_MILLION is not set")
	}
	if m := many(t, 1_000_000); m.record.Took > 5 || m.took[1] > 5*time.Second {
		t.Errorf("a call takes %.2f s, and %v of the processor of a manager; want less than 5 s of both", m.record.Took, m.took[1])
	}
	if m := many(t, 100_000); m.took[1] > 500*time.Millisecond {
		t.Errorf("of 100 000 processes it takes %v of the processor of a manager, want less than 0.5 s", m.took[1])
	}
}

func many(t *testing.T, processes int) *made {
	t.Helper()
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	n := must.Get(newInstance(processes, "square"))(t)
	spec := must.Get(rebalancer.Parse("auto"))(t)
	c := rebalancer.New(n.ranks, n.where, spec)
	n.observe(c, supersteps)
	m := must.Get(n.call(c))(t)
	after, least := n.slowest(&m.decision), n.least()
	t.Logf("%d processes on %d hosts in %d Sets: %.4f s a superstep, at least %.4f s, %d moves; a call takes %.2f s and %.3g bytes of the busiest host, %v of a manager",
		processes, n.hosts, n.sets, after, least, len(m.decision.Moves), m.record.Took, m.record.BusiestBytes, m.took[1])
	if after > 1.06*least || len(m.decision.Moves) > processes/4 {
		t.Errorf("%d moves come to %v s a superstep, at least %v s", len(m.decision.Moves), after, least)
	}
	return m
}
