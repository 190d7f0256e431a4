package mpi

// Fold computes one result from the contributions of all ranks to an exchange on a lane: one rank
// computes it within the exchange, and all ranks have it when the exchange returns. If an exchange
// goes up a tree of nodes and down again, a fold needs no additional message. Lane 0 has a Fold on
// engines that support it.
type Fold struct {
	// At is the rank that folds, and Most the maximum number of bytes that each may give: 0 if
	// exchanges do not fold. The Comm sets them. All ranks that take part have the same, until
	// others take part (Attend).
	At, Most int

	// Head, if not nil, and Body, which belongs to it and may be empty, are this rank's
	// contribution to the next exchange. The exchange copies them when it begins, and clears the
	// fields.
	Head, Body []byte

	// By computes the result, on the rank that folds and in an exchange to which a rank has
	// contributed. given has the contributions by rank, nil for none. The result is no longer than
	// Most, and is copied. By makes no call of the Comm.
	By func(given [][]byte) []byte

	// Made is the result of the last exchange, nil if no rank has given anything. It is valid
	// until the next one.
	Made []byte
}
