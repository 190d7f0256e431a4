package app_test

import (
	"os"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/bsplib/internal/app"
)

// Only long work is announced, before it begins and in a line.
func TestWorkIsAnnounced(t *testing.T) {
	bsptest.InProcess(t)
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		amount float64 // of each process
		args   string
		want   string
	}{
		{0, "", ""}, {5e9, "", ""},
		{5e11, "-ranks 1", "program: 1e+12 flop are to be done: roughly 17 minutes on 1 rank; Ctrl-C ends it\n"},
		{5e15, "-ranks 1", "program: 1e+16 flop are to be done: roughly 1.2e+02 days on 1 rank; Ctrl-C ends it\n"},
		{2e10, "-ranks 1", "program: 4e+10 flop are to be done: roughly 40 seconds on 1 rank; Ctrl-C ends it\n"},
		{2e10, "-ranks 1 -quiet", ""},
	} {
		run := &pretended{ranks: 1}
		p := &app.Program{Work: func(procs int) app.Work {
			return app.Work{Amount: c.amount * float64(procs), Unit: "flop", PerSecond: 1e9}
		}}
		stderr := printed(t, &os.Stderr, func() {
			printed(t, &os.Stdout, func() { app.Start(p, run, strings.Fields(c.args)...) })
		})
		if stderr != c.want {
			t.Errorf("%g, %s: %q, want %q", c.amount, c.args, stderr, c.want)
		}
	}
}
