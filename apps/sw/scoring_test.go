package main

import "testing"

// A few of the published values, and what the matrix is as a whole.
func TestBlosum62(t *testing.T) {
	s := proteinScoring()
	score := func(pair string) int32 {
		a, ok := s.code(pair[0])
		b, also := s.code(pair[1])
		if !ok || !also {
			t.Fatalf("%s: no such letters", pair)
		}
		return s.Pair[a][b]
	}
	for pair, want := range map[string]int32{"WW": 11, "CC": 9, "AR": -1, "IV": 3, "vi": 3, "FY": 3, "DB": 4, "EZ": 4, "XA": 0, "**": 1, "W*": -4, "PW": -4} {
		if got := score(pair); got != want {
			t.Errorf("%s scores %d, want %d", pair, got, want)
		}
	}
	sum := int32(0)
	for i := range s.letters {
		for j := range s.letters {
			if s.Pair[i][j] != s.Pair[j][i] {
				t.Errorf("%c%c and %c%c differ", s.letters[i], s.letters[j], s.letters[j], s.letters[i])
			}
			sum += s.Pair[i][j]
		}
	}
	if len(blosum62) != len(proteinLetters)*(len(proteinLetters)+1)/2 || s.most() != 11 {
		t.Errorf("%d values, up to %d", len(blosum62), s.most())
	}
	if sum != -726 {
		t.Errorf("all scores together are %d", sum)
	}
}
