package main

// The scores are Gotoh's: of all alignments that end with letter i of the query and
// letter j of the target, H(i,j) is the largest score or 0, E(i,j) the largest with a
// gap in the query at its end, F(i,j) the largest with one in the target:
//
//	E(i,j) = max(H(i,j-1) - open, E(i,j-1)) - extend
//	F(i,j) = max(H(i-1,j) - open, F(i-1,j)) - extend
//	H(i,j) = max(0, H(i-1,j-1) + pair(i,j), E(i,j), F(i,j))

// cell is what the matrix has at a place, seen from the next row or the next column: H
// there, and in Gap the F of the next row or the E of the next column.
type cell struct{ H, Gap int32 }

// never is less than all scores.
const never = -1 << 29

// nothing is a border where no alignment can come from.
var nothing = cell{0, never}

// peak is the largest score of a part of the matrix and the last row that has it.
type peak struct{ Score, Row int32 }

// profile is what each letter of an alphabet scores with each of a part of the target.
type profile [mostLetters][]int8

// profileOf makes the profile of a part of the target.
func (s *scoring) profileOf(target []byte) *profile {
	p := new(profile)
	all := make([]int8, len(s.letters)*len(target))
	for letter := range s.letters {
		p[letter], all = all[:len(target):len(target)], all[len(target):]
		for j, t := range target {
			p[letter][j] = int8(s.pair[letter][t%mostLetters])
		}
	}
	return p
}

// block computes a block of the matrix: rows of the query, of which the first is number
// first, and the profile's columns. above is the row of cells above it on entry, and its
// last row on return. left are the cells on its left, one for each row, and right becomes
// its last column; left may be right. corner is H above left and left. The peak of what
// came before goes in, that with the block comes out.
//
// What H(i,j) has of E(i,j) need not go into E(i,j+1), as a gap that begins anew costs no
// less than one that goes on: so E waits for two operations only.
func (s *scoring) block(query []byte, p *profile, first int, above, left, right []cell, corner int32, top peak) peak {
	for i, letter := range query {
		next := left[i].H
		most, e := s.row(p[letter%mostLetters], above, left[i].Gap, corner)
		if most >= top.Score {
			top = peak{most, int32(first + i)}
		}
		right[i], corner = cell{above[len(above)-1].H, e}, next
	}
	return top
}

// row computes one row, with pairs of the profile, and returns its largest score and what
// E is behind it. e and corner are E and H on its left.
func (s *scoring) row(pairs []int8, above []cell, e, diagonal int32) (most, after int32) {
	open, extend := s.open+s.extend, s.extend
	above = above[:len(pairs)]
	for j, pair := range pairs {
		up := above[j]
		h := max(diagonal+int32(pair), up.Gap, 0)
		diagonal = up.H
		next := max(h-open, e-extend)
		h = max(h, e)
		above[j] = cell{h, max(h-open, up.Gap-extend)}
		most, e = max(most, h), next
	}
	return most, e
}
