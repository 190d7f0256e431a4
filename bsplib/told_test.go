package bsplib_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// teller declares its next load in each stage, but only in two of three.
type teller struct{ Told float64 }

func (s *teller) run(b *bsplib.Proc) error {
	if b.Fresh() {
		s.Told = float64(1 + b.Pid())
		b.Load(s.Told)
	}
	for k := range b.Stages(6) {
		if now, coming := bsplib.ToldLoads(b); now != s.Told || coming != s.Told {
			return fmt.Errorf("stage %d has load %v, the next one %v; %v was told", k, now, coming, s.Told)
		}
		if k%3 != 2 {
			was := s.Told
			s.Told = float64(1 + 100*k + b.Pid())
			b.Load(s.Told)
			b.Sync()
			if now, _ := bsplib.ToldLoads(b); now != was {
				return fmt.Errorf("within stage %d its load has become %v from %v", k, now, was)
			}
		}
	}
	return nil
}

// Declared loads move with the process, to other ranks and through
// checkpoints.
func TestToldLoadsGoWithTheProcess(t *testing.T) {
	bsptest.Shaken(t, func(b *bsplib.Proc, s *teller) error { return s.run(b) })
	must.Do(t, inLegs(t, 3, func(b *bsplib.Proc, s *teller) error { return s.run(b) }))
}

func TestToldLoadsOfEachStage(t *testing.T) {
	bsptest.Shaken(t, func(b *bsplib.Proc, s *teller) error {
		b.Runtime().EachStage(5, func(k int) error {
			if now, _ := bsplib.ToldLoads(b); now != s.Told {
				return fmt.Errorf("stage %d has load %v; %v was told", k, now, s.Told)
			}
			s.Told = float64(1 + 10*k + b.Pid())
			b.Load(s.Told)
			return nil
		})
		return nil
	})
}

func TestLoadsThatAreNone(t *testing.T) {
	for name, x := range map[string]float64{"negative": -1, "infinite": math.Inf(1), "not a number": math.NaN()} {
		misuses(t, []misuse{
			{name, here(), alone(func(b *bsplib.Proc) { b.Load(x) }), bsplib.KindBadLoad, 1, 1, fmt.Sprintf(", {at}: Load(%v); a load is a number from 0 on", x)},
		})
	}
}

// Time in Aside is left out of a process's load.
func TestAside(t *testing.T) {
	const long = 2 * time.Millisecond
	for _, cfg := range bsptest.Configs(3) {
		cfg.Measure = true
		err := bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *struct{}) error {
			work := func() {
				for begin := b.Time(); b.Time()-begin < long; {
				}
			}
			for k := range 3 {
				work()
				if out := bsplib.LeftOut(b); out != 0 {
					return fmt.Errorf("superstep %d: %v left out of what is not aside", k, out)
				}
				begin := b.Time()
				b.Runtime().Aside(func() { b.Runtime().Aside(work) })
				if out := bsplib.LeftOut(b); out < long || out > b.Time()-begin {
					return fmt.Errorf("superstep %d: %v left out, and %v were aside", k, out, b.Time()-begin)
				}
				b.Sync()
			}
			b.Sync()
			if out := bsplib.LeftOut(b); out != 0 {
				return fmt.Errorf("%v left out after the last time aside", out)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", bsptest.Describe(cfg), err)
		}
	}
}

// While a process waits in a Sync, other processes' time is not its own, within Aside or not.
func TestSyncAside(t *testing.T) {
	bsptest.InProcess(t)
	late := time.Duration(0) // when the last of the rank's processes came to its Sync
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 3, Ranks: 1, Measure: true}, func(b *bsplib.Proc, _ *struct{}) error {
		b.Runtime().Aside(func() {
			late = b.Time()
			b.Sync()
		})
		if out := bsplib.LeftOut(b); out <= 0 || out > b.Time()-late {
			t.Errorf("process %d: %v left out since the Sync, which was %v ago", b.Pid(), out, b.Time()-late)
		}
		b.Sync()
		return nil
	}))
}

// A load of 0 differs from no declared load.
func TestNothingToDo(t *testing.T) {
	bsptest.Run(t, 2, func(b *bsplib.Proc, _ *struct{}) error {
		for k := range b.Stages(2) {
			if now, _ := bsplib.ToldLoads(b); (float32(now) > 0) != (k > 0) || now > 1e-30 {
				return fmt.Errorf("stage %d has load %v", k, now)
			}
			b.Load(0)
		}
		return nil
	})
}
