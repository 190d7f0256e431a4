package sim

import "testing"

// BenchmarkLU shows what a superstep of many messages costs to simulate.
func BenchmarkLU(b *testing.B) {
	p, err := Read("../examples/clusters-of-clusters.xml")
	if err != nil {
		b.Fatal(err)
	}
	w := &LU{Size: 500, M: 20, N: 10, Flops: 500, Element: 8}
	where, err := p.Place(w.Processes(), "contiguous")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Run(b.Context(), &Config{Platform: p, Workload: w, Where: where, Barrier: linear}, Report{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*w.Steps()), "us/superstep")
}
