package bsplib_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun"
)

// The programs of this module come to the same result from each checkpoint that
// is left of a run, on other ranks, also with all processes moving.
func TestAppsGoOn(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	bin := testrun.Build(t, "", "./apps/lu", "./apps/fractal", "./apps/prefixsum")
	for _, c := range []struct{ program, args, every string }{
		{"lu", "-n 150 -block 8", "7stages"},
		{"lu", "-n 60 -block 1 -pivot none", "20stages"},
		{"prefixsum", "-show", "2stages"},
		{"fractal", "-size 70", "4stages"},
	} {
		dir, words := t.TempDir(), append([]string{filepath.Join(bin, c.program), "-quiet"}, strings.Fields(c.args)...)
		code, want, stderr := ran(t, nil, append(words, "-procs", "9", "-checkpoint", dir, "-checkpoint-every", c.every)...)
		all := checkpointsIn(t, dir)
		if code != 0 || len(all) != 2 {
			t.Errorf("%s %s: code %d, %q, checkpoints %q", c.program, c.args, code, stderr, all)
		}
		for _, name := range all {
			for _, more := range []string{"-ranks 1", "-ranks 4 -shake", "-ranks 9 -balance off"} {
				args := append(append(words[:len(words):len(words)], "-restart", filepath.Join(dir, name)), strings.Fields(more)...)
				code, got, stderr := ran(t, nil, args...)
				if code != 0 || timeless(got) != timeless(want) {
					t.Errorf("%q: code %d, %q, %q, want %q", args, code, got, stderr, want)
				}
			}
		}
	}
}

// timeless is what a program has printed without the line of its speed.
func timeless(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "time ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
