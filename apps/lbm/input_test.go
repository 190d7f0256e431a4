package main

import (
	"bufio"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestMain(m *testing.M) { apptest.Main(m, main) }

func TestFlagsWithoutUse(t *testing.T) {
	apptest.Refused(t, ".", "-frames 40", "-frames 40: only -gif has use for it")
}

// A channel that does not fit into memory is refused before anybody looks at its cells.
func TestChannelsThatAreTooLarge(t *testing.T) {
	for _, size := range []string{"131072x131072", "1x17179869184", "17179869184x1"} {
		for _, around := range []string{"cylinder", "hills", pictured(t, 30, 20)} {
			apptest.Set(t, "n", size, "obstacle", around)
			p, err := readInput()
			if err != nil || p.fits(1) != nil {
				t.Fatal(err)
			}
			if got := p.memory(1); got < 1<<40 {
				t.Errorf("%s: %d bytes", size, got)
			}
		}
	}
}

func TestWhatCannotFlow(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.png")
	must.Do(t, os.WriteFile(broken, []byte("no picture"), 0o666))
	black := filepath.Join(dir, "black.png")
	must.Do(t, lines.Write(black, func(w *bufio.Writer) error { return png.Encode(w, image.NewGray(image.Rect(0, 0, 2, 2))) }))
	for _, c := range []struct {
		procs int
		want  string
		flags []string
	}{
		{1, "-n 400: expected cells as in 400x100", []string{"n", "400"}},
		{1, "-n 4x5x6: expected cells as in 400x100", []string{"n", "4x5x6"}},
		{1, "-n 40x50: expected cells as in 96x48x32", []string{"n", "40x50", "d3", "true"}},
		{1, "-n 0x50: the channel needs at least one cell", []string{"n", "0x50"}},
		{1, "-n -4x-50: the channel needs at least one cell", []string{"n", "-4x-50"}},
		{1, "-n 1000000x1000000: these are more than", []string{"n", "1000000x1000000"}},
		{1, "-steps 0: at least one step is needed", []string{"steps", "0"}},
		{1, "-speed 0.5: expected a number above 0 and up to 0.2", []string{"speed", "0.5"}},
		{1, "-speed NaN: expected", []string{"speed", "NaN"}},
		{1, "-nu 0: expected a number from 0.001 to 1", []string{"nu", "0"}},
		{1, "-frames 0: expected", []string{"frames", "0", "gif", filepath.Join(dir, "a.gif")}},
		{1, "-frames 9: expected a number from 1 to that of the steps", []string{"frames", "9", "steps", "5", "gif", filepath.Join(dir, "a.gif")}},
		{1, "-gif " + dir + "/a.gif: a film can have 65535 x 65535 pixels at most, the channel has 65536 x 4 cells", []string{"n", "65536x4", "gif", filepath.Join(dir, "a.gif")}},
		{1, "-gif " + dir + "/a.gif: a film can have", []string{"n", "4x65536", "gif", filepath.Join(dir, "a.gif")}},
		{1, "-obstacle cube: it is none, cylinder, sphere, hills or a PNG file", []string{"obstacle", "cube"}},
		{1, "-obstacle sphere: in two dimensions it is a cylinder", []string{"obstacle", "sphere"}},
		{1, "-obstacle " + dir + "/none.png: no such file", []string{"obstacle", filepath.Join(dir, "none.png")}},
		{1, "-obstacle " + broken + ": ", []string{"obstacle", broken}},
		{1, "-png " + dir + "/none/a.png: there is no directory", []string{"png", filepath.Join(dir, "none", "a.png")}},
		{11, "11 processes are too many for the 10 layers of the channel", []string{"n", "20x10"}},
		{1, "-obstacle " + black + ": it leaves no fluid in the channel", []string{"obstacle", black}},
	} {
		apptest.Wrong(t, func() error {
			p, err := readInput()
			if err == nil {
				err = p.fits(c.procs)
			}
			return err
		}, c.want, c.flags...)
	}
}
