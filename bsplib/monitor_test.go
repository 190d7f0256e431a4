package bsplib_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// reports keeps a monitor's output, and closes first with the first line.
type reports struct {
	strings.Builder
	once  sync.Once
	first chan bool
	spins atomic.Bool
}

func (r *reports) Write(b []byte) (int, error) {
	r.Builder.Write(b)
	r.once.Do(func() { r.spins.Store(true); close(r.first) })
	return len(b), nil
}

// A process that does not return is named with its line, also in-process.
func TestProcessThatDoesNotReturn(t *testing.T) {
	bsptest.InProcess(t)
	for _, c := range []struct {
		name, at string
		hang     func(r *reports)
		waits    string
	}{
		{"channel", here(), func(r *reports) { <-r.first }, " (chan receive)"},
		{"loop", here(), func(r *reports) { spin(&r.spins) }, ""},
	} {
		for _, cfg := range []bsplib.Config{{Procs: 3, Ranks: 1}, {Procs: 3, Ranks: 2}, {Procs: 3, Ranks: 3}} {
			said := &reports{first: make(chan bool)}
			cfg, stop := cfg.Monitored(said, 100*time.Millisecond)
			rank := 0
			must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *none) error {
				b.Sync()
				if b.Pid() == 2 {
					rank = b.Rank()
					c.hang(said)
				}
				b.Sync()
				return nil
			}))
			stop()
			at := regexp.QuoteMeta(c.at)
			if c.waits == "" {
				at = `monitor_test\.go:\d+`
			}
			waits := map[int]string{1: "the run goes on when it does", 2: "another rank waits for it", 3: "(2 ranks wait|another rank waits) for it"}[cfg.Ranks]
			want := fmt.Sprintf(`^test: rank %d on \S+ has computed for 0 s in superstep 2, process 2 at %s%s; %s\n`, rank, at, regexp.QuoteMeta(c.waits), waits)
			if !regexp.MustCompile(want).MatchString(said.String()) {
				t.Errorf("%s on %s: got %q, want %s", c.name, bsptest.Describe(cfg), said.String(), want)
			}
		}
	}
}

//go:noinline
func spin(until *atomic.Bool) {
	for !until.Load() {
	}
}
