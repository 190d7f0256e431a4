package stencil

// plain is the kernel in Go.
func plain(to, from []float64, b Block, w *Weights, first, end int) {
	for z := range b.Layers() {
		for y := first; y < end; y++ {
			if at := b.At(0, y, z); b.Z == 0 {
				line2(to, from, at, b, w)
			} else {
				line3(to, from, at, b, w)
			}
		}
	}
}

// line2 makes a step in the line that begins at an index, in two dimensions. Each neighbour
// has its own slice, and all have the length of the slice that the loop is over: so the
// compiler sees that no index is outside.
func line2(to, from []float64, at int, b Block, w *Weights) {
	n, y := b.X, b.Line()
	to, own := to[at:][:n], from[at:][:n]
	west, east := from[at-1:][:n], from[at+1:][:n]
	south, north := from[at-y:][:n], from[at+y:][:n]
	a, c := w.Own, w.Beside
	for i := range to {
		beside := (west[i] + east[i]) + (south[i] + north[i])
		to[i] = float64(a*own[i]) + float64(c*beside)
	}
}

// line3 is line2 in three dimensions.
func line3(to, from []float64, at int, b Block, w *Weights) {
	n, y, z := b.X, b.Line(), b.Layer()
	to, own := to[at:][:n], from[at:][:n]
	west, east := from[at-1:][:n], from[at+1:][:n]
	south, north := from[at-y:][:n], from[at+y:][:n]
	below, above := from[at-z:][:n], from[at+z:][:n]
	a, c := w.Own, w.Beside
	for i := range to {
		beside := (west[i] + east[i]) + (south[i] + north[i]) + (below[i] + above[i])
		to[i] = float64(a*own[i]) + float64(c*beside)
	}
}
