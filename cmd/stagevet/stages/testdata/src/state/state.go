// Package state has states with fields that cannot move.
package state

import (
	"sync"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
)

type bad struct {
	A      int
	Events chan int       // want `state.Events cannot move: it is a channel`
	More   chan int       // want `state.More cannot move: it is a channel`
	Op     func(int) int  // want `state.Op cannot move: it is a function`
	Any    any            // want `state.Any cannot move: it is an interface`
	Where  unsafe.Pointer // want `state.Where cannot move: it is an unsafe.Pointer`
	Lock   sync.Mutex     // want `state.Lock cannot move: a lock belongs to the memory it stands in`
	rows   []float64      // want `state.rows cannot move: it is an unexported field that holds references; export it`
	Parts  []part
	Keys   map[*int]int // want `state.Keys cannot move: it is a map with references in its key`
	Next   *bad
	embedded
	Guarded      guarded
	sync.RWMutex // want `state.RWMutex cannot move: a lock`
}

type part struct {
	Failure error // want `state.Parts.Failure cannot move: it is an interface`
	n       int
	name    string
}

type embedded struct {
	Done chan bool // want `state.embedded.Done cannot move: it is a channel`
}

type guarded struct {
	sync.Mutex // want `state.Guarded.Mutex cannot move: a lock`
	N          int
}

type good struct {
	A     int
	small struct{ x, y float64 }
	In    bsplib.Area[int]
	inbox bsplib.Queue[int, float64]
	Began time.Time
	Rows  [][]float64
	Names map[string][]int
	text  string
	Next  *good
}

type neverMoves struct{ C chan int }

func program(b *bsplib.Proc, s *bad) error {
	for range b.Stages(1) {
	}
	return nil
}

func moves(b *bsplib.Proc, s *good) error {
	for range b.Stages(1) {
	}
	return nil
}

func stays(b *bsplib.Proc, s *neverMoves) error { return nil }
