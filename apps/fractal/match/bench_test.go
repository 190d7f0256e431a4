package match

import (
	"fmt"
	"testing"
)

// A comparison is that of a block with one isometry of a domain.
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
