package main

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/picture"
	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/internal/settings"
)

// task is the task of the command line.
type task struct {
	input *input  // to compress
	coded *coded  // to make a picture of
	out   string  // file, "" for none
	floor float64 // decibels, 0 for the ones that follow from the codes
}

// input is a picture to compress.
type input struct {
	original *picture.Picture
	header   code.Header
	planes   [][]uint8 // of whole blocks
}

// given is the task, from when check has returned; all processes that run here share
// it, and only read it.
var given *task

var readOnce = sync.OnceValues(readTask)

// check reads all files of the command line, so that mistakes are reported before anything
// runs.
func check(procs int) error {
	var err error
	if given, err = readOnce(); err != nil || given.input == nil || *decodeName != "" {
		return err
	}
	p := given.input.header.Plane(0)
	if procs > p.Domains {
		return fmt.Errorf("-procs %d: with %s there is work for at most as many processes; use -procs %d", procs, plural(p.Domains, "domain"), p.Domains)
	}
	return nil
}

func readTask() (*task, error) {
	t := &task{out: *outName, floor: *floor}
	if err := checkFlags(); err != nil {
		return nil, err
	}
	if err := lines.Writable("-out", t.out); err != nil {
		return nil, err
	}
	if *decodeName != "" {
		var err error
		t.coded, err = readCoded()
		return t, err
	}
	original, err := readPicture()
	if err != nil {
		return nil, err
	}
	h, err := headerFor(original.Width, original.Height, original.Channels)
	if err != nil {
		return nil, err
	}
	t.input = newInput(original, h)
	return t, nil
}

// checkFlags finds wrong flags, alone and together.
func checkFlags() error {
	switch {
	case *size < 1 || *size > maxSize:
		return fmt.Errorf("-n %d: expected 1 to %d", *size, maxSize)
	case *domains < 0:
		return fmt.Errorf("-domains %d: at least one is needed", *domains)
	case *chroma != "half" && *chroma != "full" && *chroma != "none":
		return fmt.Errorf("-chroma %s: it is half, full or none", *chroma)
	case !(*floor >= 0 && *floor < 1000):
		return fmt.Errorf("-floor %g: expected decibels from 0 on", *floor)
	case *rounds < 0 || *rounds > code.MaxRounds:
		return fmt.Errorf("-rounds %d: expected 0 to %d", *rounds, code.MaxRounds)
	}
	return unused()
}

// unused finds flags without a use in this task.
func unused() error {
	var errs []error
	if *decodeName == "" {
		errs = append(errs, flags.Unused("only -decode has use for it", "rounds", "first"))
	} else {
		errs = append(errs, flags.Unused("the file of -decode says it itself", "domains", "block", "chroma"))
	}
	switch {
	case *inName != "":
		errs = append(errs, flags.Unused("the picture is that of -in", "n", "size", "seed"))
	case *decodeName != "":
		errs = append(errs, flags.Unused("no picture is made where -decode is given", "n", "size", "seed"),
			flags.Unused("there is nothing to compare with, see -in", "floor"))
	}
	return cmp.Or(errs...)
}

// maxSize is the largest landscape.
const maxSize = 8192

// readPicture reads the picture of -in, and converts it to grey if requested.
func readPicture() (*picture.Picture, error) {
	p, err := (*picture.Picture)(nil), error(nil)
	if *inName == "" {
		p = picture.Generate(*size, *seed)
	} else if p, err = picture.Open(*inName); err != nil {
		return nil, fmt.Errorf("-in %s: %w", *inName, settings.OfFile(*inName, err))
	}
	if *chroma == "none" && p.Channels > 1 {
		p = p.Grey()
	}
	return p, nil
}

// headerFor returns the partition of a picture of the given size.
func headerFor(width, height, channels int) (code.Header, error) {
	h := code.Header{Width: width, Height: height, Planes: channels, Chroma: 1, Block: *block, Domains: *domains}
	if channels > 1 && *chroma == "half" {
		h.Chroma = 2
	}
	if h.Block == 0 {
		h.Block = 8
		if h.Domains > 0 {
			for h.Block = code.MaxBlock; h.Block > code.MinBlock && h.Plane(0).Ranges() < h.Domains; h.Block /= 2 {
			}
		}
	}
	if h.Block < code.MinBlock || h.Block > code.MaxBlock || h.Block&(h.Block-1) != 0 {
		return h, fmt.Errorf("-block %d: it is 4, 8, 16 or 32", h.Block)
	}
	ranges := h.Plane(0).Ranges()
	h.Domains = cmp.Or(h.Domains, ranges)
	if h.Domains > ranges {
		return h, fmt.Errorf("-domains %d: a picture of %d x %d pixels has at most %d, as many as blocks of %d x %d",
			h.Domains, width, height, ranges, h.Block, h.Block)
	}
	return h, h.Check()
}

func newInput(p *picture.Picture, h code.Header) *input {
	in := &input{original: p, header: h}
	for i, pix := range p.Planes() {
		plane := h.Plane(i)
		if plane.Width != p.Width || plane.Height != p.Height {
			pix = picture.Halve(pix, p.Width, p.Height)
		}
		in.planes = append(in.planes, picture.Extend(pix, plane.Width, plane.Height, plane.Columns*plane.Block, plane.Rows*plane.Block))
	}
	return in
}

// cut copies a range block of a plane.
func (in *input) cut(plane int, p code.Plane, i int, to []uint8) {
	width := p.Columns * p.Block
	from := in.planes[plane][i/p.Columns*p.Block*width+i%p.Columns*p.Block:]
	for y := range p.Block {
		copy(to[y*p.Block:][:p.Block], from[y*width:])
	}
}

// memory returns the bytes of a run: the picture, its planes and their ranges while they go
// through the processes.
func memory(procs int) int64 {
	if given == nil || given.input == nil {
		return 0
	}
	pixels := int64(0)
	for _, p := range given.input.planes {
		pixels += int64(len(p))
	}
	return 3*pixels + pixels*(16+2+4) + int64(procs)*(64<<10)
}
