package main

import (
	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/match"
	"github.com/migbsp/migbsp/bsplib"
)

// ring distributes the domains in one chunk for each process. Chunk j begins at process j
// and is at process (j + k) mod p in stage k. A chunk has its part of all planes.
type ring struct {
	procs  int
	planes []code.Plane
}

func ringOf(b *bsplib.Proc, h code.Header) ring {
	r := ring{procs: b.NProcs()}
	for i := range h.Planes {
		r.planes = append(r.planes, h.Plane(i))
	}
	return r
}

// domains returns the domains of a plane in a chunk: from first to before end.
func (r ring) domains(plane, chunk int) (first, end int) {
	all := r.planes[plane].Domains
	return chunk * all / r.procs, (chunk + 1) * all / r.procs
}

// part is a chunk's part of a plane: single domains, or the strip that contains them, if that is
// shorter.
type part struct {
	plane      code.Plane
	first, end int // domains
	strip      code.Strip
	whole      bool // it is the strip
	values     int
}

func (r ring) part(plane, chunk int) part {
	first, end := r.domains(plane, chunk)
	p := part{plane: r.planes[plane], first: first, end: end}
	if first == end {
		return p
	}
	p.strip, p.values = p.plane.Strip(first, end), (end-first)*p.plane.Pixels()
	if strip := p.strip.Values(); strip < p.values {
		p.whole, p.values = true, strip
	}
	return p
}

// fill writes the part of a picture for the initial chunk.
func (p part) fill(pix []uint8, to []uint16) {
	if p.whole {
		p.strip.Shrink(pix, to)
		return
	}
	n := p.plane.Pixels()
	for d := p.first; d < p.end; d++ {
		p.plane.Shrink(d, pix, to[(d-p.first)*n:][:n])
	}
}

// cut returns the consecutive domains of a part.
func (p part) cut(values []uint16) []uint16 {
	if !p.whole {
		return values
	}
	n := p.plane.Pixels()
	all := make([]uint16, (p.end-p.first)*n)
	for d := p.first; d < p.end; d++ {
		p.strip.Cut(d, values, all[(d-p.first)*n:][:n])
	}
	return all
}

// length is the number of values of a chunk.
func (r ring) length(chunk int) int {
	n := 0
	for i := range r.planes {
		n += r.part(i, chunk).values
	}
	return n
}

// room returns the bytes of the longest chunk.
func (r ring) room() int {
	n := 0
	for chunk := range r.procs {
		n = max(n, r.length(chunk))
	}
	return n
}

// chunk returns the chunk that a process holds in stage k.
func (r ring) chunk(pid, k int) int { return (pid - k + r.procs) % r.procs }

// pass sends the current chunk to the right neighbour, for the next stage.
func (s *state) pass(b *bsplib.Proc, r ring, k int) {
	if k+1 < r.procs {
		chunk := s.Boxes[k%2].Slice()[:r.length(r.chunk(b.Pid(), k))]
		s.Boxes[(k+1)%2].HPPut((b.Pid()+1)%r.procs, 0, chunk...)
	}
}

// match compares this process's ranges with the chunk at hand.
func (s *state) match(b *bsplib.Proc, r ring, k int, searches []*match.Search) {
	box, chunk := s.Boxes[k%2].Slice(), r.chunk(b.Pid(), k)
	for i := range r.planes {
		p := r.part(i, chunk)
		searches[i].Compare(p.first, p.cut(box[:p.values]))
		box = box[p.values:]
	}
}
