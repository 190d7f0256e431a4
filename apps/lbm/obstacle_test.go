package main

import (
	"bufio"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

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

// What is told of a layer without looking at all its cells is what these say.
func TestBlockedLayers(t *testing.T) {
	for _, name := range []string{"cylinder", "sphere", "hills", pictured(t, 7, 9), pictured(t, 40, 3)} {
		for _, size := range []string{"400x100", "40x20", "41x19", "7x9", "3x2", "1x1", "96x48x32", "12x31x7", "5x6x1"} {
			p := new(parameters)
			must.Do(t, p.readSize(size, size == "96x48x32" || size == "12x31x7" || size == "5x6x1"))
			if name == "sphere" && p.breadth == 0 {
				continue
			}
			var err error
			if p.obstacle, err = p.obstacleOf(name); err != nil {
				t.Fatal(err)
			}
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
