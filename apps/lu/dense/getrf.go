package dense

import "sync"

// Getrf factors the rows x cols matrix A, rows >= cols, with partial pivoting and without a copy: P A
// = L U, with L unit lower trapezoidal and U upper triangular. pivots[i], i < cols, is the row
// exchanged with row i, in order. It returns false if a pivot is zero; that column is unchanged and U
// is singular.
//
// The pivot is the first of the largest absolute values in its column. A column is divided by its pivot,
// and all else follows the order of arithmetic of the package, so that every elimination built on
// Eliminate, TrsmLowerUnit and Gemm in any blocking agrees with Getrf bit for bit.
// Cost: rows cols² - cols³/3 flops, nearly all in Gemm: the columns are halved recursively.
func Getrf(rows, cols int, a []float64, lda int, pivots []int) bool {
	checkMatrix("Getrf", "a", a, rows, cols, lda)
	if rows < cols {
		panic("dense: Getrf: there are fewer rows than columns")
	}
	if len(pivots) < cols {
		panic("dense: Getrf: pivots is shorter than cols")
	}
	if cols == 0 {
		return true
	}
	p := panels.Get().(*panel)
	f := factorisation{rows: rows, cols: cols, a: a, lda: lda, pivots: pivots, panel: p[:]}
	regular := f.columns(0, cols)
	panels.Put(p)
	return regular
}

const (
	panelWidth = 8
	panelSize  = 1 << 16 // elements of the largest panel that is copied
)

// panel holds a copy of a panel, because the stride of A may map all its rows to a few lines of a
// cache. The copy separates rows by one element, so that a vector that reaches beyond the end of a
// row does not touch the column that is read next.
type panel [panelSize]float64

var panels = sync.Pool{New: func() any { return new(panel) }}

// factorisation is a call of Getrf.
type factorisation struct {
	rows, cols int
	a          []float64
	lda        int
	pivots     []int
	panel      []float64 // room for the copy of a panel
}

// at returns A from row i, column j on.
func (f *factorisation) at(i, j int) []float64 { return f.a[i*f.lda+j:] }

// columns factors columns j ... j+width of the rows from j on, whose columns before j are finished.
func (f *factorisation) columns(j, width int) bool {
	if width <= panelWidth {
		return f.factorPanel(j, width)
	}
	left := (width/2 + panelWidth - 1) / panelWidth * panelWidth
	mid, right := j+left, width-left
	regular := f.columns(j, left)
	TrsmLowerUnit(left, right, f.at(j, j), f.lda, f.at(j, mid), f.lda)
	if mid < f.rows {
		Gemm(f.rows-mid, right, left, f.at(mid, j), f.lda, f.at(j, mid), f.lda, f.at(mid, mid), f.lda)
	}
	return f.columns(mid, right) && regular
}

// factorPanel factors a panel column by column and exchanges the rows of all other columns.
func (f *factorisation) factorPanel(j, width int) bool {
	rows := f.rows - j
	p, ldp := f.at(j, j), f.lda
	copied := rows*(width+1) <= len(f.panel)
	if copied {
		p, ldp = f.panel[:rows*(width+1)], width+1
		copyRows(rows, width, p, ldp, f.at(j, j), f.lda)
	}
	regular := eliminatePanel(rows, width, p, ldp, f.pivots[j:])
	if copied {
		copyRows(rows, width, f.at(j, j), f.lda, p, ldp)
	}
	for i := j; i < j+width; i++ {
		f.pivots[i] += j
		if r := f.pivots[i]; r != i {
			SwapRows(f.at(i, 0)[:j], f.at(r, 0)[:j])
			SwapRows(f.at(i, j+width)[:f.cols-j-width], f.at(r, j+width)[:f.cols-j-width])
		}
	}
	return regular
}

// eliminatePanel factors a rows x cols matrix, rows >= cols, column by column.
// The pivots count from its first row.
func eliminatePanel(rows, cols int, a []float64, lda int, pivots []int) bool {
	regular := true
	next := MaxAbs(rows, a, lda)
	for i := range cols {
		pivots[i] = i + next
		top := a[i*lda:][:cols]
		SwapRows(top, a[pivots[i]*lda:][:cols])
		below := a[min((i+1)*lda+i, len(a)):]
		switch {
		case top[i] != 0:
			next = Eliminate(rows-i-1, cols-i, top[i:], below, lda)
		case i+1 < cols:
			next = MaxAbs(rows-i-1, below[1:], lda)
			fallthrough
		default:
			regular = false
		}
	}
	return regular
}

// copyRows copies a rows x cols matrix.
func copyRows(rows, cols int, dst []float64, ldd int, src []float64, lds int) {
	for i := range rows {
		d, s := dst[i*ldd:][:cols], src[i*lds:][:cols]
		if cols == panelWidth {
			*(*[panelWidth]float64)(d) = *(*[panelWidth]float64)(s) // a few moves, no call
		} else {
			copy(d, s)
		}
	}
}
