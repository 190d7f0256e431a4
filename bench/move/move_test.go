package main

import (
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/bsplib"
)

// set gives a flag a value for the time of a test.
func set[T any](t *testing.T, flag *T, value T) {
	t.Helper()
	was := *flag
	*flag = value
	t.Cleanup(func() { *flag = was })
}

func TestReport(t *testing.T) {
	times := []time.Duration{2 * time.Millisecond, 4 * time.Millisecond, 9 * time.Millisecond}
	for _, c := range []struct {
		bytes       int
		alloc, json bool
		want        string
	}{
		{1 << 20, false, false, "1 MiB moved in 4 ms: 0.26 GB/s"},
		{64 << 20, true, true, `"measure":"move_64MiB_alloc","p":3,"min_us":2000,"median_us":4000,"bytes":67108864,"ops":1`},
		{16, false, true, `"measure":"move_16B","p":3,`},
	} {
		set(t, bytes, c.bytes)
		set(t, alloc, c.alloc)
		set(t, json, c.json)
		var w strings.Builder
		if err := report(&w, "in-process, two ranks", 3, times); err != nil || !strings.Contains(w.String(), c.want) {
			t.Errorf("%v, no %q in\n%s", err, c.want, &w)
		}
		if runs, err := results.Read(strings.NewReader(w.String())); c.json && (err != nil || len(runs) != 1 || runs[0].Library != "migbsp in-process" || len(runs[0].Rows) != 1) {
			t.Errorf("%+v, %v", runs, err)
		}
	}
}

// The process comes back with all that it had, and each of its moves is timed.
func TestMove(t *testing.T) {
	const n = 1000
	set(t, bytes, n)
	set(t, moves, 4)
	set(t, json, true)
	for _, inArea := range []bool{false, true} {
		set(t, alloc, inArea)
		seen := 0
		err := bsplib.Run(bsplib.Config{Procs: 3, Ranks: 2}, func(b *bsplib.Proc, s *state) error {
			err := move(b, s)
			if b.Pid() == 2 && (len(s.Data) != n || b.Rank() != 0) { // after an odd number of moves from rank 1
				t.Errorf("%d bytes on rank %d", len(s.Data), b.Rank())
			}
			if b.Pid() == 0 {
				seen = len(s.Times)
			}
			return err
		})
		if err != nil || seen != 4 {
			t.Errorf("%v, %d times", err, seen)
		}
	}
	err := bsplib.Run(bsplib.Config{Procs: 2, Ranks: 1}, move)
	if err == nil || !strings.Contains(err.Error(), "there is one rank only") {
		t.Errorf("on one rank: %v", err)
	}
}
