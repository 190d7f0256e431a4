package main

import (
	"bytes"
	"fmt"
	"image/png"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// aligned runs the program and returns the alignment and the checksum.
func aligned(t testing.TB, p *parameters, cfg bsplib.Config) (*alignment, uint64) {
	t.Helper()
	var found *alignment
	var sum uint64
	must.Do(t, bsplib.Run(cfg, func(b *bsplib.Proc, s *state) error {
		s.align(b, p)
		a := s.collect(b)
		if x := s.checksum(b, p, a); b.Pid() == 0 {
			found, sum = a, x
		}
		return nil
	}))
	return found, sum
}

// random returns parameters with sequences of up to the given number of letters, of few kinds so that
// many scores are equal.
func random(r *rand.Rand, letters int) *parameters {
	s := proteinScoring()
	if r.IntN(2) == 0 {
		s = dnaScoring(1+int32(r.IntN(3)), -1-int32(r.IntN(3)))
	}
	s.Open, s.Extend = int32(r.IntN(6)), int32(1+r.IntN(3))
	sequence := func() []byte {
		codes := make([]byte, 1+r.IntN(letters))
		for i := range codes {
			codes[i] = byte(r.IntN(3))
		}
		return codes
	}
	p := &parameters{scoring: s, query: sequence(), target: sequence()}
	p.blocks = 1 + r.IntN(len(p.query))
	return p
}

func TestTheBestAlignmentIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		p := random(r, 40)
		procs := 1 + r.IntN(min(9, len(p.target)))
		cfg := bsplib.Config{Procs: procs, Ranks: 1 + r.IntN(procs), Shake: r.IntN(3) == 0}
		a, _ := aligned(t, p, cfg)
		about := fmt.Sprintf("%s with %s, %d blocks, %d processes", p.scoring.text(p.query), p.scoring.text(p.target), p.blocks, procs)
		if want := reference(p.scoring, p.query, p.target); a.score != want {
			t.Fatalf("%s: score %d, want %d", about, a.score, want)
		}
		if score, fits := a.recount(p); score != a.score || !fits {
			t.Fatalf("%s: score %d, but pieces %q from %v to %v have %d", about, a.score, a.pieces, a.begin, a.end, score)
		}
	}
}

// Neither the number of processes and blocks nor where processes are changes anything.
func TestAlignmentIsTheSameEverywhere(t *testing.T) {
	s := proteinScoring()
	p := &parameters{scoring: s, blocks: 7}
	p.query, p.target = generate(300, 3, s)
	apptest.Same(t, func(cfg bsplib.Config) (same any) {
		for _, p.blocks = range []int{7, 1, 50} {
			a, sum := aligned(t, p, cfg)
			got := fmt.Sprintf("%x %s %v %v", sum, a.pieces, a.begin, a.end)
			if same == nil {
				same = got
			}
			if got != same {
				t.Errorf("%d blocks: %s, 7 blocks %s", p.blocks, got, same)
			}
		}
		return same
	}, 1, 5, 6, 6, 9)
}

// Long gaps lead far to the left in a block, over columns whose origins are not stored.
func TestLongGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s := dnaScoring(100, -100)
	s.Open, s.Extend = 3, 1
	const gap = 1600
	p := &parameters{scoring: s}
	for range 60 {
		p.query = append(p.query, byte(r.IntN(4)))
	}
	p.target = append(p.target, p.query[:30]...)
	for range gap {
		p.target = append(p.target, 4)
	}
	p.target = append(p.target, p.query[30:]...)
	for _, blocks := range []int{1, 2, 7, 60} {
		for _, procs := range []int{1, 2, 5} {
			p.blocks = blocks
			a, _ := aligned(t, p, bsplib.Config{Procs: procs})
			if want := int32(60*100 - 3 - gap); a.score != want {
				t.Fatalf("score %d, want %d", a.score, want)
			}
			if score, fits := a.recount(p); score != a.score || !fits {
				t.Errorf("%d blocks, %d processes: score %d, but pieces have %d", blocks, procs, a.score, score)
			}
		}
	}
}

