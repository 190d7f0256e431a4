package main

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestMeasuredParameters(t *testing.T) {
	for _, procs := range []int{1, 2, 5} {
		p := must.Get(measureParameters(context.Background(), procs, 10*time.Millisecond))(t)
		if p.Procs != procs || p.Ranks < 1 || p.Ranks > procs || !(p.Empty > 0) || !(p.G > 0) || !(p.R > 1e6) || math.IsInf(p.R, 0) {
			t.Errorf("%+v", p)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measureParameters(ctx, 1, time.Hour); err == nil {
		t.Error("it goes on after the end of its context")
	}
}

// Rows stand in the order in which numbers were given.
func TestBenchTable(t *testing.T) {
	code, out, err := call(t, "", "bench", "-p", "3,1", "-seconds", "0.001")
	if lines := strings.Split(out, "\n"); code != cli.ExitOK || err != "" || !strings.HasPrefix(lines[2], " 3 ") || !strings.HasPrefix(lines[3], " 1 ") {
		t.Errorf("code %d, %q\n%s", code, err, out)
	}
	isNarrow(t, out)
}

func TestNoFigureWithoutEvidence(t *testing.T) {
	for _, c := range []struct {
		x, error float64
		want     string
	}{{1e-6, 0.4e-6, "1 us"}, {1e-6, 0.6e-6, "-"}, {-1e-9, 0, "-"}} {
		if got, _ := evidence(c.x, c.error, 1e9); got != c.want {
			t.Errorf("%g with an error of %g: %s, want %s", c.x, c.error, got, c.want)
		}
	}
}
