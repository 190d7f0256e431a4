package main

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib"
)

// parameters are those of a machine as a BSP computer. Times are seconds.
type parameters struct {
	Procs int     `json:"p"`
	Ranks int     `json:"ranks"`
	Empty float64 `json:"empty"`
	L     float64 `json:"l"`
	G     float64 `json:"g"`   // for a word of 8 bytes
	Off   float64 `json:"off"` // mean part by which times differ from the line
	R     float64 `json:"r"`   // floating-point operations per second of a process
}

const (
	mostWords  = 512 // of a relation
	axpyLength = 1024
	apart      = 64                     // words between the vectors of axpy: processors take equal places in pages for the same
	batch      = 200 * time.Microsecond // that is timed at once
	fewest     = 5                      // batches
)

func cores() int { return runtime.GOMAXPROCS(0) }

// relations are the numbers of words of the points of the line.
var relations = []float64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256, mostWords}

// measureParameters runs so many processes for about the given time. It gives up
// between two numbers, when ctx has ended.
func measureParameters(ctx context.Context, procs int, total time.Duration) (parameters, error) {
	p := parameters{Procs: procs, Ranks: min(procs, cores())}
	if err := ctx.Err(); err != nil {
		return p, err
	}
	part := total / time.Duration(len(relations)+1)
	err := bsplib.Run(bsplib.Config{Procs: procs, Ranks: p.Ranks}, func(b *bsplib.Proc, _ *struct{}) error {
		m := newMeter(b, part)
		t := make([]float64, len(relations))
		for i, words := range relations {
			t[i] = m.time(func() { m.relation(int(words)) })
		}
		rate := m.time(m.axpy)
		if b.Pid() == 0 {
			p.Empty = t[0] // relations begin with none
			p.L, p.G, p.Off = fit(relations, t)
			p.R = 4 * axpyLength / rate
		}
		return nil
	})
	return p, err
}

// meter is one process that measures.
type meter struct {
	*bsplib.Proc
	area   bsplib.Area[float64]
	values []float64
	x, y   []float64
	part   time.Duration // for each measurement
}

func newMeter(b *bsplib.Proc, part time.Duration) *meter {
	m := &meter{Proc: b, part: part, values: make([]float64, mostWords)}
	m.area = bsplib.Register(b, make([]float64, mostWords))
	both := make([]float64, 2*axpyLength+apart)
	m.x, m.y = both[:axpyLength], both[axpyLength+apart:]
	for i := range m.x {
		m.x[i], m.y[i] = 1/float64(i+1), 1
	}
	b.Sync()
	return m
}

// relation is a superstep in which each process puts so many words, one by one,
// to the others in turn, or to itself if it is alone, and gets as many.
func (m *meter) relation(words int) {
	procs, others := m.NProcs(), max(1, m.NProcs()-1)
	to := 0
	for i := range words {
		m.area.Put((m.Pid()+1+to)%procs, i, m.values[i])
		if to++; to == others {
			to = 0
		}
	}
	m.Sync()
}

// axpy is 4*axpyLength operations, whose result stays bounded.
func (m *meter) axpy() {
	for _, a := range []float64{1.0 / 3, -1.0 / 3} {
		x, y := m.x, m.y[:len(m.x)]
		for i, v := range x {
			y[i] += a * v
		}
	}
}

// time is the median time of a step by the clock of process 0, which all
// get. Collective.
func (m *meter) time(step func()) float64 {
	count := 1
	for took := m.times(step, count); took < batch && count < 1<<20; took = m.times(step, count) {
		count *= 2
	}
	var all []float64
	for spent := time.Duration(0); spent < m.part || len(all) < fewest; {
		took := m.times(step, count)
		spent += took
		all = append(all, took.Seconds()/float64(count))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// times is how long process 0 takes for some steps. Collective.
func (m *meter) times(step func(), count int) time.Duration {
	m.Sync()
	begin := m.Time()
	for range count {
		step()
	}
	took := []time.Duration{m.Time() - begin}
	bsplib.Broadcast(m.Proc, 0, took)
	return took[0]
}

// fit is the straight line l + g*h through the points (h, t), of which at least
// two differ in h and all t are positive, and by which part of them the times
// are off in the mean. The line has the least squares of these parts: a long
// time varies by more than a short one.
func fit(h, t []float64) (l, g, off float64) {
	var w, wh, wt, whh, wht float64
	for i := range h {
		weight := 1 / (t[i] * t[i])
		w += weight
		wh += weight * h[i]
		wt += weight * t[i]
		whh += weight * h[i] * h[i]
		wht += weight * h[i] * t[i]
	}
	g = (w*wht - wh*wt) / (w*whh - wh*wh)
	l = (wt - g*wh) / w
	for i := range h {
		off += math.Abs(l+g*h[i]-t[i]) / t[i] / float64(len(h))
	}
	return l, g, off
}
