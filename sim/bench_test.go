package sim

import (
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// BenchmarkLU shows what a superstep of many messages costs to simulate.
func BenchmarkLU(b *testing.B) {
	p := must.Get(Read("../examples/clusters-of-clusters.xml"))(b)
	w := &LU{Size: 500, M: 20, N: 10, Flops: 500, Element: 8}
	where := must.Get(p.Place(w.Processes(), "contiguous"))(b)
	for b.Loop() {
		must.Get(Run(b.Context(), &Config{Platform: p, Workload: w, Where: where, Barrier: linear}, Report{}))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*w.Steps()), "us/superstep")
}
