package main

import (
	"fmt"
	"strings"
)

// mostLetters is how many letters an alphabet can have.
const mostLetters = 32

// scoring says what pairs of letters and gaps count.
type scoring struct {
	letters string // the alphabet; sequences are made of indices into it
	pair    [mostLetters][mostLetters]int32
	open    int32 // what a gap costs, beside
	extend  int32 // what each of its letters costs
}

// dnaLetters are the bases, and N, any of them.
const dnaLetters = "ACGTN"

// proteinScoring is BLOSUM62.
func proteinScoring() *scoring {
	s := &scoring{letters: proteinLetters, open: 11, extend: 1}
	at := 0
	for i := range len(proteinLetters) {
		for j := range i + 1 {
			s.pair[i][j] = int32(blosum62[at])
			s.pair[j][i] = int32(blosum62[at])
			at++
		}
	}
	return s
}

// dnaScoring counts equal and unequal bases; N is equal to none.
func dnaScoring(match, mismatch int32) *scoring {
	s := &scoring{letters: dnaLetters, open: 5, extend: 2}
	for i := range len(dnaLetters) {
		for j := range len(dnaLetters) {
			s.pair[i][j] = mismatch
		}
	}
	for i := range len("ACGT") {
		s.pair[i][i] = match
	}
	return s
}

// scoringOf is the scoring that the command line asks for; a negative open or extend is
// the usual one.
func scoringOf(matrix string, match, mismatch, open, extend int) (*scoring, error) {
	const most = 100
	for _, x := range []int{match, mismatch, open, extend} {
		if x < -most || x > most {
			return nil, fmt.Errorf("-match, -mismatch, -open, -extend: expected numbers between -%d and %d, not %d", most, most, x)
		}
	}
	var s *scoring
	switch matrix {
	case "blosum62":
		s = proteinScoring()
	case "dna":
		if match < 1 || mismatch >= 0 {
			return nil, fmt.Errorf("-match %d -mismatch %d: expected a number above and one below 0", match, mismatch)
		}
		s = dnaScoring(int32(match), int32(mismatch))
	default:
		return nil, fmt.Errorf("-matrix %s: it is blosum62 or dna", matrix)
	}
	if open >= 0 {
		s.open = int32(open)
	}
	if extend >= 0 {
		s.extend = int32(extend)
	}
	if s.extend == 0 {
		return nil, fmt.Errorf("-extend 0: a gap's letters cost at least 1")
	}
	return s, nil
}

// code is the index of a letter, large or small; ok is false if there is none.
func (s *scoring) code(letter byte) (code byte, ok bool) {
	if 'a' <= letter && letter <= 'z' {
		letter -= 'a' - 'A'
	}
	at := strings.IndexByte(s.letters, letter)
	return byte(at), at >= 0
}

// text is a sequence in letters.
func (s *scoring) text(codes []byte) string {
	text := make([]byte, len(codes))
	for i, c := range codes {
		text[i] = s.letters[c]
	}
	return string(text)
}

// most is the largest score of a pair.
func (s *scoring) most() int32 {
	most := s.pair[0][0]
	for _, row := range s.pair[:len(s.letters)] {
		for _, x := range row[:len(s.letters)] {
			most = max(most, x)
		}
	}
	return most
}
