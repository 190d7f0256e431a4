// Package silenced says of findings that they are meant.
package silenced

import "github.com/migbsp/migbsp/bsplib"

type state struct{ N, Sum int }

func sameLine(b *bsplib.Proc, s *state) error {
	n := 0
	for range b.Stages(s.N) {
		n++ //stagevet:ok counts for a log that may have holes
	}
	s.Sum = n
	return nil
}

func lineAbove(b *bsplib.Proc, s *state) error {
	n := 0
	for range b.Stages(s.N) {
		//stagevet:ok counts for a log that may have holes
		n++
	}
	s.Sum = n
	return nil
}

func notTwoAbove(b *bsplib.Proc, s *state) error {
	n := 0
	for range b.Stages(s.N) {
		//stagevet:ok counts for a log that may have holes

		n++ // want `n is set in the stage loop`
	}
	s.Sum = n
	return nil
}

func withoutReason(b *bsplib.Proc, s *state) error {
	n := 0
	for range b.Stages(s.N) {
		/* want `stagevet:ok needs a reason` `n is set in the stage loop` */ n++ //stagevet:ok
	}
	s.Sum = n
	return nil
}
