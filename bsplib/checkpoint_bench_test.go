package bsplib_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
)

// An empty superstep, without checkpoints, where a request may come at any
// time, and where one is due after an hour.
func BenchmarkSuperstepThatCouldBeCheckpointed(b *testing.B) {
	dir := b.TempDir()
	for name, c := range map[string]*bsplib.Checkpoint{
		"None": nil, "Request": {Dir: dir, Trigger: new(bsplib.CheckpointTrigger)}, "Hourly": {Dir: dir, Trigger: new(bsplib.CheckpointTrigger), Every: time.Hour},
	} {
		b.Run(name, func(b *testing.B) {
			err := bsplib.Run(bsplib.Config{Procs: 1, Checkpoint: c}, func(p *bsplib.Proc, _ *none) error {
				for range p.Stages(b.N) {
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
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
		if err := bsplib.Run(bsplib.Config{Procs: 2, Ranks: 2, Checkpoint: &bsplib.Checkpoint{Dir: dir, EveryStages: 1}}, program); err != nil {
			b.Fatal(err)
		}
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
	b.Run("PlainWrite", func(b *testing.B) {
		began := time.Now()
		for range b.N {
			f, err := os.Create(name)
			if err == nil {
				_, err = f.Write(data)
			}
			if err == nil {
				err = f.Sync()
			}
			if err = errors.Join(err, f.Close()); err != nil {
				b.Fatal(err)
			}
		}
		rate(b, "GB/s", time.Since(began))
	})
	b.Run("PlainRead", func(b *testing.B) {
		began := time.Now()
		for range b.N {
			f, err := os.Open(name)
			if err == nil {
				_, err = io.ReadFull(f, make([]byte, largeBytes))
			}
			if err = errors.Join(err, f.Close()); err != nil {
				b.Fatal(err)
			}
		}
		rate(b, "GB/s", time.Since(began))
	})
}
