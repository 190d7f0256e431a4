package main

import (
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/apps/internal/flags"
)

// mostLetters is how many letters an alphabet can have.
const mostLetters = 32

// scoring says what pairs of letters and gaps count.
type scoring struct {
	letters string // the alphabet; sequences are made of indices into it
	others  string // letters that files may have beside,
	as      string // each read as the one at its place here
	any     byte   // the letter that stands for any
	pair    [mostLetters][mostLetters]int32
	open    int32 // what a gap costs, beside
	extend  int32 // what each of its letters costs
}

// dnaLetters are the bases, and N, any of them. dnaOthers are the base of RNA that is in the
// place of T, and the codes of IUPAC for two or three bases: R is A or G, and so on.
const (
	dnaLetters = "ACGTN"
	dnaOthers  = "URYSWKMBDHV"
	dnaAs      = "TNNNNNNNNNN"
)

// proteinOthers are amino acids that BLOSUM62 does not know, selenocysteine and
// pyrrolysine, and J, leucine or isoleucine.
const (
	proteinOthers = "UOJ"
	proteinAs     = "XXX"
)

// proteinScoring is BLOSUM62.
func proteinScoring() *scoring {
	s := &scoring{letters: proteinLetters, others: proteinOthers, as: proteinAs, any: 'X', open: 11, extend: 1}
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
	s := &scoring{letters: dnaLetters, others: dnaOthers, as: dnaAs, any: 'N', open: 5, extend: 2}
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
	s.open, s.extend = int32(open.Or(int(s.open))), int32(extend.Or(int(s.extend)))
	switch {
	case s.open < 0 || s.open > mostCost:
		return nil, fmt.Errorf("-open %s: expected a number from 0 to %d", open, mostCost)
	case s.extend < 1 || s.extend > mostCost:
		return nil, fmt.Errorf("-extend %s: expected a number from 1 to %d; a gap's letters cost something", extend, mostCost)
	}
	return s, nil
}

// code is the index of a letter, large or small, or of that as which it is read; ok is
// false if there is none.
func (s *scoring) code(letter byte) (code byte, ok bool) {
	letter = upper(letter)
	if i := strings.IndexByte(s.others, letter); i >= 0 {
		letter = s.as[i]
	}
	at := strings.IndexByte(s.letters, letter)
	return byte(at), at >= 0
}

// unclear tells whether a letter is another than that for any, but read as that.
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
