package main

import (
	"math/rand/v2"
	"testing"
)

// Each number of a vector has one place, and the places of a process have no gaps.
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

func TestColumnSet(t *testing.T) {
	c := columnsOf(200, []entry{{J: 3}, {J: 199}, {J: 64}, {J: 3}, {J: 63}})
	for k, j := range []int{3, 63, 64, 199} {
		if c.place(j) != k || c.all()[k] != j || len(c.all()) != 4 {
			t.Errorf("column %d is at %d of %v", j, c.place(j), c.all())
		}
	}
}
