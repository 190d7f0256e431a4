// Package run gives programs to the library to run.
package run

import "github.com/migbsp/migbsp/bsplib"

type state struct {
	N      int
	Events chan int // want `state.Events cannot move: it is a channel`
}

type helper struct{ events chan int }

func main() { bsplib.Main(program) }

func program(b *bsplib.Proc, s *state) error {
	loop(b, &helper{})
	return bsplib.Run(bsplib.Config{}, func(b *bsplib.Proc, s *struct {
		F func() // want `state.F cannot move: it is a function`
	}) error {
		for range b.Stages(1) {
		}
		return nil
	})
}

func loop(b *bsplib.Proc, h *helper) {
	for range b.Stages(1) {
	}
}
