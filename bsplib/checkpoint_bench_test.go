package bsplib_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// An empty superstep, without checkpoints, where a request may come at any
// time, and where one is due after an hour.
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
// again, beside a plain file of the same size.
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
