package sim

import (
	"cmp"
	"fmt"
)

// Fractal is fractal image compression: a square picture is cut into range blocks, which
// processes share, and each is compared with all domains, in eight ways. Chunks of domains
// go round a ring of processes. One superstep before deals them out; in the last three
// processes learn where to send their results, send them, and receive the outcome.
type Fractal struct {
	Size    int     // width and height of the picture
	Block   int     // side of the range blocks
	Domains int     // of the first plane
	Colour  bool    // two planes of half the width and height beside
	Procs   int     // processes
	Flops   float64 // operations for each pixel of a comparison
}

var fractalKind = kind{
	name: "fractal", about: "fractal image compression, domains going round a ring of processes",
	parameters: []parameter{
		{name: "n", value: 512, least: 1, most: 8192, whole: true, about: "width and height of the picture"},
		{name: "p", value: 16, least: 1, whole: true, about: "processes"},
		{name: "block", value: 8, among: []float64{4, 8, 16, 32}, about: "side of the blocks"},
		{name: "domains", least: 0, whole: true, about: "to compare them with (default: as many as blocks)"},
		{name: "colour", among: noOrYes, about: "1: two more planes of half the width (default: grey)"},
		{name: "flops", value: 2, least: 0, about: "operations for each pixel of a comparison"},
	},
	make: func(v map[string]float64) (Workload, error) {
		f := &Fractal{Size: int(v["n"]), Block: int(v["block"]), Domains: int(v["domains"]), Colour: v["colour"] > 0, Procs: int(v["p"]), Flops: v["flops"]}
		side := (f.Size + f.Block - 1) / f.Block
		f.Domains = cmp.Or(f.Domains, side*side)
		if f.Domains > side*side || f.Procs > f.Domains {
			return nil, fmt.Errorf("%d domains for %d blocks and %d processes; expected at most as many as blocks, at least as many as processes", f.Domains, side*side, f.Procs)
		}
		return f, nil
	},
}

// Processes implements Workload, as do the other exported methods.
func (f *Fractal) Processes() int { return f.Procs }
func (f *Fractal) Steps() int     { return f.Procs + 4 }

// Bytes of the best domain of a range as it is kept, of the same as it is sent, and of
// short messages.
const (
	fractalBest, fractalCode     = 16, 8
	fractalWhere, fractalOutcome = 8, 48
	fractalDomainSum             = 2
)

// fractalPlane is a plane of the picture.
type fractalPlane struct{ side, ranges, domains int }

func (f *Fractal) planes() []fractalPlane {
	blocks := func(size int) int { return (size + f.Block - 1) / f.Block }
	side := blocks(f.Size)
	first := fractalPlane{side, side * side, f.Domains}
	if !f.Colour {
		return []fractalPlane{first}
	}
	half := blocks((f.Size + 1) / 2)
	other := fractalPlane{half, half * half, (f.Domains*half*half + first.ranges - 1) / first.ranges}
	return []fractalPlane{first, other, other}
}

// chunk returns the domains of a plane that begin at a process.
func (f *Fractal) chunk(p fractalPlane, pid int) (first, end int) {
	return shares(p.domains, f.Procs, pid), shares(p.domains, f.Procs, pid+1)
}

func (f *Fractal) pixels() float64 { return float64(f.Block * f.Block) }

// bytes returns the size of the chunk that begins at a process: of each plane its domains,
// or the lines of the shrunk plane in which they lie, whichever is less.
func (f *Fractal) bytes(pid int) float64 {
	n := 0.0
	for _, p := range f.planes() {
		first, end := f.chunk(p, pid)
		if first == end {
			continue
		}
		row := func(domain int) int { return domain * p.ranges / p.domains / p.side }
		rows := min(row(end-1)-row(first)+2, p.side)
		n += min(float64(end-first)*f.pixels(), float64(rows*p.side)*f.pixels()/4)
	}
	return n * fractalDomainSum
}

// ranges returns the number of ranges of a process.
func (f *Fractal) ranges(pid int) float64 {
	n := 0
	for _, p := range f.planes() {
		n += owned(p.ranges, f.Procs, pid, 0)
	}
	return float64(n)
}

// State returns the bytes of a process's ranges with their best domains, and of two chunks.
func (f *Fractal) State(pid int) float64 {
	room := 0.0
	for chunk := range f.Procs {
		room = max(room, f.bytes(chunk))
	}
	return f.ranges(pid)*(f.pixels()+fractalBest) + 2*room
}

func (f *Fractal) Fill(step int, s *Step) error {
	switch stage := step - 1; {
	case stage < 0:
		s.Site = "deal out"
	case stage < f.Procs:
		s.Site = "compare"
		f.compare(stage, s)
	case stage == f.Procs:
		s.Site = "where to"
		s.allgather(f.Procs, fractalWhere)
	case stage == f.Procs+1:
		s.Site = "gather"
		s.gather(f.Procs, func(pid int) float64 { return f.ranges(pid) * fractalCode })
	default:
		s.Site = "outcome"
		s.broadcast(f.Procs, fractalOutcome)
	}
	return nil
}

// compare fills a stage: all processes compare their ranges with a chunk, and pass it on
// if there is another stage.
func (f *Fractal) compare(stage int, s *Step) {
	for pid := range f.Procs {
		chunk := (pid - stage + f.Procs) % f.Procs
		s.Work[pid] = f.work(pid, chunk)
		if stage+1 < f.Procs {
			s.send(pid, (pid+1)%f.Procs, f.bytes(chunk))
		}
	}
}

// work compares the ranges of a process with a chunk.
func (f *Fractal) work(pid, chunk int) float64 {
	sum := 0.0
	for _, p := range f.planes() {
		first, end := f.chunk(p, chunk)
		sum += float64(owned(p.ranges, f.Procs, pid, 0)) * float64(end-first)
	}
	return sum * 8 * f.pixels() * f.Flops
}
