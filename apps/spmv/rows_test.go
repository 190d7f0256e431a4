package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// someRows returns rows with up to most nonzeros each, of a matrix with the given number of columns.
func someRows(count, most, columns int) *rows {
	r := rand.New(rand.NewPCG(uint64(count), uint64(most)))
	a := &rows{Starts: []int{0}}
	for range count {
		for range r.IntN(most + 1) {
			a.Columns = append(a.Columns, r.Int32N(int32(columns)))
			a.Values = append(a.Values, r.NormFloat64())
		}
		a.Starts = append(a.Starts, len(a.Values))
	}
	return a
}

// All rows have the products that Go computes, to the last bit, and no others are written.
func TestTimes(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 1}, {2, 0, 1}, {40, 3, 10}, {100, 8, 100}, {100, 9, 7}, {30, 70, 200}, {3, 2000, 500}} {
		a, x := someRows(c[0], c[1], c[2]), make([]float64, c[2])
		for j := range x {
			x[j] = 1 / (float64(j) + 0.3)
		}
		for _, first := range []int{0, c[0] / 3} {
			n := c[0] - first - c[0]/4
			want, got := make([]float64, n), make([]float64, n+1)
			got[n] = 7
			a.plain(want, x, first)
			a.times(got[:n], x, first)
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%v from %d on: row %d has %v, want %v", c, first, i, got[i], want[i])
				}
			}
			if got[n] != 7 {
				t.Fatalf("%v from %d on: %d rows, and one more is written", c, first, n)
			}
		}
	}
}

// An index outside the matrix or the vector is not read, and not skipped.
func TestTimesKeepsWithinBounds(t *testing.T) {
	for name, damage := range map[string]func(a *rows){
		"column too large": func(a *rows) { a.Columns[25] = 10 },
		"column below 0":   func(a *rows) { a.Columns[25] = -1 },
		"end too large":    func(a *rows) { a.Starts[20] = len(a.Values) + 1 },
		"start below 0":    func(a *rows) { a.Starts[0] = -1 },
		"values missing":   func(a *rows) { a.Values = a.Values[:30] },
		"columns missing":  func(a *rows) { a.Columns = a.Columns[:30] },
	} {
		a := someRows(20, 9, 10)
		damage(a)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nothing is said", name)
				}
			}()
			a.times(make([]float64, 20), make([]float64, 10), 0)
		}()
	}
}

func TestLargest(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		y    []float64
		want float64
	}{
		{nil, 0}, {[]float64{math.Copysign(0, -1)}, 0}, {[]float64{1, -3, 2}, 3}, {[]float64{-inf, 5}, inf}, {[]float64{5e-324, 0}, 5e-324},
	} {
		if got := largest(c.y); got != c.want {
			t.Errorf("%v: %v, want %v", c.y, got, c.want)
		}
	}
	if got := largest([]float64{1, -nan, inf}); !math.IsNaN(got) {
		t.Errorf("%v is a number", got)
	}
}
