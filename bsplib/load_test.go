package bsplib_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/ledger"
)

// loadsIn returns the Loads of a record.
func loadsIn(t testing.TB, record string) []ledger.Load {
	t.Helper()
	d := ledger.NewDecoder(t.Name(), strings.NewReader(record)).WithLoads()
	var all []ledger.Load
	for {
		e, err := d.Next()
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if l, ok := e.(*ledger.Load); ok {
			all = append(all, *l)
		}
	}
}

// chat is a program with all kinds of messages, from two lines by turns: n times
// each process puts 8 bytes to its right neighbour, and then gets 16 from it.
func chat(n int) func(*bsplib.Proc, *chatState) error {
	return func(b *bsplib.Proc, s *chatState) error {
		if b.Fresh() {
			s.In = bsplib.Alloc[int](b, 4)
			b.Sync()
		}
		for range b.Stages(n) {
			s.In.Put(right(b), 0, 1)
			b.Sync()
			s.In.Get(right(b), 2, s.Got[:])
		}
		return nil
	}
}

type chatState struct {
	In  bsplib.Area[int]
	Got [2]int
}

// The loads in a record do not depend on engines, ranks, mapping or moves.
func TestLoadsAreTheProgramsOwn(t *testing.T) {
	const n = 20
	work := func(pid, step int) time.Duration { return time.Duration(1+pid) * time.Millisecond }
	for _, cfg := range bsptest.Configs(4) {
		for _, shake := range []bool{false, true} {
			cfg.Shake = shake
			record := recordOf(t, cfg.WithWork(work), chat(n))
			if record == "" {
				continue
			}
			what := fmt.Sprintf("%s, shake %t", bsptest.Describe(cfg), shake)
			all := loadsIn(t, record)
			if len(all) != 2*n+2 {
				t.Fatalf("%s: %d loads", what, len(all))
			}
			if all[0].State == nil || all[0].State[3] < 32 {
				t.Errorf("%s: states %v", what, all[0].State)
			}
			for i, l := range all {
				messages := map[bool][]ledger.Message{
					true:  {{From: 3, To: 0, Bytes: 8}, {From: 0, To: 1, Bytes: 8}, {From: 1, To: 2, Bytes: 8}, {From: 2, To: 3, Bytes: 8}},
					false: {{From: 1, To: 0, Bytes: 16}, {From: 2, To: 1, Bytes: 16}, {From: 3, To: 2, Bytes: 16}, {From: 0, To: 3, Bytes: 16}},
				}[i%2 == 1]
				if i == 0 || i == 2*n+1 {
					messages = nil
				}
				l.State = nil
				want := ledger.Load{First: i + 1, Last: i + 1, Count: 1, Site: l.Site, Work: []float64{0.001, 0.002, 0.003, 0.004}, Messages: messages}
				if fmt.Sprint(l) != fmt.Sprint(want) || !strings.HasPrefix(l.Site, "load_test.go:") && i < 2*n+1 {
					t.Errorf("%s: %+v\nwant %+v", what, l, want)
				}
			}
		}
	}
}

// On an emulated platform work is measured as on a rank of speed 1, on any mapping.
func TestLoadsOfUnequalRanks(t *testing.T) {
	bsptest.InProcess(t)
	cfg := bsplib.Config{Procs: 4, Start: "blocks", Platform: platform(t, unequal), Balance: balance(t, "auto")}.WithWork(milliseconds(10))
	record := recordOf(t, cfg, passOn(100))
	if !strings.Contains(record, `"type":"migration"`) {
		t.Error("nothing moves")
	}
	for _, l := range loadsIn(t, record) {
		for pid, work := range l.Work {
			if math.Abs(work-0.01) > 1e-8 {
				t.Fatalf("superstep %d: process %d works %g s", l.First, pid, work)
			}
		}
	}
}

// Supersteps are added up in windows, whose sums are exact, also for processes that leave within
// a window. In long windows the amount sent is estimated; the estimate is exact if the amount is
// constant.
func TestLoadsInWindows(t *testing.T) {
	const n, procs = 600, 16
	bsptest.InProcess(t)
	for _, cfg := range []bsplib.Config{
		{}, bsplib.Config{}.InWindows(20), bsplib.Config{}.InWindows(150), bsplib.Config{}.InWindows(5000),
		bsplib.Config{}.InWindows(10).Scattered(1), bsplib.Config{Shake: true}.InWindows(10),
	} {
		cfg.Procs, cfg.Ranks = procs, 3
		record := recordOf(t, cfg.WithWork(func(pid, step int) time.Duration { return time.Duration(pid+step%2) * time.Microsecond }), chat(n/2))
		steps, bytes := 0, 0.0
		var work [procs]float64
		sites := make(map[string]int)
		for _, l := range loadsIn(t, record) {
			steps += l.Count
			sites[l.Site] += l.Count
			for pid, w := range l.Work {
				work[pid] += w
			}
			for _, m := range l.Messages {
				bytes += m.Bytes
			}
		}
		if steps != n+2 || math.Abs(bytes-procs*(8+16)*n/2) > 1 || len(sites) != 4 {
			t.Errorf("%+v: %d supersteps, %g bytes, places %v", cfg, steps, bytes, sites)
		}
		for pid, w := range work {
			if want := float64((n+2)*pid+(n+2)/2) * 1e-6; math.Abs(w/want-1) > 1e-6 {
				t.Errorf("%+v: process %d works %g s, want %g", cfg, pid, w, want)
			}
		}
	}
}

// A recorded run whose result is not verified, and whose processes have just moved, ends with its
// account, like any other.
func TestNotVerifiedAfterAMove(t *testing.T) {
	bsptest.InProcess(t)
	var file record
	account := ledger.Account{Recorder: ledger.NewRecorder(&file, func(err error) { t.Error(err) }).Unhurried()}
	cfg := bsplib.Config{Procs: 5, Ranks: 3, Shake: true, Account: &account}
	err := bsplib.Run(cfg, func(b *bsplib.Proc, s *chatState) error {
		for range b.Stages(5) {
			time.Sleep(10 * time.Millisecond)
		}
		return bsplib.ErrNotVerified
	})
	if !errors.Is(err, bsplib.ErrNotVerified) || account.Steps() != 5 {
		t.Errorf("%v, %d supersteps in the account", err, account.Steps())
	}
}