// With as many blocks as processes the matrix takes 2n-1 supersteps, as in Righi et al. In addition,
// the run has one to begin and, for the path, one for each process and one more.
func TestSupersteps(t *testing.T) {
	const n = 6
	p := &parameters{scoring: dnaScoring(2, -3), blocks: n}
	p.query, p.target = generate(60, 1, p.scoring)
	must.Do(t, bsplib.Run(bsplib.Config{Procs: n}, func(b *bsplib.Proc, s *state) error {
		s.align(b, p)
		if got, want := b.Superstep()-1, 1+(2*n-1)+1+n; got != want {
			return fmt.Errorf("%d supersteps, want %d", got, want)
		}
		return nil
	}))
}

func TestDensityGrowsByTheSameInEachSuperstep(t *testing.T) {
	first, last, err := density("1e6:1e9")
	if err != nil {
		t.Fatal(err)
	}
	p := &parameters{first: first, last: last}
	for stage, want := range map[int]int{0: 1e6, 1: 56.5e6, 9: 500.5e6, 18: 1e9} {
		if got := p.load(stage, 19); got != want {
			t.Errorf("stage %d: %d instructions, want %d", stage, got, want)
		}
	}
	if p.load(0, 1) != 1e6 {
		t.Error("a single stage")
	}
	for _, text := range []string{"1e6", "1e6:", "2:1", "-1:5", "a:b", "1:1e99", "NaN:NaN"} {
		if _, _, err := density(text); err == nil || !strings.Contains(err.Error(), "-density "+text+": expected") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAlignmentAsText(t *testing.T) {
	s := proteinScoring()
	codes := func(text string) []byte {
		all := must.Get(parseFasta("text", []byte(">x\n"+text), s))(t)
		return all[0].codes
	}
	p := &parameters{scoring: s, query: codes("AAWWIKNA"), target: codes("WWVDDDKN"), queryName: "q", targetName: "t"}
	a := &alignment{score: 3, begin: place{3, 1}, end: place{7, 8}, pieces: []byte("MMMDDDMM")}
	var out strings.Builder
	must.Do(t, a.write(&out, p))
	want := `# query   q, 8 letters
# target  t, 8 letters
# score   3, equal 4 of 8 (50.0%), gaps 3

query          3 WWI---KN 7
                 ||+   ||
target         1 WWVDDDKN 8
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
	if score, fits := a.recount(p); score != 11+11+3+5+6-11-3 || !fits {
		t.Errorf("score %d, %t", score, fits)
	}
	a.end.Row = 8
	if _, fits := a.recount(p); fits {
		t.Error("pieces do not fill the space")
	}
}

// A few of the published values, and properties of the whole matrix.
func TestBlosum62(t *testing.T) {
	s := proteinScoring()
	score := func(pair string) int32 {
		a, ok := s.code(pair[0])
		b, also := s.code(pair[1])
		if !ok || !also {
			t.Fatalf("%s: no such letters", pair)
		}
		return s.Pair[a][b]
	}
	for pair, want := range map[string]int32{"WW": 11, "CC": 9, "AR": -1, "IV": 3, "vi": 3, "FY": 3, "DB": 4, "EZ": 4, "XA": 0, "**": 1, "W*": -4, "PW": -4} {
		if got := score(pair); got != want {
			t.Errorf("%s scores %d, want %d", pair, got, want)
		}
	}
	sum := int32(0)
	for i := range s.letters {
		for j := range s.letters {
			if s.Pair[i][j] != s.Pair[j][i] {
				t.Errorf("%c%c and %c%c differ", s.letters[i], s.letters[j], s.letters[j], s.letters[i])
			}
			sum += s.Pair[i][j]
		}
	}
	if len(blosum62) != len(proteinLetters)*(len(proteinLetters)+1)/2 || s.most() != 11 {
		t.Errorf("%d values, up to %d", len(blosum62), s.most())
	}
	if sum != -726 {
		t.Errorf("all scores together are %d", sum)
	}
}

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
