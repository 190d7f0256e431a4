package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/match"
	"github.com/migbsp/migbsp/apps/fractal/picture"
	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// inputs returns small pictures: grey and in colour, with sides that blocks divide and others, with
// fewer domains than blocks, flat ones and noise.
func inputs(t testing.TB) map[string]*input {
	t.Helper()
	noise := picture.New(33, 20, 1)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(random.Uint32())
	}
	flat := picture.New(40, 24, 3)
	for i := range flat.Pix {
		flat.Pix[i] = uint8(60 + i%3*50)
	}
	all := make(map[string]*input)
	for _, c := range []struct {
		name    string
		picture *picture.Picture
		header  code.Header
	}{
		{"landscape", picture.Generate(64, 1), code.Header{Chroma: 2, Block: 8, Domains: 64}},
		{"full chrominance", picture.Generate(40, 2), code.Header{Chroma: 1, Block: 4, Domains: 57}},
		{"grey", picture.Generate(72, 3).Grey(), code.Header{Chroma: 1, Block: 8, Domains: 30}},
		{"narrow", picture.Generate(50, 3).Tile(90, 11, 3), code.Header{Chroma: 2, Block: 8, Domains: 24}},
		{"large blocks", picture.Generate(100, 5), code.Header{Chroma: 2, Block: 32, Domains: 16}},
		{"noise", noise, code.Header{Chroma: 1, Block: 4, Domains: 45}},
		{"flat", flat, code.Header{Chroma: 2, Block: 4, Domains: 60}},
	} {
		h := c.header
		h.Width, h.Height, h.Planes = c.picture.Width, c.picture.Height, c.picture.Channels
		if err := h.Check(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		all[c.name] = newInput(c.picture, h)
	}
	return all
}

// compressed runs the search and returns the file.
func compressed(t testing.TB, in *input, cfg bsplib.Config) []byte {
	t.Helper()
	var file []byte
	must.Do(t, bsplib.Run(cfg, func(b *bsplib.Proc, s *state) error {
		s.compress(b, in)
		if parts := bsplib.Gather(b, 0, s.found()); b.Pid() == 0 {
			file = code.Write(in.header, arrange(in.header, parts))
		}
		return nil
	}))
	return file
}

func TestFileIsThatOfTheSequentialSearch(t *testing.T) {
	for name, in := range inputs(t) {
		if testing.Short() && name != "narrow" && name != "flat" {
			continue
		}
		want := code.Write(in.header, reference(in))
		for _, procs := range []int{1, 2, 3, 5, 8} {
			if got := compressed(t, in, bsplib.Config{Procs: procs, Ranks: 2}); !bytes.Equal(got, want) {
				t.Errorf("%s on %d processes: another file of %d bytes, want %d", name, procs, len(got), len(want))
			}
		}
	}
}

// The file is the same on any number of ranks and with any moves.
func TestMovesChangeNothing(t *testing.T) {
	in := inputs(t)["landscape"]
	apptest.Same(t, func(cfg bsplib.Config) any { return compressed(t, in, cfg) }, 1, 64, 7, 7, 12)
}

// Each process adds one stage of one superstep, after a superstep that registers the boxes.
func TestSupersteps(t *testing.T) {
	in := inputs(t)["grey"]
	err := bsplib.Run(bsplib.Config{Procs: 6}, func(b *bsplib.Proc, s *state) error {
		before := b.Superstep()
		if s.compress(b, in); b.Superstep()-before != 7 {
			return fmt.Errorf("%d supersteps, want 7", b.Superstep()-before)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The decoded file resembles the original as closely as the codes predict, from any initial picture;
// a file that does not is reported.
func TestJudge(t *testing.T) {
	for name, in := range inputs(t) {
		file := compressed(t, in, bsplib.Config{Procs: 3})
		job := task{input: in}
		o, err := job.judge(file)
		if err != nil || !o.passed() || o.Apart > 1 {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
		if job.floor = o.PSNR + 0.1; name != "flat" {
			if o, err := job.judge(file); err != nil || o.passed() {
				t.Errorf("%s: %+v, %v, want a floor that is not reached", name, o, err)
			}
		}
	}
	ins := inputs(t)
	other := newInput(picture.Generate(64, 9), ins["landscape"].header)
	o, err := (&task{input: ins["landscape"]}).judge(compressed(t, other, bsplib.Config{Procs: 2}))
	if err != nil || o.passed() {
		t.Errorf("the file of another picture passes: %+v, %v", o, err)
	}
}

// reference finds the codes of a picture in one search of all domains.
func reference(in *input) [][]code.Match {
	var all [][]code.Match
	for i, pix := range in.planes {
		p := in.header.Plane(i)
		n := p.Pixels()
		ranges, sums := match.NewRanges(p.Block, p.Ranges()), make([]uint16, p.Domains*n)
		for at := range p.Ranges() {
			in.cut(i, p, at, ranges.Block(at))
		}
		for d := range p.Domains {
			p.Shrink(d, pix, sums[d*n:][:n])
		}
		ranges.Search().Compare(0, sums)
		var matches []code.Match
		for at, best := range ranges.Best {
			mean := 0
			for _, x := range ranges.Block(at) {
				mean += int(x)
			}
			mean = min(127, (mean+n)/(2*n))
			matches = append(matches, code.Match{Domain: best.Domain, Isometry: best.Isometry, Contrast: best.Contrast, Mean: uint8(mean)})
		}
		all = append(all, matches)
	}
	return all
}
