package programs

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// shownOn is the platform of the programs' pictures: four fast ranks, then four slow ones.
const shownOn = "examples/two-sets.hosts"

// demonstration is the run that README.md shows, on a platform with one busy host.
var demonstration = emulated.Of("node", "./apps/heat", "-n 1024 -steps 500 -procs 32 -hosts examples/busy-node.hosts")

// paintAll writes a picture of each program, named after it, and of the demonstration.
func (s *settings) paintAll(ctx context.Context, session *frame.Session, root string) error {
	heat := false
	for i := range s.programs {
		w := s.programs[i].many
		heat = heat || w.Program == demonstration.Program
		w.Args = append(slices.Clone(w.Args), "-hosts", shownOn)
		if err := s.paint(ctx, session, root, w); err != nil {
			return err
		}
	}
	if !heat { // -only names another program, and heat was not built
		return nil
	}
	return s.paint(ctx, session, root, demonstration)
}

// paint runs a program on an emulated platform and writes a picture that shows how busy its
// ranks were. It prints the account of the balance at each call site.
func (s *settings) paint(ctx context.Context, session *frame.Session, root string, w emulated.Workload) error {
	session.Progress("%s %v", w.Name, w.Args)
	record, done, err := session.RunDir("shown", w.Name)
	if err != nil {
		return err
	}
	defer done()
	out, err := frame.Output(ctx, root, session.Built(w.Program), append(slices.Clone(w.Args), "-run-dir", record)...)
	if err != nil {
		return err
	}
	h, err := ledger.Read(record)
	if err != nil {
		return err
	}
	if err := writePicture(filepath.Join(s.pictures, "busy-"+w.Name+".png"), busy(h)); err != nil {
		return err
	}
	session.Print("\n$ go run %s %s\n%s", w.Program, strings.Join(w.Args, " "), strings.TrimSuffix(balanceOf(out), "\n"))
	return nil
}

// balanceOf returns the part of a program's account on the balance at each call site, without its
// header of efficiencies and without the lines after the gain.
func balanceOf(out string) string {
	_, table, found := strings.Cut(out, "\n where ")
	if !found {
		return out
	}
	table, _, _ = strings.Cut(table, "\n lower bound")
	return " where " + table + "\n"
}

func writePicture(path string, m image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// Pictures have a strip of marks, and a strip for each rank.
const (
	pictureWidth = 720
	rankHeight   = 14
	marksHeight  = 8
)

// shades returns the colors from a waiting rank's to a working rank's, and last the mark's.
func shades() color.Palette {
	const levels = 64
	p := make(color.Palette, 0, levels+1)
	for i := range levels {
		at := func(from, to int) uint8 { return uint8(from + (to-from)*i/(levels-1)) }
		p = append(p, color.RGBA{at(0xf1, 0x1f), at(0xf3, 0x4e), at(0xf6, 0x8c), 0xff})
	}
	return append(p, color.RGBA{0xd5, 0x5e, 0, 0xff})
}

// busy draws a run from its beginning, on the left, to its end. Each rank has a row, rank 0 at the
// top, and the shade is the working part of its time; dark means all of it. A mark above stands for a
// rescheduling call that moved processes.
func busy(h *ledger.History) *image.Paletted {
	ranks, all := 0, time.Duration(0)
	for _, s := range h.Steps {
		ranks, all = max(ranks, len(s.Work)), all+s.Total
	}
	m := image.NewPaletted(image.Rect(0, 0, pictureWidth, marksHeight+ranks*rankHeight), shades())
	x := func(at time.Duration) int { return int(int64(at) * pictureWidth / int64(max(1, all))) }
	moved := make(map[int]bool)
	for _, move := range h.Moves {
		moved[move.Step] = true
	}
	at := time.Duration(0)
	for _, s := range h.Steps {
		from, to := x(at), x(at+s.Total)
		at += s.Total
		for rank, work := range s.Work {
			top := marksHeight + rank*rankHeight
			fill(m, image.Rect(from, top+1, to, top+rankHeight), shade(m, work, s.Total))
		}
		for step := s.First; step <= max(s.First, s.Last) && len(moved) > 0; step++ {
			if moved[step] {
				fill(m, image.Rect(to-2, 0, to+1, marksHeight-1), uint8(len(m.Palette)-1))
			}
		}
	}
	return m
}

// shade returns the color of an amount of work in a time.
func shade(m *image.Paletted, work, total time.Duration) uint8 {
	last := int64(len(m.Palette) - 2)
	return uint8(min(last, int64(work)*last/int64(max(1, total))))
}

func fill(m *image.Paletted, r image.Rectangle, index uint8) {
	r = r.Intersect(m.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			m.SetColorIndex(x, y, index)
		}
	}
}
