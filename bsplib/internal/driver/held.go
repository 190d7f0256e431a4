package driver

import "github.com/migbsp/migbsp/bsplib/internal/stream"

// Held has functions that return the fields of package bsplib's types Proc, Area[byte] and
// Queue[uint64, byte]. Package bsplib sets them, and package cbsp calls them.
var Held struct {
	Process func(proc any) *Process
	Area    func(area any) *stream.Area
	Queue   func(queue any) *stream.Queue
}
