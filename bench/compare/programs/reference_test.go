package programs

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/match"
	"github.com/migbsp/migbsp/apps/fractal/picture"
	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// built makes a reference and returns its directory.
func built(t *testing.T, r *reference) string {
	t.Helper()
	for _, tool := range []string{"make", "cc"} {
		if _, err := exec.LookPath(tool); err != nil && r.inC() {
			t.Skipf("there is no %s", tool)
		}
	}
	root := must.Get(frame.Root(t.Context()))(t)
	dir := t.TempDir()
	must.Do(t, r.build(t.Context(), root, dir))
	return dir
}

// The search in C has the same result as ours.
func TestFractalReference(t *testing.T) {
	r := reference{source: "plain/fractal"}
	dir := built(t, &r)
	p := picture.Generate(128, 1).Grey()
	path := filepath.Join(dir, "landscape.pgm")
	must.Do(t, writePGM(path, p))
	out := must.Get(frame.Output(t.Context(), dir, r.path(dir), path))(t)
	if want := fmt.Sprintf("\ngain %d\n", gainOf(p)); !strings.Contains(out, want) {
		t.Errorf("it says %q, want %q", out, want)
	}
}

// gainOf returns the gain of a picture's blocks by their best domains.
func gainOf(p *picture.Picture) (sum int64) {
	const side = 8
	blocks := p.Width / side * (p.Height / side)
	plane := code.Header{Width: p.Width, Height: p.Height, Planes: 1, Chroma: 1, Block: side, Domains: blocks}.Plane(0)
	ranges := match.NewRanges(side, blocks)
	domains := make([]uint16, blocks*side*side)
	for i := range blocks {
		for y := range side {
			copy(ranges.Block(i)[y*side:][:side], p.Pix[(i/plane.Columns*side+y)*p.Width+i%plane.Columns*side:])
		}
		plane.Shrink(i, p.Pix, domains[i*side*side:][:side*side])
	}
	ranges.Search().Compare(0, domains)
	for _, best := range ranges.Best {
		sum += best.Gain
	}
	return sum
}

// References that sort have the same checksum, and print their times.
func TestSortReferences(t *testing.T) {
	ours, dirs := "", make(map[string]string)
	for _, r := range []reference{
		{source: "./bench/compare/programs/slicesort", args: "3000", same: checksumOf},
		{source: "plain/sort", args: "radix 3000", same: checksumOf},
		{source: "plain/sort", args: "qsort 3000", same: checksumOf},
	} {
		if dirs[r.source] == "" {
			dirs[r.source] = built(t, &r)
		}
		dir := dirs[r.source]
		if ours == "" {
			ours = must.Get(frame.Output(t.Context(), dir, r.path(dir), "3000"))(t)
		}
		if _, err := r.run(t.Context(), dir, ours); err != nil {
			t.Errorf("%s %s: %v", r.source, r.args, err)
		}
		if _, err := r.run(t.Context(), dir, "checksum 1\n"); err == nil || !strings.Contains(err.Error(), "the results differ") {
			t.Errorf("%s %s: another checksum: %v", r.source, r.args, err)
		}
	}
}

// Transforms and steps in C are checked by themselves.
func TestReferencesThatCheckThemselves(t *testing.T) {
	for source, all := range map[string][]string{"plain/fft": {"1 1", "10 3", "15 2"}, "plain/heat": {"1 3", "30 50"}} {
		r := reference{source: source}
		dir := built(t, &r)
		for _, r.args = range all {
			if _, err := r.run(t.Context(), dir, ""); err != nil {
				t.Errorf("%s %s: %v", source, r.args, err)
			}
		}
	}
}

