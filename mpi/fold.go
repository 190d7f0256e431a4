package mpi

// Fold makes one result of what all ranks give to an exchange on a lane: one rank computes it
// within the exchange, and all ranks have it when the exchange returns. Where an exchange goes up
// a tree of nodes and down again this takes no message more. Lane 0 has a Fold on an engine that
// can do so.
type Fold struct {
	// At is the rank that folds, and Most how many bytes each may give: 0 if exchanges do not
	// fold. The Comm sets them. All ranks that take part have the same, until others do
	// (Attend).
	At, Most int

	// Head, if not nil, and Body, which belongs to it and may be empty, are what this rank gives
	// to the next exchange. It copies them when it begins, and forgets them.
	Head, Body []byte

	// By makes the result, on the rank that folds and in an exchange to which a rank has given
	// something. It gets by rank what each has given, nil for nothing. Its result is no longer than
	// Most, and is copied. It makes no call of the Comm.
	By func(given [][]byte) []byte

	// Made is the result of the last exchange, nil if no rank has given anything. It is valid
	// until the next one.
	Made []byte
}
