package forecast

import (
	"math"
	"slices"
)

// Quantile is what errors of forecasts do not exceed in a part of the cases: of n errors that
// were seen, the one of rank ceil((n+1) part) by size. If the next one is exchangeable with
// them, it is no larger with at least that probability, whatever their distribution is: split
// conformal prediction (Vovk, Gammerman and Shafer 2005). It is infinite while too few were
// seen to say that of any.
func Quantile(errors []float32, part float64) float64 {
	rank := int(math.Ceil(float64(len(errors)+1) * part))
	if rank > len(errors) {
		return math.Inf(1)
	}
	sizes := make([]float64, len(errors))
	for i, e := range errors {
		sizes[i] = math.Abs(float64(e))
	}
	slices.Sort(sizes)
	return sizes[max(0, rank-1)]
}
