package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/bsplib"
)

// suite is one run of all selected measures. Its output is process 0's.
type suite struct {
	settings settings
	w        io.Writer
	rows     []results.Row
	skips    []results.Skip
}

// bench is one process of the suite.
type bench struct {
	*bsplib.Proc
	suite       *suite
	right, left int // neighbours on the ring of processes
	around      [neighbours]int
	queue       bsplib.Queue[int32, float64]

	place    place
	src, dst bsplib.Area[float64]
	from, to []float64 // their memory here; from[i] is word(Pid(), i) throughout, to begins at element at
	at       int       // of dst, where the current measure's target begins
	seen     float64   // a part of the received data
	where    []int     // a permutation, for scattered puts

	parts, came [][]float64 // of an AllToAll: data for each process, and data from each
}

// place is the kind of memory of a measure's areas.
type place struct {
	words int  // of an area
	heap  bool // ordinary memory, not the engine's choice
}

// run runs on every process: first all measures except moves, and then the moves, after which it may
// be entered again.
func (u *suite) run(p *bsplib.Proc, s *state) error {
	if p.Fresh() {
		if err := u.stay(p); err != nil {
			return err
		}
	}
	k := 0
	for _, m := range movings {
		if u.settings.selected(m.name) && p.NProcs() > 1 && p.NRanks() > 1 {
			if err := u.move(p, s, k, m); err != nil {
				return err
			}
			k++
		}
	}
	if p.Pid() == 0 && !u.settings.json {
		return u.writeTable(p)
	}
	return nil
}

// stay takes the measures without moves.
func (u *suite) stay(p *bsplib.Proc) error {
	if p.Pid() == 0 && u.settings.json {
		header := results.Header{Header: frame.NewHeader("bench/bsp", os.Args[1:]), Library: results.Ours(p.Runtime().Engine()), P: p.NProcs()}
		if err := frame.WriteLine(u.w, header); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(measures(p.NProcs()), func(m measure) bool { return u.settings.selected(m.name) }) {
		return nil
	}
	b := &bench{Proc: p, suite: u, queue: bsplib.NewQueue[int32, float64](p)}
	b.right = (p.Pid() + 1) % p.NProcs()
	b.left = (p.Pid() + p.NProcs() - 1) % p.NProcs()
	b.around = torus(p.Pid(), p.NProcs())
	p.Sync()
	for _, m := range measures(p.NProcs()) {
		if u.settings.selected(m.name) {
			if err := b.measure(m); err != nil {
				return err
			}
		}
	}
	b.leave()
	return nil
}

func (u *settings) selected(name string) bool { return u.only == nil || u.only.MatchString(name) }

// word returns the i-th word that process pid sends; exact in a float64.
func word(pid, i int) float64 { return float64(pid)*1e9 + float64(i) }

// enter makes areas of a kind of memory, unless they exist, with one element more for targets that
// begin at element 1. Collective.
func (b *bench) enter(at place) {
	if b.place == at {
		return
	}
	b.leave()
	b.place = at
	if at.heap {
		b.src = bsplib.Register(b.Proc, make([]float64, at.words+1))
		b.dst = bsplib.Register(b.Proc, make([]float64, at.words+1))
	} else {
		b.src = bsplib.Alloc[float64](b.Proc, at.words+1)
		b.dst = bsplib.Alloc[float64](b.Proc, at.words+1)
	}
	b.from, b.to = b.src.Slice(), b.dst.Slice()
	for i := range b.from {
		b.from[i] = word(b.Pid(), i)
	}
	b.Sync()
}

// leave gives the areas back. Collective.
func (b *bench) leave() {
	if b.place == (place{}) {
		return
	}
	b.src.Pop()
	b.dst.Pop()
	b.Sync()
	b.place, b.from, b.to = place{}, nil, nil
	b.src, b.dst = bsplib.Area[float64]{}, bsplib.Area[float64]{}
	b.Sync()
	if b.Pid() == 0 {
		debug.FreeOSMemory()
	}
	b.Sync()
}

// print puts a row out, in JSON at once.
func (u *suite) print(r results.Row) error {
	r.MinUS, r.MedianUS = six(r.MinUS), six(r.MedianUS)
	if r.Bytes >= results.Large {
		r.GBPerS = six(float64(r.Bytes) / r.MinUS / 1e3)
	}
	if u.settings.json {
		return frame.WriteLine(u.w, r)
	}
	u.rows = append(u.rows, r)
	return nil
}

// skip puts out that a measure is left out.
func (u *suite) skip(s results.Skip) error {
	if u.settings.json {
		return frame.WriteLine(u.w, s)
	}
	u.skips = append(u.skips, s)
	return nil
}

// six rounds to six significant digits.
func six(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return y
}

func (u *suite) writeTable(p *bsplib.Proc) error {
	t := frame.Table{
		Title: fmt.Sprintf("%s: %d processes on %d ranks.\nTime of a superstep; operations, bytes and rates are one process's.\n",
			results.Ours(p.Runtime().Engine()), p.NProcs(), p.NRanks()),
		Header: []string{"measure", "ops", "bytes", "min", "median", "per op", "rate"}, Text: []int{0},
	}
	for _, r := range u.rows {
		perOp := ""
		if r.Ops > 1 {
			perOp = results.Micros(r.MinUS / float64(r.Ops))
		}
		t.Add(r.Measure, strconv.FormatInt(r.Ops, 10), strconv.FormatInt(r.Bytes, 10),
			results.Micros(r.MinUS), results.Micros(r.MedianUS), perOp, r.Rate())
	}
	for _, s := range u.skips {
		t.Notes = append(t.Notes, fmt.Sprintf("%s is left out: %s", s.Measure, s.Why))
	}
	return t.Write(u.w, false)
}
