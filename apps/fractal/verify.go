package main

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"os"

	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/match"
	"github.com/migbsp/migbsp/apps/fractal/picture"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/bsplib"
)

// outcome is the writing process's check of the file.
type outcome struct {
	Bytes    int64
	Checksum uint64
	PSNR     float64 // of the decoded picture, in decibels
	Floor    float64 // that it must reach
	Apart    float64 // grey levels between the pictures decoded from black and from white
	Rounds   int64
}

func (o outcome) passed() bool { return o.PSNR >= o.Floor && o.Apart <= mostApart }

const (
	// belowCodes and belowMeans limit, in decibels, the loss of the decoded picture compared with the
	// codes applied to the original, and with the means of its blocks.
	belowCodes, belowMeans = 2, 0.5

	floorText = "2 less than what the codes make of the original itself, but 0.5 less than its blocks' means alone, if that is more"
	// mostApart is the maximum difference, in grey levels, between pictures decoded from the same
	// codes.
	mostApart = 2
)

// errUnverified keeps a file from replacing the old one.
var errUnverified = errors.New("the picture is not verified")

// report gathers all codes on one process, which writes the file, reads it again and compares the
// decoded picture with the original; all processes agree on the result.
func (s *state) report(b *bsplib.Proc, t *task) error {
	root := home(b)
	parts := bsplib.Gather(b, root, s.found())
	seconds := (b.Time() - s.Began).Seconds()
	said := make([]outcome, 1)
	if b.Pid() == root {
		o, err := t.finish(code.Write(t.input.header, arrange(t.input.header, parts)))
		if err != nil {
			return err
		}
		said[0] = o
	}
	bsplib.Broadcast(b, root, said)
	b.Report(t.result(said[0], seconds))
	if !said[0].passed() {
		return bsplib.ErrNotVerified
	}
	return nil
}

// arrange sorts the processes' matches by range.
func arrange(h code.Header, parts [][]code.Match) [][]code.Match {
	planes := make([][]code.Match, h.Planes)
	for i := range planes {
		n := h.Plane(i).Ranges()
		planes[i] = make([]code.Match, n)
		for pid := range parts {
			mine := share(n, len(parts), pid)
			for at, m := range parts[pid][:mine] {
				planes[i][at*len(parts)+pid] = m
			}
			parts[pid] = parts[pid][mine:]
		}
	}
	return planes
}

// finish writes the file, if one is asked for and passes, and describes it.
func (t *task) finish(file []byte) (outcome, error) {
	if t.out == "" {
		return t.judge(file)
	}
	var o outcome
	err := lines.WriteAccepted(t.out, func(f *bufio.Writer) error {
		_, err := f.Write(file)
		return err
	}, func(name string) error {
		written, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if o, err = t.judge(written); err == nil && !o.passed() {
			err = errUnverified
		}
		return err
	})
	if errors.Is(err, errUnverified) {
		err = nil
	}
	return o, err
}

// judge decodes a file and compares the picture with the original.
func (t *task) judge(file []byte) (outcome, error) {
	h, planes, err := code.Read(file)
	if err != nil {
		return outcome{}, err
	}
	sum := fnv.New64a()
	sum.Write(file)
	dark, count := render(h, planes, flat(h, 0), 0)
	light, _ := render(h, planes, flat(h, 255), 0)
	o := outcome{
		Bytes: int64(len(file)), Checksum: sum.Sum64(), Rounds: int64(count),
		PSNR: picture.PSNR(dark, t.input.original), Apart: apart(dark, light), Floor: t.floor,
	}
	if o.Floor == 0 {
		once, _ := render(h, planes, t.input.planes, 1)
		o.Floor = max(0, picture.PSNR(once, t.input.original)-belowCodes, picture.PSNR(t.means(), t.input.original)-belowMeans)
	}
	return o, nil
}

// means is the picture without contrast in its blocks.
func (t *task) means() *picture.Picture {
	matches := make([][]code.Match, t.input.header.Planes)
	for i := range matches {
		p := t.input.header.Plane(i)
		matches[i] = make([]code.Match, p.Ranges())
		one := match.NewRanges(p.Block, 1)
		for at := range matches[i] {
			t.input.cut(i, p, at, one.Pix)
			matches[i][at].Mean = one.Mean(0)
		}
	}
	flattened, _ := render(t.input.header, matches, t.input.planes, 1)
	return flattened
}

// result returns the program's report of the outcome.
func (t *task) result(o outcome, seconds float64) bsplib.Result {
	h := t.input.header
	raw := float64(len(t.input.original.Pix))
	return bsplib.Result{
		Title: "Fractal image compression", Size: sizeText(h),
		Seconds: seconds, Work: comparisons(t.input), Unit: "comparisons",
		Details: []bsplib.Detail{
			{Name: "Blocks", Value: fmt.Sprintf("%d of %d x %d", h.Plane(0).Ranges(), h.Block, h.Block)},
			{Name: "Domains", Value: fmt.Sprint(h.Domains)},
			{Name: "Compressed bytes", Value: fmt.Sprint(o.Bytes)},
			{Name: "Compression", Value: fmt.Sprintf("%.2f : 1 (%.2f %%)", raw/float64(o.Bytes), 100-100*float64(o.Bytes)/raw)},
			{Name: "Rounds to decode", Value: fmt.Sprint(o.Rounds)},
			{Name: "Kernels", Value: match.Kernel()},
		},
		Checks: []bsplib.ResultCheck{
			{Name: "PSNR in dB of the decoded picture", Value: o.PSNR, Limit: o.Floor, Passed: o.PSNR >= o.Floor},
			{Name: "grey levels between those begun with black and white", Value: o.Apart, Limit: mostApart, Passed: o.Apart <= mostApart},
		},
		Checksum: fmt.Sprintf("%016x", o.Checksum),
	}
}

func sizeText(h code.Header) string {
	kind := "grey"
	if h.Planes > 1 {
		kind = "colour"
	}
	return fmt.Sprintf("%d x %d %s", h.Width, h.Height, kind)
}
