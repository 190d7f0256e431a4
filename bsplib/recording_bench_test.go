package bsplib_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/ledger"
)

// BenchmarkRecording runs supersteps of a given length with a record and tells
// which part of the run's time went into writing it.
func BenchmarkRecording(b *testing.B) {
	for _, work := range []time.Duration{0, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond} {
		b.Run(fmt.Sprintf("superstep=%v", work), func(b *testing.B) {
			f, err := os.Create(filepath.Join(b.TempDir(), ledger.RecordName))
			if err != nil {
				b.Fatal(err)
			}
			book := ledger.Account{Recorder: ledger.NewRecorder(f, func(err error) { b.Error(err) })}
			err = bsplib.Run(bsplib.Config{Procs: 2, Ranks: 2, Account: &book}, func(p *bsplib.Proc, _ *none) error {
				for range b.N {
					for begun := p.Time(); p.Time()-begun < work; {
					}
					p.Sync()
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(100*book.Recorder.Share(), "%recording")
			if err := book.Recorder.Close(&ledger.End{Supersteps: book.Steps(), At: book.Whole().Elapsed}, nil); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkAccountCost is which part of the time the account takes, and a record with it, in
// supersteps of 10 us: runs with it beside runs without, in turns. Of a run it takes the
// quickest tenth of short spans, in which no other program had the core, and of the pairs of
// runs the median.
func BenchmarkAccountCost(b *testing.B) {
	const warm, steps, spans = 8000, 100, 100
	for _, c := range []struct{ procs, ranks int }{{1, 1}, {4, 1}, {2, 2}, {8, 2}} {
		work := 10 * time.Microsecond * time.Duration(c.ranks) / time.Duration(c.procs)
		run := func(account *ledger.Account) float64 {
			var took []float64
			err := bsplib.Run(bsplib.Config{Procs: c.procs, Ranks: c.ranks, Account: account}, func(p *bsplib.Proc, _ *none) error {
				x := bsplib.Register(p, make([]int64, 1))
				p.Sync()
				begun := 0.0
				for n := range warm + spans*steps + 1 {
					if p.Pid() == 0 && n >= warm && n%steps == 0 {
						now := p.Time().Seconds()
						took = append(took, (now-begun)/steps)
						begun = now
					}
					x.Put(right(p), 0, 1)
					compute(work)
					p.Sync()
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			slices.Sort(took)
			return took[spans/10]
		}
		for _, kept := range []string{"account", "record"} {
			b.Run(fmt.Sprintf("procs=%d/ranks=%d/%s", c.procs, c.ranks, kept), func(b *testing.B) {
				var before, costs []float64
				for range b.N {
					account := new(ledger.Account)
					if kept == "record" {
						f, err := os.Create(filepath.Join(b.TempDir(), ledger.RecordName))
						if err != nil {
							b.Fatal(err)
						}
						account.Recorder = ledger.NewRecorder(f, func(err error) { b.Error(err) })
					}
					without := run(nil)
					before, costs = append(before, without), append(costs, run(account)-without)
					if account.Recorder != nil {
						account.Recorder.Close(&ledger.End{}, nil)
					}
				}
				slices.Sort(before)
				slices.Sort(costs)
				superstep, cost := before[len(before)/2], costs[len(costs)/2]
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(1e9*superstep, "ns/superstep")
				b.ReportMetric(1e9*cost, "ns/account")
				b.ReportMetric(100*cost/superstep, "%account")
			})
		}
	}
}

// compute takes a processor about as long as that, without looking at a clock.
func compute(d time.Duration) {
	x := uint64(1)
	for range d {
		x = x*6364136223846793005 + 1442695040888963407
	}
	computed.Store(x)
}

var computed atomic.Uint64

// BenchmarkAccount is what a superstep on one rank costs whose processes pass a word on:
// without an account, with one, and with a record of it.
func BenchmarkAccount(b *testing.B) {
	for _, procs := range []int{1, 16, 256} {
		for _, kept := range []string{"none", "account", "record"} {
			b.Run(fmt.Sprintf("procs=%d/%s", procs, kept), func(b *testing.B) {
				cfg := bsplib.Config{Procs: procs, Ranks: 1}
				if kept != "none" {
					cfg.Account = new(ledger.Account)
				}
				if kept == "record" {
					f, err := os.Create(filepath.Join(b.TempDir(), ledger.RecordName))
					if err != nil {
						b.Fatal(err)
					}
					cfg.Account.Recorder = ledger.NewRecorder(f, func(err error) { b.Error(err) })
					defer cfg.Account.Recorder.Close(&ledger.End{}, nil)
				}
				err := bsplib.Run(cfg, func(p *bsplib.Proc, _ *none) error {
					x := bsplib.Register(p, make([]int64, 1))
					p.Sync()
					for range b.N {
						x.Put(right(p), 0, 1)
						p.Sync()
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
