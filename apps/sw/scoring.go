package main

import (
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/apps/sw/cells"
)

// scoring is an alphabet and the scores of pairs of its letters and of gaps.
type scoring struct {
	cells.Scores
	letters string // the alphabet; sequences are made of indices into it
	others  string // additional letters allowed in files,
	as      string // each read as the letter at its index here
	any     byte   // the letter that stands for any
}

// dnaLetters are the bases, and N, any of them. dnaOthers are the base of RNA that replaces
// T, and the codes of IUPAC for two or three bases: R is A or G, and so on.
const (
	dnaLetters = "ACGTN"
	dnaOthers  = "URYSWKMBDHV"
	dnaAs      = "TNNNNNNNNNN"
)

// proteinOthers are amino acids without scores in BLOSUM62, selenocysteine and pyrrolysine, and J,
// leucine or isoleucine.
const (
	proteinOthers = "UOJ"
	proteinAs     = "XXX"
)

// proteinScoring is BLOSUM62.
func proteinScoring() *scoring {
	s := &scoring{letters: proteinLetters, others: proteinOthers, as: proteinAs, any: 'X', Scores: cells.Scores{Open: 11, Extend: 1}}
	at := 0
	for i := range len(proteinLetters) {
		for j := range i + 1 {
			s.Pair[i][j] = int32(blosum62[at])
			s.Pair[j][i] = int32(blosum62[at])
			at++
		}
	}
	return s
}

// dnaScoring counts equal and unequal bases; N is equal to none.
func dnaScoring(match, mismatch int32) *scoring {
	s := &scoring{letters: dnaLetters, others: dnaOthers, as: dnaAs, any: 'N', Scores: cells.Scores{Open: 5, Extend: 2}}
	for i := range len(dnaLetters) {
		for j := range len(dnaLetters) {
			s.Pair[i][j] = mismatch
		}
	}
	for i := range len("ACGT") {
		s.Pair[i][i] = match
	}
	return s
}

// mostCost is the most that pairs and gaps can count, above and below 0.
const mostCost = 100

// scoringOf is the scoring that the command line asks for.
func scoringOf(matrix string, match, mismatch int, open, extend *flags.OptionalInt) (*scoring, error) {
	var s *scoring
	switch matrix {
	case "blosum62":
		if err := flags.Unused("only -matrix dna has use for it", "match", "mismatch"); err != nil {
			return nil, err
		}
		s = proteinScoring()
	case "dna":
		if match < 1 || match > mostCost {
			return nil, fmt.Errorf("-match %d: expected a number from 1 to %d", match, mostCost)
		}
		if mismatch < -mostCost || mismatch > -1 {
			return nil, fmt.Errorf("-mismatch %d: expected a number from %d to -1", mismatch, -mostCost)
		}
		s = dnaScoring(int32(match), int32(mismatch))
	default:
		return nil, fmt.Errorf("-matrix %s: it is blosum62 or dna", matrix)
	}
	s.Open, s.Extend = int32(open.Or(int(s.Open))), int32(extend.Or(int(s.Extend)))
	switch {
	case s.Open < 0 || s.Open > mostCost:
		return nil, fmt.Errorf("-open %s: expected a number from 0 to %d", open, mostCost)
	case s.Extend < 1 || s.Extend > mostCost:
		return nil, fmt.Errorf("-extend %s: expected a number from 1 to %d; a gap's letters cost something", extend, mostCost)
	}
	return s, nil
}

// code returns the index of a letter, in either case, or of its replacement; ok is false for other
// letters.
func (s *scoring) code(letter byte) (code byte, ok bool) {
	letter = upper(letter)
	if i := strings.IndexByte(s.others, letter); i >= 0 {
		letter = s.as[i]
	}
	at := strings.IndexByte(s.letters, letter)
	return byte(at), at >= 0
}

// unclear reports whether a letter is read as the letter for any.
func (s *scoring) unclear(letter byte) bool {
	i := strings.IndexByte(s.others, upper(letter))
	return i >= 0 && s.as[i] == s.any
}

func upper(letter byte) byte {
	if 'a' <= letter && letter <= 'z' {
		letter -= 'a' - 'A'
	}
	return letter
}

// most is the largest score of a pair.
func (s *scoring) most() int32 {
	most := s.Pair[0][0]
	for _, row := range s.Pair[:len(s.letters)] {
		for _, x := range row[:len(s.letters)] {
			most = max(most, x)
		}
	}
	return most
}

// proteinLetters are the amino acids, then B (D or N), Z (E or Q), X (any) and the
// stop, in the usual order of substitution matrices.
const proteinLetters = "ARNDCQEGHILKMFPSTWYVBZX*"

// blosum62 are the scores of pairs of proteinLetters, the lower triangle by rows:
// S. and J. G. Henikoff, Amino acid substitution matrices from protein blocks, PNAS 89
// (1992), in half bits.
var blosum62 = [...]int8{
	4,
	-1, 5,
	-2, 0, 6,
	-2, -2, 1, 6,
	0, -3, -3, -3, 9,
	-1, 1, 0, 0, -3, 5,
	-1, 0, 0, 2, -4, 2, 5,
	0, -2, 0, -1, -3, -2, -2, 6,
	-2, 0, 1, -1, -3, 0, 0, -2, 8,
	-1, -3, -3, -3, -1, -3, -3, -4, -3, 4,
	-1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4,
	-1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5,
	-1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5,
	-2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6,
	-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7,
	1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4,
	0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5,
	-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11,
	-2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7,
	0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4,
	-2, -1, 3, 4, -3, 0, 1, -1, 0, -3, -4, 0, -3, -3, -2, 0, -1, -4, -3, -3, 4,
	-1, 0, 0, 1, -3, 3, 4, -2, 0, -3, -3, 1, -1, -3, -1, 0, -1, -3, -2, -2, 1, 4,
	0, -1, -1, -1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -2, 0, 0, -2, -1, -1, -1, -1, -1,
	-4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, 1,
}
