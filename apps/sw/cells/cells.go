// Package cells computes blocks of Gotoh's matrix of local alignments. Of all alignments
// that end with letter i of the query and letter j of the target, H(i,j) is the largest
// score or 0, E(i,j) the largest with a gap in the query at its end, F(i,j) the largest
// with one in the target:
//
//	E(i,j) = max(H(i,j-1) - open, E(i,j-1)) - extend
//	F(i,j) = max(H(i-1,j) - open, F(i-1,j)) - extend
//	H(i,j) = max(0, H(i-1,j-1) + pair(i,j), E(i,j), F(i,j))
//
// Where the processor can, sixteen cells are computed at once; results are the same.
package cells

// Cell is an element of the matrix as the next row or the next column needs it: H, and in
// Gap the F of the next row or the E of the next column.
type Cell struct{ H, Gap int32 }

// Never is less than all scores.
const Never = -1 << 29

// Nothing is a border from which an alignment cannot continue.
var Nothing = Cell{0, Never}

// Peak is the largest score of a part of the matrix and the last row that has it.
type Peak struct{ Score, Row int32 }

// or returns the higher of two peaks or, for equal scores, the peak of the last row.
func (p Peak) or(q Peak) Peak {
	if q.Score > p.Score || q.Score == p.Score && q.Row > p.Row {
		return q
	}
	return p
}
