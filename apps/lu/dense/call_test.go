package dense

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

func TestMistakesPanic(t *testing.T) {
	ten := make([]float64, 10)
	for _, c := range []struct {
		want string
		call func()
	}{
		{"Gemm: a has 10 elements", func() { Gemm(2, 2, 6, ten, 6, ten, 2, ten, 2) }},
		{"Gemm: b has 10 elements", func() { Gemm(2, 3, 4, ten, 4, ten, 3, ten, 3) }},
		{"Gemm: c has 10 elements", func() { Gemm(3, 4, 1, ten, 1, ten, 4, ten, 4) }},
		{"no -1 x 2 matrix", func() { Gemm(-1, 2, 2, ten, 2, ten, 2, ten, 2) }},
		{"2 x 3 matrix with stride 2", func() { Gemm(2, 2, 3, ten, 2, ten, 2, ten, 2) }},
		{"TrsmLowerUnit: l has 10", func() { TrsmLowerUnit(4, 1, ten, 4, ten, 1) }},
		{"TrsmLowerUnit: b has 10", func() { TrsmLowerUnit(3, 4, ten, 3, ten, 4) }},
		{"Ger: x has 10", func() { Ger(3, 1, ten, 5, ten, ten, 1) }},
		{"Ger: y has 10", func() { Ger(1, 11, ten, 1, ten, ten, 11) }},
		{"Ger: a has 10", func() { Ger(3, 4, ten, 1, ten, ten, 4) }},
		{"MaxAbs: x has 10", func() { MaxAbs(3, ten, math.MaxInt) }},
		{"MaxAbs: x has 10", func() { MaxAbs(11, ten, 1) }},
		{"with stride 0", func() { MaxAbs(2, ten, 0) }},
		{"Divide: x has 10", func() { Divide(4, 1, ten, 4) }},
		{"SwapRows: y has 9", func() { SwapRows(ten, ten[1:]) }},
		{"Eliminate: pivot has 10", func() { Eliminate(1, 11, ten, ten, 11) }},
		{"Eliminate: a has 10", func() { Eliminate(3, 4, ten, ten, 4) }},
		{"Getrf: a has 10", func() { Getrf(4, 4, ten, 4, make([]int, 4)) }},
		{"fewer rows than columns", func() { Getrf(2, 3, ten, 3, make([]int, 3)) }},
		{"Getrf: pivots is shorter", func() { Getrf(5, 2, ten, 2, make([]int, 1)) }},
	} {
		t.Run(c.want, func(t *testing.T) {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, c.want) {
					t.Errorf("panic %q, want %q", got, c.want)
				}
			}()
			c.call()
		})
	}
}

// Several goroutines may call at the same time on parts of the same storage.
func TestConcurrentCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	const n, k, parts = 240, 48, 4
	a, b, c := newMatrix(r, n, k, 0), newMatrix(r, k, n, 0), newMatrix(r, n, n, 0)
	want := c.clone()
	Gemm(n, n, k, a.data, k, b.data, n, want.data, n)
	var all sync.WaitGroup
	for p := range parts {
		all.Go(func() {
			const rows = n / parts
			Gemm(rows, n, k, a.data[p*rows*k:], k, b.data, n, c.data[p*rows*n:], n)
		})
	}
	all.Wait()
	mustBeClose(t, c, want, 1e-13)
}

func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool forget at random")
	}
	r := rand.New(rand.NewPCG(21, 22))
	const n = 100
	a, b, c, pivots := newMatrix(r, n, n, 0), newMatrix(r, n, n, 0), newMatrix(r, n, n, 0), make([]int, n)
	all := func() {
		Gemm(n, n, n, a.data, n, b.data, n, c.data, n)
		TrsmLowerUnit(n, n, a.data, n, b.data, n)
		Ger(n, n, a.data, n, b.data, c.data, n)
		Eliminate(n-1, n, a.data, a.data[n:], n)
		Getrf(n, n, c.data, n, pivots)
	}
	if got := testing.AllocsPerRun(20, all); got > 0 {
		t.Errorf("%v allocations per run", got)
	}
}
