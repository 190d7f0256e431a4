package match

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// some returns ranges with their pixels, and domains.
func some(side, ranges, domains int) (Ranges, [][]uint8, []uint16) {
	random := rand.New(rand.NewPCG(uint64(side), uint64(ranges)))
	r := NewRanges(side, ranges)
	var pix [][]uint8
	for i := range ranges {
		pix = append(pix, rangeBlock(random, side, i))
		copy(r.Block(i), pix[i])
	}
	var sums []uint16
	for i := range domains {
		if i%7 == 6 { // the same again, which is not better
			sums = append(sums, sums[:side*side]...)
			continue
		}
		sums = append(sums, domainBlock(random, side, i)...)
	}
	return r, pix, sums
}

func TestSearchFindsTheLeastError(t *testing.T) {
	for _, c := range []struct{ side, ranges, domains int }{{2, 9, 31}, {4, 14, 75}, {8, 7, 40}, {16, 5, 9}, {32, 2, 3}} {
		onEachKernel(t, fmt.Sprint(c), func(t *testing.T) {
			r, pix, sums := some(c.side, c.ranges, c.domains)
			r.Search().Compare(0, sums)
			for i := range pix {
				if want := naive(c.side, pix[i], sums); r.Best[i] != want {
					t.Errorf("block %d: %+v, want %+v", i, r.Best[i], want)
				}
			}
		})
	}
}

// The order and partition of the domains do not matter.
func TestSearchDoesNotDependOnOrder(t *testing.T) {
	const side, domains = 4, 50
	want, _, sums := some(side, 20, domains)
	want.Search().Compare(0, sums)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		got, _, _ := some(side, 20, domains)
		search := got.Search()
		cuts := []int{0, domains, random.IntN(domains), random.IntN(domains), random.IntN(domains)}
		slices.Sort(cuts)
		for _, part := range random.Perm(len(cuts) - 1) {
			search.Compare(cuts[part], sums[cuts[part]*side*side:cuts[part+1]*side*side])
		}
		if !slices.Equal(got.Best, want.Best) {
			t.Fatalf("cut at %v: %v, want %v", cuts, got.Best, want.Best)
		}
	}
}

// The eight maps differ, and the first is the identity.
func TestIsometries(t *testing.T) {
	for _, side := range []int{2, 4, 8} {
		var maps [Isometries][]int
		for k := range maps {
			maps[k] = Isometry(side, k)
		}
		for i, from := range maps[0] {
			if i != from {
				t.Errorf("side %d: isometry 0 is not the identity", side)
			}
		}
		for k, m := range maps {
			sorted := slices.Sorted(slices.Values(m))
			for i, x := range sorted {
				if i != x {
					t.Fatalf("side %d: isometry %d is no permutation", side, k)
				}
			}
			for other := range k {
				if slices.Equal(m, maps[other]) {
					t.Errorf("side %d: isometries %d and %d are the same", side, other, k)
				}
			}
		}
	}
}

// One comparison is a block with one isometry of a domain.
func BenchmarkSearch(b *testing.B) {
	for _, side := range []int{4, 8, 16} {
		b.Run(fmt.Sprintf("%dx%d/%s", side, side, Kernel()), func(b *testing.B) {
			const ranges, domains = 1024, 512
			r, _, sums := some(side, ranges, domains)
			for b.Loop() {
				clear(r.Best)
				r.Search().Compare(0, sums)
			}
			comparisons := float64(b.N) * ranges * domains * Isometries
			b.ReportMetric(comparisons/b.Elapsed().Seconds()/1e6, "Mcmp/s")
			b.ReportMetric(comparisons*float64(side*side)/b.Elapsed().Seconds()/1e9, "Gmac/s")
		})
	}
}
