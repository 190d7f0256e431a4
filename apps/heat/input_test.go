package main

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	colours "github.com/migbsp/migbsp/apps/internal/heat"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestWhatCannotBe(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none", "a.png")
	for _, c := range []struct {
		procs int
		want  string
		flags []string
	}{
		{1, "-dim 4: expected 2 or 3", []string{"dim", "4"}},
		{1, "-n 0: expected a number from 1 to 262144", []string{"n", "0"}},
		{1, "-n 5000: expected a number from 1 to 4096", []string{"n", "5000", "dim", "3"}},
		{1, "-steps 0: at least one is needed", []string{"steps", "0"}},
		{1, "-tol -1: expected a number above 0", []string{"tol", "-1"}},
		{1, "-tol NaN: expected a number above 0", []string{"tol", "NaN"}},
		{1, "-fourier 0.3: expected a number above 0 and up to 1/4", []string{"fourier", "0.3"}},
		{1, "-fourier 0.2: expected a number above 0 and up to 1/6", []string{"fourier", "0.2", "dim", "3"}},
		{1, "-fourier NaN: expected", []string{"fourier", "NaN"}},
		{1, "-mode 1: expected none, or half waves along 2 axes, each from 1 to 9, as in 1x2", []string{"mode", "1", "n", "9"}},
		{1, "-mode 1x2: expected none, or half waves along 3 axes, each from 1 to 128, as in 1x2x1", []string{"mode", "1x2", "dim", "3"}},
		{1, "-mode 1x10: expected", []string{"mode", "1x10", "n", "9"}},
		{1, "-mode 0x1: expected", []string{"mode", "0x1"}},
		{1, "-mode none: without -walls or -source", []string{"mode", "none"}},
		{1, `-walls left=1,up=2: read "up=2"; expected a temperature, or walls`, []string{"walls", "left=1,up=2"}},
		{1, `-walls front=1: read "front=1"; expected`, []string{"walls", "front=1"}},
		{1, `-walls left: read "left"; expected`, []string{"walls", "left"}},
		{1, `-walls Inf: read "Inf"; expected`, []string{"walls", "Inf"}},
		{1, `-walls : read ""; expected`, []string{"walls", ""}},
		{1, `-source 0.5,0.5:x=1: read "x"; expected numbers as in 0.3,0.5:0.1=20`, []string{"source", "0.5,0.5:x=1"}},
		{1, "-source 0.5:0.1=1: expected place, radius and heat as in 0.3,0.5,0.5:0.1=20", []string{"source", "0.5:0.1=1", "dim", "3"}},
		{1, "-source 0.5,0.5:-1=1: expected a radius", []string{"source", "0.5,0.5:-1=1"}},
		{1, "-source 1.5,0.5:0.1=1: no cell is as near", []string{"source", "1.5,0.5:0.1=1"}},
		{4, "-grid 4: expected processes along each of 2 axes, as in 2x4", []string{"grid", "4"}},
		{4, "-grid 2x2: expected processes along each of 3 axes, as in 2x4x8", []string{"grid", "2x2", "dim", "3"}},
		{4, "-grid 0x4: expected processes", []string{"grid", "0x4"}},
		{4, "-grid 2x3 has 6 processes, but 4 run; use -procs 6", []string{"grid", "2x3"}},
		{4, "-grid 4x1: expected at most 3 processes along an axis", []string{"grid", "4x1", "n", "3"}},
		{11, "11 processes are too many, or no product of 2 numbers up to the 10 cells of an edge", []string{"n", "10"}},
		{1, "-png " + none + ": there is no directory", []string{"png", none}},
	} {
		apptest.Wrong(t, func() error { return check(c.procs) }, c.want, c.flags...)
	}
	apptest.Refused(t, ".", "-n 10 -procs 11", "11 processes are too many")
}

// Bodies that do not fit are rejected before their cells are visited.
func TestBodiesThatAreTooLarge(t *testing.T) {
	apptest.Set(t, "n", "200000", "source", "0.5,0.5:2=1", "png", filepath.Join(t.TempDir(), "a.png"))
	must.Do(t, check(1))
	if got, least := memory(1), int64(16*200000*200000); got < least || got > least*5/4 {
		t.Errorf("%d bytes, want about %d", got, least)
	}
}

// The picture has the top wall above, and a pixel for each cell.
func TestPicture(t *testing.T) {
	for _, dim := range []string{"2", "3"} {
		name := filepath.Join(t.TempDir(), "a.png")
		source := "0.25,0.75:0=9"
		if dim == "3" {
			source = "0.25,0.75,0.5:0=9"
		}
		apptest.Set(t, "dim", dim, "n", "7", "steps", "1", "mode", "none", "source", source, "png", name)
		run(t, bsplib.Config{Procs: 6, Ranks: 2, Shake: true})
		f := must.Get(os.Open(name))(t)
		defer f.Close()
		m, err := png.Decode(f)
		if err != nil || m.Bounds().Dx() != 7 || m.Bounds().Dy() != 7 {
			t.Fatal(err)
		}
		for y := range 7 {
			for x := range 7 {
				want := colours.Colours[colours.Index(0)]
				if x == 1 && y == 1 {
					want = colours.Colours[colours.Index(1)]
				}
				r, g, b, _ := m.At(x, y).RGBA()
				if wr, wg, wb, _ := want.RGBA(); r != wr || g != wg || b != wb {
					t.Errorf("%s dimensions: pixel %d,%d is %v, want %v", dim, x, y, m.At(x, y), want)
				}
			}
		}
	}
}

// A step reduces a wave by the factor that follows from the weights.
func TestFactor(t *testing.T) {
	for _, problem := range problems {
		t.Run(strings.Join(problem, " "), func(t *testing.T) {
			apptest.Set(t, problem...)
			p := must.Get(read(1))(t)
			for k := 1; k <= p.n; k++ {
				half, want := axes{k, 1, 2}, p.weights.Own
				for axis := range p.dim {
					want += 2 * p.weights.Beside * math.Cos(math.Pi*float64(half[axis])/float64(p.n+1))
				}
				if got := p.factor(half); math.Abs(got-want) > 1e-15 {
					t.Errorf("%v: %g, want %g", half, got, want)
				}
			}
		})
	}
}
