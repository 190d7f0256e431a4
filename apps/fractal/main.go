// Fractal compresses a picture by finding, for each block of the picture, a larger part that
// resembles the block.
package main

import (
	"flag"
	"fmt"

	"github.com/migbsp/migbsp/apps/fractal/match"
	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/bsplib"
)

const about = `
Fractal compresses a PNG picture. The picture is cut into small blocks, the ranges;
for each it finds which part of twice the width and height, a domain, turned or
mirrored in one of 8 ways and with its contrast reduced, is most like it. That is all
that is kept: repeated on any picture, it makes the picture again.

Each process has ranges of its own. The domains go round in a ring, from process to
process, one stage after the other; after p stages all have seen all. The result is
the same file for any number of processes. It is checked by taking it apart again.

  fractal                                    a landscape of our own
  fractal -in a.png -out a.mfic              compress
  fractal -decode a.mfic -out b.png          and back
  fractal -decode a.mfic -in a.png           how far it is from the original

Under MPI all hosts must see the files.`

var (
	inName     = flag.String("in", "", "PNG `file` to compress; with -decode, to compare with (default: a landscape is made)")
	outName    = flag.String("out", "", "`file` to write: compressed or, with -decode, PNG (default: none)")
	decodeName = flag.String("decode", "", "make a picture of this compressed `file`")
	size       = flag.Int("n", 512, "width and height of the landscape")
	_          = flags.Alias("size", "n")
	seed       = flag.Uint64("seed", 1, "of the landscape")
	domains    = flag.Int("domains", 0, "`number` of domains, such as 1024, 4096 or 16384 (default: as many as blocks)")
	block      = flag.Int("block", 0, "`side` of the blocks: 4, 8, 16 or 32 (default: the largest of which there are as many as -domains says, or 8)")
	chroma     = flag.String("chroma", "half", "of a picture in colour keep the `chrominance` of half the pixels in each direction, full: of all, none: make it grey")
	floor      = flag.Float64("floor", 0, "`decibels` that the PSNR must reach (default: "+floorText+")")
	first      = flag.String("first", "grey", "with -decode: `picture` to begin with: black, grey, white, noise or a PNG file")
	rounds     = flag.Int("rounds", 0, "with -decode: apply the codes so often (default: until hardly anything changes)")
)

func main() {
	bsplib.Main(fractal, bsplib.Options{Description: about, CheckFlags: check, MemoryNeeded: memory, WorkNeeded: work})
}

func fractal(b *bsplib.Proc, s *state) error {
	if *decodeName != "" {
		return decode(b, given)
	}
	s.compress(b, given.input)
	return s.report(b, given)
}

// compress finds the best domain for each range.
func (s *state) compress(b *bsplib.Proc, in *input) {
	if b.Fresh() {
		s.setUp(b, in)
		b.Sync()
		s.Began = b.Time()
	}
	ring := ringOf(b, in.header)
	searches := s.searches()
	for k := range b.Stages(ring.procs) {
		s.pass(b, ring, k)
		s.match(b, ring, k, searches)
	}
}

// work is the search. A decoder does little.
func work(int) bsplib.Work {
	if given == nil || given.input == nil || *decodeName != "" {
		return bsplib.Work{}
	}
	return bsplib.Work{Amount: comparisons(given.input), Unit: "comparisons", PerSecond: 5e8}
}

// comparisons returns the number of comparisons in the search: of each range with each domain in all
// isometries.
func comparisons(in *input) float64 {
	sum := 0.0
	for i := range in.header.Planes {
		p := in.header.Plane(i)
		sum += float64(p.Ranges()) * float64(p.Domains) * match.Isometries
	}
	return sum
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
