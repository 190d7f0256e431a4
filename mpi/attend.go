package mpi

import (
	"errors"
	"fmt"
	"slices"
)

// Attendance: leaving exchanges and coming back.
//
// A rank without work need not come to each exchange. All ranks call Attend with the same list; the
// ranks that are not in it leave. Attend without a list calls all back. Both change each rank's
// view of the others without a message between them:
//
//   - Numbers do not change: those assigned to ranks, to members of a board, and to nodes. A rank
//     whose node has no other rank present is alone there. The leader of a node is its first rank
//     that is present; a node with no rank present is not a node of the rounds.
//   - A rank that leaves reads, until it calls Attend, memory that others may overwrite
//     once it no longer comes to their exchanges. So it leaves a mark in Attend. Ranks that
//     stay wait for the mark before their next exchange, and ranks of its node that have
//     left too wait for it before they come back.
//   - An absent rank does not count the exchanges that it misses. The note that calls it back
//     has the number of the last exchange, from which it counts on. Buffers are counted by lane
//     in-process, where the note has these counts too, and by pair of ranks under MPI, where
//     the counts do not change: no bytes go to or from the absent.
//   - Calling back is a wake-up in memory on a node. A node that is absent as a whole has
//     one rank that polls for a message; these messages go down a binomial tree, whose
//     roots are the nodes that are present.

// MostNote is the maximum length in bytes of the note that Attend sends to ranks called back.
const MostNote = 1008

// checkAttend returns an error if present is not a valid list for size ranks.
func checkAttend(present []bool, size int) error {
	if len(present) != size {
		return fmt.Errorf("mpi: Attend with a list of %d ranks; there are %d", len(present), size)
	}
	if !slices.Contains(present, true) {
		return errors.New("mpi: Attend with nobody present")
	}
	return nil
}

func checkNote(note []byte) error {
	if len(note) > MostNote {
		return fmt.Errorf("mpi: Attend with a note of %d bytes, of which there may be %d", len(note), MostNote)
	}
	return nil
}

// ranksWhere lists the ranks that are present, or those that are not.
func ranksWhere(present []bool, is bool) []int {
	var ranks []int
	for r, here := range present {
		if here == is {
			ranks = append(ranks, r)
		}
	}
	return ranks
}
