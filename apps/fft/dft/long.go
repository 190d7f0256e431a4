package dft

// long transforms the columns of a matrix, multiplies by roots of unity, transforms
// the rows, and makes columns of rows.
func (p *Plan) long(x, y []complex128) {
	height, width := p.columns.n, p.rows.n
	next := width + apart
	for c := 0; c < width; c += wide {
		done := p.columns.run(x[c:], width, wide, p.one, p.other)
		for i := range p.bases {
			p.bases[i] = p.roots.At(i * c)
		}
		rotate(x[c:], width, done, p.powers, p.bases)
	}
	for i := 0; i < height; i += wide {
		for r := range wide {
			row := x[(i+r)*width:][:width]
			p.rows.Transform(row, p.one[r*next:][:width])
		}
		flip(y[i:], height, p.one, next, width)
	}
}

// rotate multiplies number q of row i of x by powers[i*wide+q] * bases[i]. Rows of x and
// powers have wide numbers; rows of y, which gets the result, are ld apart.
func rotate(y []complex128, ld int, x, powers, bases []complex128) {
	if fastRotate(y, ld, x, powers, bases) {
		return
	}
	for i, base := range bases {
		to, from, powers := y[i*ld:][:wide], x[i*wide:][:wide], powers[i*wide:][:wide]
		for q, power := range powers {
			to[q] = times(times(base, power), from[q])
		}
	}
}

// flip makes a row of y of each of the first columns of x, which has wide rows. Rows are
// ld and next numbers apart.
func flip(y []complex128, ld int, x []complex128, next, columns int) {
	if fastFlip(y, ld, x, next, columns) {
		return
	}
	for j := range columns {
		to := y[j*ld:][:wide]
		for r := range to {
			to[r] = x[r*next+j]
		}
	}
}
