// Package nested has stages within stages.
package nested

import "github.com/migbsp/migbsp/bsplib"

type state struct{ N int }

func direct(b *bsplib.Proc, s *state) error {
	for range b.Stages(2) {
		for range b.Stages(3) { // want `a stage loop within the stage loop at line 9: stage loops follow one another; make the inner one an ordinary loop with Sync`
		}
	}
	return nil
}

func (s *state) inner(b *bsplib.Proc) {
	for range b.Stages(2) {
	}
}

func (s *state) between(b *bsplib.Proc) { s.inner(b) }

func called(b *bsplib.Proc, s *state) error {
	for range b.Stages(2) {
		s.inner(b)   // want `inner runs stages within the stage loop at line 24`
		s.between(b) // want `between runs stages within the stage loop at line 24`
		func() {
			s.inner(b) // want `inner runs stages within the stage loop at line 24`
		}()
	}
	s.inner(b)
	return nil
}

func inAnOrdinaryLoop(b *bsplib.Proc, s *state) error {
	for range 3 {
		s.inner(b)
		for range b.Stages(1) {
		}
	}
	return nil
}
