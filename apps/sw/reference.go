package main

// reference is the largest score, computed in the plainest way: one row after the other,
// from the definitions.
func reference(s *scoring, query, target []byte) int32 {
	h, f := make([]int32, len(target)+1), make([]int32, len(target)+1)
	for j := range f {
		f[j] = never
	}
	most := int32(0)
	for _, x := range query {
		diagonal, e := int32(0), int32(never)
		for j, y := range target {
			up := h[j+1]
			e = max(h[j]-s.open, e) - s.extend
			f[j+1] = max(up-s.open, f[j+1]) - s.extend
			h[j+1] = max(0, diagonal+s.pair[x][y], e, f[j+1])
			most = max(most, h[j+1])
			diagonal = up
		}
	}
	return most
}
