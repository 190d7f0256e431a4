package bsplib_test

import (
	"fmt"
	"os"
	"path/filepath"
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
