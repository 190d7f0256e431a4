package bsplib_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// recorderOf returns a recorder that writes to disk.
func recorderOf(b *testing.B) *ledger.Recorder {
	f := must.Get(os.Create(filepath.Join(b.TempDir(), ledger.RecordName)))(b)
	return ledger.NewRecorder(f, func(err error) { b.Error(err) })
}

// BenchmarkRecording runs supersteps of a given length with a record and
// reports the share of the run's time spent on writing it.
func BenchmarkRecording(b *testing.B) {
	for _, work := range []time.Duration{0, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond} {
		b.Run(fmt.Sprintf("superstep=%v", work), func(b *testing.B) {
			book := ledger.Account{Recorder: recorderOf(b)}
			must.Do(b, bsplib.Run(bsplib.Config{Procs: 2, Ranks: 2, Account: &book}, func(p *bsplib.Proc, _ *none) error {
				for range b.N {
					for begun := p.Time(); p.Time()-begun < work; {
					}
					p.Sync()
				}
				return nil
			}))
			b.ReportMetric(100*book.Recorder.Share(), "%recording")
			must.Do(b, book.Recorder.Close(&ledger.End{Supersteps: book.Steps(), At: book.Whole().Elapsed}, nil))
		})
	}
}

// BenchmarkAccountCost reports the share of the time that the account takes, without and with a
// record, in supersteps of 10 us. Runs with and without it take turns. In a run each span of
// supersteps follows the same work without supersteps, because processors change their speed; a
// span has two batches that are sent and entered. The overhead of supersteps is the median over
// a run's spans, and the cost of the account the median over the pairs of runs.
func BenchmarkAccountCost(b *testing.B) {
	const warm, steps, alone, spans = 8192, 512, 64, 50
	for _, c := range []struct{ procs, ranks int }{{1, 1}, {4, 1}, {2, 2}, {8, 2}} {
		work := 10 * time.Microsecond * time.Duration(c.ranks) / time.Duration(c.procs)
		run := func(account *ledger.Account) (busy, rest float64) {
			var works, rests []float64
			must.Do(b, bsplib.Run(bsplib.Config{Procs: c.procs, Ranks: c.ranks, Account: account}, func(p *bsplib.Proc, _ *none) error {
				x := bsplib.Register(p, make([]int64, 1))
				p.Sync()
				for range warm {
					x.Put(right(p), 0, 1)
					p.Sync()
				}
				for range spans {
					begun := p.Time()
					for range alone {
						compute(work)
					}
					p.Sync()
					between := p.Time()
					for range steps {
						x.Put(right(p), 0, 1)
						compute(work)
						p.Sync()
					}
					if p.Pid() == 0 {
						w := (between - begun).Seconds() / alone
						works, rests = append(works, w), append(rests, (p.Time()-between).Seconds()/steps-w)
					}
				}
				return nil
			}))
			return middle(works), middle(rests)
		}
		for _, kept := range []string{"account", "record"} {
			b.Run(fmt.Sprintf("procs=%d/ranks=%d/%s", c.procs, c.ranks, kept), func(b *testing.B) {
				var works, before, costs []float64
				for range b.N {
					account := new(ledger.Account)
					if kept == "record" {
						account.Recorder = recorderOf(b)
					}
					work, without := run(nil)
					_, with := run(account)
					works, before, costs = append(works, work), append(before, without), append(costs, with-without)
					if account.Recorder != nil {
						account.Recorder.Close(&ledger.End{}, nil)
					}
				}
				superstep, cost := middle(works)+middle(before), middle(costs)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(1e9*superstep, "ns/superstep")
				b.ReportMetric(1e9*cost, "ns/account")
				b.ReportMetric(100*cost/superstep, "%account")
			})
		}
	}
}

// middle sorts figures and returns their median.
func middle(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// compute takes a processor about d, without reading a clock.
func compute(d time.Duration) {
	x := uint64(1)
	for range d {
		x = x*6364136223846793005 + 1442695040888963407
	}
	computed.Store(x)
}

var computed atomic.Uint64

// BenchmarkSuperstepThatCouldBeCheckpointed measures an empty superstep without
// checkpoints, with requests possible at any time, and with a checkpoint due
// after an hour.
func BenchmarkSuperstepThatCouldBeCheckpointed(b *testing.B) {
	dir := b.TempDir()
	for name, c := range map[string]*bsplib.Checkpoint{
		"None": nil, "Request": {Dir: dir, Trigger: new(bsplib.CheckpointTrigger)}, "Hourly": {Dir: dir, Trigger: new(bsplib.CheckpointTrigger), Every: time.Hour},
	} {
		b.Run(name, func(b *testing.B) {
			must.Do(b, bsplib.Run(bsplib.Config{Procs: 1, Checkpoint: c}, func(p *bsplib.Proc, _ *none) error {
				for range p.Stages(b.N) {
				}
				return nil
			}))
		})
	}
}

// large is a state of one piece.
type large struct{ Data []float64 }

const largeBytes = 256 << 20

// BenchmarkCheckpoint writes 256 MiB of two processes to disk and reads them
// again, and compares that with a plain file of the same size.
func BenchmarkCheckpoint(b *testing.B) {
	dir := b.TempDir()
	rate := func(b *testing.B, unit string, took time.Duration) {
		b.ReportMetric(float64(largeBytes)*float64(b.N)/took.Seconds()/1e9, unit)
	}
	b.Run("Write", func(b *testing.B) {
		program := func(p *bsplib.Proc, s *large) error {
			if p.Fresh() {
				s.Data = make([]float64, largeBytes/16)
				for i := range s.Data {
					s.Data[i] = float64(i)
				}
				p.Sync()
			}
			began := time.Now()
			for range p.Stages(b.N) {
			}
			if p.Pid() == 0 {
				rate(b, "GB/s", time.Since(began))
			}
			return nil
		}
		must.Do(b, bsplib.Run(bsplib.Config{Procs: 2, Ranks: 2, Checkpoint: &bsplib.Checkpoint{Dir: dir, EveryStages: 1}}, program))
	})
	b.Run("Read", func(b *testing.B) {
		began := time.Now()
		for range b.N {
			err := bsplib.Run(bsplib.Config{Ranks: 2, Checkpoint: &bsplib.Checkpoint{Restart: dir}}, func(*bsplib.Proc, *large) error { return errWrong })
			if !errors.Is(err, errWrong) {
				b.Fatal(err)
			}
		}
		rate(b, "GB/s", time.Since(began))
	})
	name := filepath.Join(dir, "plain")
	data := make([]byte, largeBytes)
	for i := range data {
		data[i] = byte(i)
	}
	plain := func(what string, open func(string) (*os.File, error), do func(f *os.File) error) {
		b.Run(what, func(b *testing.B) {
			began := time.Now()
			for range b.N {
				f, err := open(name)
				if err == nil {
					err = do(f)
				}
				must.Do(b, errors.Join(err, f.Close()))
			}
			rate(b, "GB/s", time.Since(began))
		})
	}
	plain("PlainWrite", os.Create, func(f *os.File) error {
		_, err := f.Write(data)
		return errors.Join(err, f.Sync())
	})
	plain("PlainRead", os.Open, func(f *os.File) error {
		_, err := io.ReadFull(f, make([]byte, largeBytes))
		return err
	})
}
