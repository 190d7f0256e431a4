package main

import "fmt"

// result says what the destination areas hold after a measure.
type result int

const (
	unchecked result = iota
	fromLeft         // everywhere the words of the left-hand neighbour
	fromRight        // everywhere the words of the right-hand neighbour
	permuted         // those of the left-hand neighbour, as where says
	oneWayPut        // the words of process 0, on its right-hand neighbour
	oneWayGet        // the words of that neighbour, on process 0
)

// verify returns an error unless this process's destination area holds what it
// should.
func (b *bench) verify(m measure) error {
	sender, receives := b.sender(m.result)
	if !receives {
		return nil
	}
	for i := range m.words {
		at := i
		if m.result == permuted {
			at = b.where[i]
		}
		if want := word(sender, i); b.to[at] != want {
			return fmt.Errorf("%s: word %d is %v, want %v", m.name, at, b.to[at], want)
		}
	}
	return nil
}

// sender is the process whose words this one must have.
func (b *bench) sender(r result) (pid int, receives bool) {
	switch r {
	case fromLeft, permuted:
		return b.left, true
	case fromRight:
		return b.right, true
	case oneWayPut:
		return 0, b.left == 0
	case oneWayGet:
		return b.right, b.Pid() == 0
	default:
		return 0, false
	}
}