// A reference that cannot be built because a library is absent is missing; other failures are
// errors.
func TestMissing(t *testing.T) {
	built(t, &reference{source: "plain/spmv"})
	root := must.Get(frame.Root(t.Context()))(t)
	missing := errMissing("")
	if err := (&reference{source: "plain/none", needs: "libnone-dev"}).build(t.Context(), root, t.TempDir()); !errors.As(err, &missing) || err.Error() != "no libnone-dev" {
		t.Errorf("a library that is not there: %v", err)
	}
	if err := (&reference{source: "plain/none"}).build(t.Context(), root, t.TempDir()); err == nil || errors.As(err, &missing) {
		t.Errorf("a program that is not there: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := (&reference{source: "plain/lu", needs: "libopenblas-dev"}).build(ended, root, t.TempDir()); errors.As(err, &missing) {
		t.Errorf("after an interrupt: %v", err)
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{"score 26603\n", "check     score of the alignment's pieces = 2.66e+04  PASSED\n"},
		{"score 4024\n", "check     score of the alignment's pieces = 4024  PASSED\n"},
	} {
		got, want := scoreOf.FindStringSubmatch(c.got), scoreOf.FindStringSubmatch(c.want)
		if got == nil || want == nil || fourDigits(got[1]) != want[1] {
			t.Errorf("%q and %q: %v and %v", c.got, c.want, got, want)
		}
	}
	if got := fourDigits("2466ea57e521049f"); got != "2466ea57e521049f" {
		t.Errorf("a checksum becomes %s", got)
	}
}

// Sequences resemble each other, and are letters that both programs know.
func TestSequences(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, writeSequences(dir))
	var texts []string
	for _, name := range []string{"query.fa", "target.fa"} {
		text := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		texts = append(texts, strings.TrimPrefix(string(text), ">made\n"))
	}
	equal := 0
	for i := range texts[0] {
		if texts[0][i] == texts[1][i] {
			equal++
		}
	}
	if n := len(texts[0]); equal < n*3/4 || equal > n*9/10 {
		t.Errorf("%d of %d letters are equal", equal, n)
	}
}

func TestSpeedOf(t *testing.T) {
	for text, want := range map[string]speed{
		"Sort\ntime      0.5 s, 2 Mkey/s\nchecksum 1\n": {0.5, "2 Mkey/s"},
		"time      1e-05 s\n":                           {1e-5, ""},
	} {
		if got, err := speedOf(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if _, err := speedOf("PASSED\n"); err == nil {
		t.Error("a time that nobody told")
	}
}

// A rank that always works is dark, one that waits is bright; a move is marked at its superstep.
func TestBusy(t *testing.T) {
	const second = time.Second
	h := &ledger.History{
		Steps: []ledger.Step{
			{First: 1, Work: []time.Duration{second, 0}, Total: second},
			{First: 2, Last: 9, Work: []time.Duration{0, 3 * second}, Total: 3 * second},
		},
		Moves: []ledger.Move{{Step: 1}},
	}
	m := busy(h)
	works, mark := uint8(len(m.Palette)-2), uint8(len(m.Palette)-1)
	if want := image.Rect(0, 0, pictureWidth, marksHeight+2*rankHeight); m.Rect != want {
		t.Fatalf("%v, want %v", m.Rect, want)
	}
	upper, lower := marksHeight+rankHeight/2, marksHeight+rankHeight+rankHeight/2
	for _, c := range []struct {
		x, y int
		want uint8
	}{
		{pictureWidth/4 - 2, upper, works}, {pictureWidth/4 - 2, lower, 0},
		{pictureWidth/4 + 2, upper, 0}, {pictureWidth/4 + 2, lower, works}, {pictureWidth - 1, lower, works},
		{pictureWidth / 4, 0, mark}, {pictureWidth / 2, 0, 0}, {pictureWidth - 1, 0, 0},
	} {
		if got := m.ColorIndexAt(c.x, c.y); got != c.want {
			t.Errorf("at %d, %d: %d, want %d", c.x, c.y, got, c.want)
		}
	}
	if empty := busy(&ledger.History{}); empty.Rect.Dy() != marksHeight {
		t.Errorf("a record without supersteps: %v", empty.Rect)
	}
}

func TestBalanceOf(t *testing.T) {
	for out, want := range map[string]string{
		"Sort\n g = 1\n\n where  steps\n----\n all  3\n\n emulated: 3%\n   saved\n lower bound: 1 s\n record\n": " where  steps\n----\n all  3\n\n emulated: 3%\n   saved\n",
		"nothing\n": "nothing\n",
	} {
		if got := balanceOf(out); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
