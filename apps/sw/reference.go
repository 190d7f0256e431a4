package main

import "github.com/migbsp/migbsp/apps/sw/cells"

// reference returns the largest score by the plain algorithm: one row after the other, from
// the definitions.
func reference(s *scoring, query, target []byte) int32 {
	h, f := make([]int32, len(target)+1), make([]int32, len(target)+1)
	for j := range f {
		f[j] = cells.Never
	}
	most := int32(0)
	for _, x := range query {
		diagonal, e := int32(0), int32(cells.Never)
		for j, y := range target {
			up := h[j+1]
			e = max(h[j]-s.Open, e) - s.Extend
			f[j+1] = max(up-s.Open, f[j+1]) - s.Extend
			h[j+1] = max(0, diagonal+s.Pair[x][y], e, f[j+1])
			most = max(most, h[j+1])
			diagonal = up
		}
	}
	return most
}
