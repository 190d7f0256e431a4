package simgrid

import (
	"io"
	"os"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// needed returns both simulators, or skips the test.
func needed(t *testing.T) *programs {
	t.Helper()
	if what := missing(); what != "" {
		if os.Getenv("MIGBSP_TEST_SIMGRID") == "required" {
			t.Fatalf("%s is missing", what)
		}
		t.Skipf("%s is missing", what)
	}
	if testing.Short() {
		t.Skip("in short mode")
	}
	return must.Get(build(t.Context(), frame.NewSession(t.TempDir(), io.Discard)))(t)
}

func TestAgainstSimGrid(t *testing.T) {
	both := needed(t)
	t.Run("workloads", func(t *testing.T) { testWorkloads(t, both) })
	t.Run("platforms", func(t *testing.T) { testPlatforms(t, both) })
}

// Simulated times equal SimGrid's, except for rounding.
func testWorkloads(t *testing.T, both *programs) {
	for _, p := range usual {
		c := must.Get(both.compare(t.Context(), p))(t)
		if c.off() > 1e-6 {
			t.Errorf("%s: %.9f s, in SimGrid %.9f s", p.workload, c.ours, c.theirs)
		}
	}
}

// The routes of 50 platforms, zones in zones of all kinds, are SimGrid's, and so are the
// times that computing and messages take there.
func testPlatforms(t *testing.T, both *programs) {
	pairs := 0
	for seed := range uint64(50) {
		file := must.Get(write(t.TempDir(), seed))(t)
		r, err := both.route(t.Context(), file)
		switch {
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case r.refused != nil || r.refusedThere != "":
			t.Errorf("seed %d: refused here: %v, in SimGrid: %q", seed, r.refused, r.refusedThere)
			continue
		case r.differing > 0:
			t.Errorf("seed %d: %d of %d routes differ: %s", seed, r.differing, r.pairs, r.first)
		case r.off() > 1e-6:
			t.Errorf("seed %d: %.9f s, in SimGrid %.9f s", seed, r.ours, r.theirs)
		}
		pairs += r.pairs
	}
	t.Logf("%d routes", pairs)
}
