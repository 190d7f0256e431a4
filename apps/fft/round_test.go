package main

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
)

// In each redistribution every place of every process gets one number, and it is as
// many redistributions as the length of local vectors allows.
func TestEveryPlaceGetsOneNumber(t *testing.T) {
	for n := 2; n <= 1<<12; n *= 2 {
		for parts := 1; parts <= n/2; parts *= 2 {
			all := make([][]round, parts)
			for pid := range all {
				all[pid] = rounds(n, parts, pid)
			}
			local := float64(n / parts)
			if got, want := len(all[0])-1, int(math.Ceil(math.Log2(float64(parts))/math.Log2(local)-1e-9)); got != want {
				t.Errorf("n=%d p=%d: %d redistributions, want %d", n, parts, got, want)
			}
			for i := range len(all[0]) - 1 {
				if err := onceEach(all, i, n/parts); err != nil {
					t.Fatalf("n=%d p=%d, round %d: %v", n, parts, i, err)
				}
			}
		}
	}
}

func onceEach(all [][]round, i, local int) error {
	taken := make([]bool, len(all)*local)
	for pid := range all {
		r := all[pid][i]
		if r.base+r.member*r.stride != pid || r.local*r.columns != local {
			return fmt.Errorf("%+v is not of process %d with %d numbers", r, pid, local)
		}
		for packet := range r.packets() {
			for k := range r.each() {
				place := r.target(packet)*local + r.at() + k
				if taken[place] {
					return fmt.Errorf("place %d of process %d is written twice", place%local, place/local)
				}
				taken[place] = true
			}
		}
		if r.packets()*r.each() != local {
			return fmt.Errorf("process %d sends %d numbers", pid, r.packets()*r.each())
		}
	}
	return nil
}

func TestSharers(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 1}, {8, 1, 1}, {8, 2, 1}, {8, 4, 2}, {8, 8, 4}, {8, 1024, 8}, {7, 1024, 4}, {1000, 1024, 512}} {
		if got := sharers(c[0], c[1]); got != c[2] || bits.OnesCount(uint(got)) != 1 {
			t.Errorf("%d processes, %d numbers: %d share them, want %d", c[0], c[1], got, c[2])
		}
	}
}
