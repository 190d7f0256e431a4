package mpi

import (
	"errors"
	"fmt"
	"slices"
)

// Who takes part.
//
// A rank that has nothing to do need not come to each exchange. Attend, which all ranks
// call with the same list, sends those away that are not in it; without a list it calls all
// back. Both change what every rank knows of the others without a message between them:
//
//   - Numbers stay what they are: of ranks, members of a board, and nodes. A rank without
//     others on its node that are present is alone there; the leader of a node is its
//     first rank that is present; a node without such is no node of the rounds.
//   - A rank that leaves reads, until it calls Attend, memory that others may overwrite
//     once it no longer comes to their exchanges. So it leaves a mark in Attend. Ranks that
//     stay wait for the mark before their next exchange, and ranks of its node that have
//     left too wait for it before they come back.
//   - An absent rank does not know of the exchanges that it misses. The note by which it
//     is called back has the number of the last exchange, from which it counts on. Buffers are
//     counted by lane in-process, where the note has these counts too, and by pair of
//     ranks under MPI, where they stay as they are: no bytes go to or from the absent.
//   - Calling back is a wake-up in memory on a node. A node that is absent as a whole has
//     one rank that looks for a message; these messages go down a binomial tree, whose
//     roots are the nodes that are present.

// MostNote is the length of the longest note with which Attend calls ranks back.
const MostNote = 1008

// checkAttend reports what is wrong with a list of those present.
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
