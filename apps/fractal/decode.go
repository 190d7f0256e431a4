package main

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"

	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/picture"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/settings"
)

// coded is a compressed picture, and the picture that decoding begins with.
type coded struct {
	bytes    int
	header   code.Header
	planes   [][]code.Match
	start    *picture.Picture
	rounds   int
	original *picture.Picture // nil if not available
}

func readCoded() (*coded, error) {
	file, err := os.ReadFile(*decodeName)
	if err != nil {
		return nil, fmt.Errorf("-decode %s: %w", *decodeName, settings.OfFile(*decodeName, err))
	}
	c := &coded{bytes: len(file), rounds: *rounds}
	if c.header, c.planes, err = code.Read(file); err != nil {
		return nil, fmt.Errorf("-decode %s: %w", *decodeName, err)
	}
	if c.start, err = startFor(c.header); err != nil {
		return nil, fmt.Errorf("-first %s: %w", *first, settings.OfFile(*first, err))
	}
	if *inName == "" {
		return c, nil
	}
	if c.original, err = readPicture(); err != nil {
		return nil, err
	}
	if c.header.Planes == 1 && c.original.Channels == 3 {
		c.original = c.original.Grey()
	}
	if p := c.original; p.Width != c.header.Width || p.Height != c.header.Height {
		return nil, fmt.Errorf("-in %s: it has %d x %d pixels, but what -decode gives has %d x %d", *inName, p.Width, p.Height, c.header.Width, c.header.Height)
	}
	c.original = c.original.Tile(c.header.Width, c.header.Height, c.header.Planes)
	return c, nil
}

// startFor is the picture that -first names.
func startFor(h code.Header) (*picture.Picture, error) {
	p := picture.New(h.Width, h.Height, h.Planes)
	switch *first {
	case "black":
	case "grey", "white":
		for i := range p.Pix {
			p.Pix[i] = 128
			if *first == "white" {
				p.Pix[i] = 255
			}
		}
	case "noise":
		random := rand.New(rand.NewPCG(1, 2))
		for i := range p.Pix {
			p.Pix[i] = uint8(random.Uint32())
		}
	default:
		from, err := picture.Open(*first)
		if err != nil {
			return nil, err
		}
		p = from.Tile(h.Width, h.Height, h.Planes)
	}
	return p, nil
}

// decoded describes the picture, as the writing process found it.
type decoded struct {
	Checksum uint64
	Rounds   int64
	PSNR     float64 // in decibels, if the original is available
	Seconds  float64
}

// decode makes a picture of a compressed file, on one process: that takes next to no
// time.
func decode(b *bsplib.Proc, t *task) error {
	root, said := home(b), make([]decoded, 1)
	if b.Pid() == root {
		began := b.Time()
		p, count := render(t.coded.header, t.coded.planes, newInput(t.coded.start, t.coded.header).planes, t.coded.rounds)
		said[0] = t.coded.decoded(p, count)
		said[0].Seconds = (b.Time() - began).Seconds()
		if t.out != "" {
			err := lines.Write(t.out, func(w *bufio.Writer) error { return p.Write(w) })
			if err != nil {
				return err
			}
		}
	}
	bsplib.Broadcast(b, root, said)
	b.Report(t.coded.result(said[0], t.floor))
	if t.coded.original != nil && said[0].PSNR < t.floor {
		return bsplib.ErrNotVerified
	}
	return nil
}

func (c *coded) decoded(p *picture.Picture, count int) decoded {
	sum := fnv.New64a()
	sum.Write(p.Pix)
	d := decoded{Checksum: sum.Sum64(), Rounds: int64(count)}
	if c.original != nil {
		d.PSNR = picture.PSNR(p, c.original)
	}
	return d
}

func (c *coded) result(d decoded, floor float64) bsplib.Result {
	h := c.header
	r := bsplib.Result{
		Title: "Fractal image decoding", Size: sizeText(h), Seconds: d.Seconds,
		Work: float64(h.Width) * float64(h.Height) * float64(d.Rounds), Unit: "pixels",
		Details: []bsplib.Detail{
			{Name: "Compressed bytes", Value: fmt.Sprint(c.bytes)},
			{Name: "Rounds", Value: fmt.Sprint(d.Rounds)},
		},
		Checksum: fmt.Sprintf("%016x", d.Checksum),
	}
	if c.original != nil {
		r.Checks = []bsplib.ResultCheck{{Name: "PSNR in dB beside -in", Value: d.PSNR, Limit: floor, Passed: d.PSNR >= floor}}
	}
	return r
}
