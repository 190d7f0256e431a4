package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// run runs the program, which must verify its result.
func run(t *testing.T, cfg bsplib.Config) *ledger.Result {
	t.Helper()
	must.Do(t, check(cfg.Procs))
	cfg.Result = &ledger.Result{}
	if err := bsplib.Run(cfg, power); err != nil {
		t.Fatalf("%v: %+v", err, cfg.Result)
	}
	return cfg.Result
}

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "matrix.mtx")
	must.Do(t, os.WriteFile(name, []byte(text), 0o666))
	return name
}

// arrow is a matrix with a full row and column.
func arrow(t *testing.T) string {
	text := strings.Builder{}
	const n = 40
	fmt.Fprintf(&text, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", n, n, 2*n-1)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&text, "%d 1 %g\n", i, 1+float64(i)/7)
		if i > 1 {
			fmt.Fprintf(&text, "%d %d %g\n", i, i, -float64(i)/3)
		}
	}
	return file(t, text.String())
}

// sequential is the iteration in a few lines.
func sequential(t *testing.T, p parameters) (x []float64) {
	t.Helper()
	n := must.Get(p.each(0, 0, func(int, int, float64) {}))(t)
	x = make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	for range p.iterations {
		rows := make([]map[int]float64, n)
		must.Get(p.each(0, n, func(i, j int, a float64) {
			if rows[i] == nil {
				rows[i] = map[int]float64{}
			}
			rows[i][j] += a
		}))(t)
		y, norm := make([]float64, n), 0.0
		for i, row := range rows {
			for j := range x {
				if a, ok := row[j]; ok {
					y[i] += a * x[j]
				}
			}
			norm = max(norm, math.Abs(y[i]))
		}
		scale := 1.0
		if norm > 0 {
			scale = 1 / norm
		}
		for i := range y {
			x[i] = scale * y[i]
		}
	}
	return x
}

// iterated returns the vector computed by processes.
func iterated(t *testing.T, p parameters, g grid) []float64 {
	t.Helper()
	var whole []float64
	must.Do(t, bsplib.Run(bsplib.Config{Procs: g.rows * g.cols}, func(b *bsplib.Proc, s *state) error {
		if err := s.setUp(b, p, g); err != nil {
			return err
		}
		for range p.iterations {
			s.multiply(b)
			s.normalise(b)
		}
		if parts := bsplib.Gather(b, 0, s.X); b.Pid() == 0 {
			whole = s.whole(parts)
		}
		return nil
	}))
	return whole
}

func matrices(t *testing.T) map[string]parameters {
	return map[string]parameters{
		"Laplacian": {n: 103, iterations: 5},
		"small":     {n: 2, iterations: 3},
		"random":    {n: 60, density: 0.1, iterations: 5, seed: 2},
		"full":      {n: 17, density: 1, iterations: 3, seed: 2},
		"arrow":     {n: 1, iterations: 4, file: arrow(t)},
		"zero":      {n: 1, iterations: 2, file: file(t, "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n")},
	}
}

// Rows that are whole have the products of one process, bit for bit; those that are
// shared are as near as rounding allows.
func TestProcessesComputeWhatOneDoes(t *testing.T) {
	for name, p := range matrices(t) {
		want := sequential(t, p)
		for _, g := range []grid{{1, 1}, {2, 1}, {5, 1}, {30, 1}, {1, 3}, {2, 2}, {3, 4}, {1, 30}} {
			got := iterated(t, p, g)
			for i := range want {
				if off := math.Abs(got[i] - want[i]); len(got) != len(want) || g.cols == 1 && off != 0 || !(off < 1e-13) {
					t.Fatalf("%s on %v: element %d is %v, want %v", name, g, i, got[i], want[i])
				}
			}
		}
	}
}

func TestMovesChangeNothing(t *testing.T) {
	for _, shape := range []string{"", "2x3"} {
		for _, matrix := range []string{"", arrow(t)} {
			apptest.Set(t, "n", "300", "iterations", "8", "grid", shape, "matrix", matrix)
			apptest.Same(t, func(cfg bsplib.Config) any { return run(t, cfg).Checksum }, 6)
		}
	}
}

// The check finds a product that is wrong in one bit more than rounding explains.
func TestCheckFinds(t *testing.T) {
	p := parameters{n: 50, density: 0.2, seed: 1}
	x, y := make([]float64, p.n), make([]float64, p.n)
	for i := range x {
		x[i] = 1 / float64(i+1)
	}
	p.each(0, p.n, func(i, j int, a float64) { y[i] += a * x[j] })
	if off, err := p.off(x, y); off != 0 || err != nil {
		t.Errorf("%g, %v", off, err)
	}
	y[7] *= 1 + 1e-13
	if off, _ := p.off(x, y); !(off > 1) {
		t.Errorf("%g", off)
	}
	y[7] = math.NaN()
	if off, _ := p.off(x, y); off <= 1 {
		t.Errorf("%g", off)
	}
}

