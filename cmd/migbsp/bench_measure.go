package main

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/meter"
)

// parameters are the parameters of a machine as a BSP computer. Times are seconds.
type parameters struct {
	Procs int     `json:"p"`
	Ranks int     `json:"ranks"`
	Empty float64 `json:"empty"`
	L     float64 `json:"l"`
	G     float64 `json:"g"` // for a word of 8 bytes
	// Standard errors of l and g.
	LError float64 `json:"l_error"`
	GError float64 `json:"g_error"`
	Off    float64 `json:"off"` // mean relative deviation of the times from the line
	R      float64 `json:"r"`   // floating-point operations per second of a process
}

const (
	mostWords  = 512 // of a relation
	axpyLength = 1024
	pairs      = 256 // of axpys that are timed at once
	fewest     = 5   // times
	apart      = 64  // words between the vectors of axpy: processors treat equal page offsets as the same
)

func cores() int { return runtime.GOMAXPROCS(0) }

// relations are the numbers of words of the points of the line.
var relations = []float64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256, mostWords}

// measureParameters runs procs processes for about the given time. When ctx has ended it
// stops after the present number of processes.
func measureParameters(ctx context.Context, procs int, total time.Duration) (parameters, error) {
	p := parameters{Procs: procs, Ranks: min(procs, cores())}
	if err := ctx.Err(); err != nil {
		return p, err
	}
	part := total.Seconds() / float64(len(relations)+1)
	err := bsplib.Run(bsplib.Config{Procs: procs, Ranks: p.Ranks}, func(b *bsplib.Proc, _ *struct{}) error {
		area := bsplib.Register(b, make([]float64, meter.RelationWords(procs, mostWords)))
		values := make([]float64, mostWords)
		b.Sync()
		t := make([]float64, len(relations))
		for i, h := range relations {
			t[i] = meter.Time(b, part, func(steps int) {
				for range steps {
					meter.Relation(b, area, values, int(h))
				}
			}).Median
		}
		pair := turn(b, part)
		if b.Pid() == 0 {
			line, off := meter.Fit(relations, t)
			p.Empty, p.L, p.G, p.LError, p.GError, p.Off = t[0], line.L, line.G, line.LError, line.GError, off // relations begin with none
			p.R = 4 * axpyLength / pair
		}
		return nil
	})
	return p, err
}

// turn returns the median time of a pair of axpys on process 0 while no other process has
// the processor: the measured time contains no Sync. Collective.
func turn(b *bsplib.Proc, seconds float64) float64 {
	both := make([]float64, 2*axpyLength+apart)
	x, y := both[:axpyLength], both[axpyLength+apart:]
	for i := range x {
		x[i], y[i] = 1/float64(i+1), 1
	}
	var all []float64
	for spent := 0.0; spent < seconds || len(all) < fewest; {
		b.Sync()
		begin := b.Time()
		for range pairs {
			axpys(x, y)
		}
		took := []float64{(b.Time() - begin).Seconds()}
		bsplib.Broadcast(b, 0, took)
		spent += took[0]
		all = append(all, took[0]/pairs)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// axpys are 4*axpyLength operations, whose result stays bounded.
func axpys(x, y []float64) {
	for _, a := range []float64{1.0 / 3, -1.0 / 3} {
		y := y[:len(x)]
		for i, v := range x {
			y[i] += a * v
		}
	}
}
