package main

import (
	"bufio"
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/heat"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestPictures(t *testing.T) {
	p := channel(t, "30x16", "cylinder", 23)
	p.frames = 5
	var last []byte
	var film [][]byte
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 3, Ranks: 2, Shake: true}, func(b *bsplib.Proc, s *state) error {
		s.run(b, p)
		g := p.geometryOf(b.Pid(), b.NProcs())
		s.takeFrame(b, p, g, p.steps)
		pixels := whole(b, s.paint(p, g, p.steps, p.brightest()))
		if b.Pid() == 0 {
			last, film = pixels, s.Frames
		}
		return nil
	}))
	var text bytes.Buffer
	must.Do(t, heat.WritePNG(&text, p.image(last)))
	m, err := png.Decode(&text)
	if err != nil || m.Bounds() != image.Rect(0, 0, 30, 16) {
		t.Fatal(err)
	}
	for h := range p.height {
		for x := range p.length {
			if grey := m.At(x, p.height-1-h) == color.Color(color.RGBA{128, 128, 128, 255}); grey != p.solid(x, h, 0) {
				t.Errorf("cell %d,%d of the picture: %v", x, h, m.At(x, p.height-1-h))
			}
		}
	}
	must.Do(t, p.writeGIF(&text, film))
	all, err := gif.DecodeAll(&text)
	if err != nil || len(all.Image) != 5 || !bytes.Equal(film[4], last) {
		t.Errorf("%v, %d frames", err, len(film))
	}
}

func TestFramesAreSpreadOverAllSteps(t *testing.T) {
	for _, steps := range []int{1, 7, 40, 41, 1000} {
		for _, frames := range []int{1, 3, 40} {
			if frames > steps {
				continue
			}
			p := &parameters{steps: steps, frames: frames}
			count := 0
			for k := 0; k <= steps; k++ {
				if p.isFrame(k) {
					count++
				}
			}
			if count != frames || !p.isFrame(steps) {
				t.Errorf("%d of %d frames in %d steps", count, frames, steps)
			}
		}
	}
}

// A picture is an obstacle: its dark parts, with the lower wall below.
func TestObstacleFromAPicture(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 4, 2))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	m.Set(0, 0, color.Black)
	m.Set(3, 1, color.NRGBA{40, 40, 40, 255})
	m.Set(2, 1, color.NRGBA{}) // black that cannot be seen
	path := filepath.Join(t.TempDir(), "a.png")
	must.Do(t, lines.Write(path, func(w *bufio.Writer) error { return png.Encode(w, m) }))
	p := channel(t, "8x4", path, 1)
	for h := range 4 {
		for x := range 8 {
			if want := x < 2 && h >= 2 || x >= 6 && h < 2; p.solid(x, h, 0) != want {
				t.Errorf("cell %d,%d: %t", x, h, !want)
			}
		}
	}
}

// pictured is a PNG file of random dots, none of them in the lower left corner.
func pictured(t *testing.T, width, height int) string {
	t.Helper()
	r, m := rand.New(rand.NewPCG(1, 2)), image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	for i := range m.Pix {
		m.Pix[i] = uint8(r.IntN(10) / 9)
	}
	m.SetColorIndex(0, height-1, 0) // all that is left in a channel of one cell
	name := filepath.Join(t.TempDir(), "dots.PNG")
	must.Do(t, lines.Write(name, func(w *bufio.Writer) error { return png.Encode(w, m) }))
	return name
}

// Layers classified without visiting all cells must agree with a visit of all cells.
func TestBlockedLayers(t *testing.T) {
	for _, name := range []string{"cylinder", "sphere", "hills", pictured(t, 7, 9), pictured(t, 40, 3)} {
		for _, size := range []string{"400x100", "40x20", "41x19", "7x9", "3x2", "1x1", "96x48x32", "12x31x7", "5x6x1"} {
			p := new(parameters)
			must.Do(t, p.readSize(size, size == "96x48x32" || size == "12x31x7" || size == "5x6x1"))
			if name == "sphere" && p.breadth == 0 {
				continue
			}
			p.obstacle = must.Get(p.obstacleOf(name))(t)
			blocked, fluid := 0, false
			for h := range p.height {
				any := false
				for x := range p.length {
					for y := range p.lines() {
						solid := p.solid(x, h, y)
						any, fluid = any || solid, fluid || !solid
					}
				}
				if any {
					blocked++
				}
			}
			if got := p.blocked(); got != blocked || !fluid {
				t.Errorf("%s in %s: %d layers, want %d; fluid: %t", name, size, got, blocked, fluid)
			}
		}
	}
}