func TestWhatCannotBe(t *testing.T) {
	for _, c := range []struct{ flag, value, want string }{
		{"n", "0", "-n 0: expected a number from 1 to 2147483647"},
		{"iterations", "0", "-iterations 0: at least one is needed"},
		{"density", "1.5", "-density 1.5: expected a number from 0 to 1"},
		{"density", "NaN", "-density NaN: expected a number from 0 to 1"},
		{"grid", "2", "-grid 2: it is rows x columns, like 2x4"},
		{"grid", "2x4", "-grid 2x4: 2 processes run; expected a grid of as many"},
		{"grid", "4611686018427387905x2", "...2 processes run; expected a grid of as many"},
		{"matrix", filepath.Join(t.TempDir(), "none"), "...no such file"},
	} {
		apptest.Wrong(t, func() error { return check(2) }, c.want, c.flag, c.value)
	}
}

func TestMain(m *testing.M) { apptest.Main(m, main) }

func TestFlagsWithoutUse(t *testing.T) {
	matrix := arrow(t)
	for args, want := range map[string]string{
		"-n 5 -matrix " + matrix:         "-n 5: the matrix is that of -matrix",
		"-n 1000000 -matrix " + matrix:   "-n 1000000: the matrix is that of -matrix",
		"-density 0.5 -matrix " + matrix: "-density 0.5: the matrix is that of -matrix",
		"-matrix " + matrix + " -seed 2": "-seed 2: the matrix is that of -matrix",
		"-n 10 -seed 2":                  "-seed 2: only a random matrix has use for it",
	} {
		apptest.Refused(t, ".", args, want)
	}
}

// A header is not trusted: memory for entries is bounded by the file's length, and memory for rows is
// checked before it is allocated.
func TestHeadIsNotBelieved(t *testing.T) {
	name := file(t, head+"2147483647 2147483647 4611686014132420609\n1 1 1\n")
	apptest.Refused(t, ".", "-matrix "+name, "expected at most 16 entries, for which a file of 94 bytes has room")
	for rows, least := range map[string]int64{"2147483647": 2147483647 * bytesRow, "1000": 1000 * bytesRow} {
		apptest.Set(t, "matrix", file(t, "%%MatrixMarket matrix coordinate pattern symmetric\n"+rows+" "+rows+" 2\n1 1\n2 1\n"))
		if err := check(1); err != nil {
			t.Error(err)
		}
		if got := memory(1); got < least || got > 2*least {
			t.Errorf("memory for %s rows: %d", rows, got)
		}
	}
}

// Each number of a vector has one position, and the positions of a process have no gaps.
func TestDistribution(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		counts := make([]int, 1+r.IntN(50))
		for i := range counts {
			counts[i] = r.IntN(1 + r.IntN(20))
		}
		rows, cols := 1+r.IntN(8), 1+r.IntN(5)
		d := distribution{rows, cols, boundsOf(counts, rows)}
		seen := make([]int, rows*cols)
		for i := range counts {
			row, col := d.row(i), i%cols
			if i < d.Bounds[row] || i >= d.Bounds[row+1] {
				t.Fatalf("%v: row %d is with %d", d, i, row)
			}
			place := d.local(row, i)
			if place != seen[d.at(row, col)] || d.global(row, col, place) != i {
				t.Fatalf("%v: number %d is at place %d of (%d, %d), want %d", d, i, place, row, col, seen[d.at(row, col)])
			}
			seen[d.at(row, col)]++
		}
		for pid, n := range seen {
			if got := d.count(pid/cols, pid%cols); got != n {
				t.Fatalf("%v: process %d has %d numbers, want %d", d, pid, got, n)
			}
		}
	}
}

// No part has more nonzeros than its share and one row.
func TestBoundsDivideNonzeros(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		counts, total, most := make([]int, 1+r.IntN(100)), 0, 0
		for i := range counts {
			counts[i] = r.IntN(1 + r.IntN(100))
			total += counts[i]
			most = max(most, counts[i])
		}
		parts := 1 + r.IntN(20)
		bounds := boundsOf(counts, parts)
		if bounds[0] != 0 || bounds[parts] != len(counts) {
			t.Fatalf("%v", bounds)
		}
		for part := range parts {
			sum := 0
			for _, c := range counts[bounds[part]:bounds[part+1]] {
				sum += c
			}
			if sum > total/parts+most+1 {
				t.Fatalf("part %d of %v of %v has %d of %d nonzeros", part, bounds, counts, sum, total)
			}
		}
	}
}
