package main

import (
	"bytes"
	"image/png"
	"path/filepath"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// The picture does not depend on processes; its pixels are the largest scores.
func TestPicture(t *testing.T) {
	apptest.Set(t, "png", filepath.Join(t.TempDir(), "a.png"))
	p := &parameters{scoring: proteinScoring(), blocks: 10}
	p.query, p.target = generate(50, 3, p.scoring)
	p.target = append(p.target, p.query[:27]...)
	var want []float32
	for _, procs := range []int{1, 3, 7, 77} {
		var got []float32
		var a *alignment
		must.Do(t, bsplib.Run(bsplib.Config{Procs: procs, Ranks: 2, Shake: procs < 10}, func(b *bsplib.Proc, s *state) error {
			s.align(b, p)
			x, y := s.collect(b), s.scores(b, p)
			if b.Pid() == 0 {
				a, got = x, y
			}
			return nil
		}))
		if want == nil {
			want = got
		}
		if len(got) != 10*p.pixels() || p.pixels() != 15 || !slices.Equal(got, want) {
			t.Errorf("%d processes: %v, want %v", procs, got, want)
		}
		var file bytes.Buffer
		must.Do(t, p.paint(&file, a, got))
		if m, err := png.Decode(&file); err != nil || m.Bounds().Dx() != 15 || m.Bounds().Dy() != 10 {
			t.Error(err)
		}
	}
	if most := slices.Max(want); most <= 0 || most > float32(reference(p.scoring, p.query, p.target)) {
		t.Errorf("largest score %g", most)
	}
}
