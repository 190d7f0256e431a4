package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// TestMain lets the tests run on the ranks of mpirun too.
func TestMain(m *testing.M) {
	*size, *generations = 9, 10
	bsptest.Main(m)
}

// board returns the last generation, computed without processes.
func board() []byte {
	n := *size
	var cells []byte
	for row := range n {
		cells = append(cells, scattered(row)...)
	}
	for range *generations {
		old := slices.Clone(cells)
		for i, cell := range old {
			around := -cell
			for _, down := range []int{0, 1, n - 1} {
				for _, right := range []int{0, 1, n - 1} {
					around += old[(i/n+down)%n*n+(i%n+right)%n]
				}
			}
			cells[i] = next(cell, around)
		}
	}
	return cells
}

// Each process ends with its rows of the board: on 1, 2, 3, 4 and 7 processes, with fewer ranks
// than processes, as many and more, without moves and with all processes moving after each stage.
func TestRows(t *testing.T) {
	all := board()
	bsptest.Shaken(t, func(b *bsplib.Proc, s *state) error {
		if err := life(b, s); err != nil {
			return err
		}
		want := all[first(b.Pid(), b.NProcs())**size : first(b.Pid()+1, b.NProcs())**size]
		if !slices.Equal(s.own(), want) {
			return fmt.Errorf("rows are %v, want %v", s.own(), want)
		}
		return nil
	})
}
