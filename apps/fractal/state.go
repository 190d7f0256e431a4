package main

import (
	"time"

	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/match"
	"github.com/migbsp/migbsp/bsplib"
)

// state is one process's part of the search: of each plane the ranges pid, pid + p, pid + 2
// p and so on, with the best found so far, and memory for two chunks of domains: the
// present one and the next, in turn.
type state struct {
	Parts []match.Ranges
	Boxes [2]bsplib.Area[uint16]
	Began time.Duration
}

// setUp cuts out this process's ranges, and the domains of its first chunk; it makes the
// areas, which can be used after the next Sync.
func (s *state) setUp(b *bsplib.Proc, in *input) {
	ring := ringOf(b, in.header)
	for i, p := range ring.planes {
		part := match.NewRanges(p.Block, share(p.Ranges(), ring.procs, b.Pid()))
		for at := range part.Best {
			in.cut(i, p, at*ring.procs+b.Pid(), part.Block(at))
		}
		s.Parts = append(s.Parts, part)
	}
	for i := range s.Boxes {
		s.Boxes[i] = bsplib.Alloc[uint16](b, ring.room())
	}
	box := s.Boxes[0].Slice()
	for i := range ring.planes {
		p := ring.part(i, b.Pid())
		p.fill(in.planes[i], box[:p.values])
		box = box[p.values:]
	}
}

// share returns the number of items of a process if n items are dealt out in turn.
func share(n, procs, pid int) int { return (n - pid + procs - 1) / procs }

// searches makes all ranges ready to be compared.
func (s *state) searches() []*match.Search {
	var all []*match.Search
	for i := range s.Parts {
		all = append(all, s.Parts[i].Search())
	}
	return all
}

// found returns the matches of this process's ranges, plane by plane.
func (s *state) found() []code.Match {
	var all []code.Match
	for i := range s.Parts {
		part := &s.Parts[i]
		for at, best := range part.Best {
			all = append(all, code.Match{Domain: best.Domain, Isometry: best.Isometry, Contrast: best.Contrast, Mean: part.Mean(at)})
		}
	}
	return all
}
