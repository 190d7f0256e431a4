package simgrid

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
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
	both, err := build(t.Context(), frame.NewSession(t.TempDir(), io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	return both
}

func TestAgainstSimGrid(t *testing.T) {
	both := needed(t)
	t.Run("workloads", func(t *testing.T) { testWorkloads(t, both) })
	t.Run("platforms", func(t *testing.T) { testPlatforms(t, both) })
}

// Simulated times are those of SimGrid, but for rounding.
func testWorkloads(t *testing.T, both *programs) {
	for _, p := range usual {
		c, err := both.compare(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if c.off() > 1e-6 {
			t.Errorf("%s: %.9f s, in SimGrid %.9f s", p.workload, c.ours, c.theirs)
		}
	}
}

func TestWrongUse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-platform p.xml", "-platform and -workload: expected both or none"},
		{"more", `unexpected argument "more"`},
	} {
		var said strings.Builder
		if code := Program.Run(strings.Fields(c.args), io.Discard, &said); code != 2 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: code %d, %s", c.args, code, said.String())
		}
	}
}
