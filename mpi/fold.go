package mpi

// Fold is how exchanges on a lane make one thing of what all ranks give: one rank makes of it
// what it likes, and all ranks have that when the exchange returns. Where an exchange goes up a
// tree of nodes and down again this takes no message more. Lane 0 has one on an engine that can
// do so.
type Fold struct {
	// At is the rank that folds, and Most how many bytes each may give: 0 if exchanges do not
	// fold. The Comm sets them. All ranks that take part have the same, until others do
	// (Attend).
	At, Most int

	// Head, if not nil, and Body, which belongs to it and may be empty, are what this rank gives
	// to the next exchange. It copies them when it begins, and forgets them.
	Head, Body []byte

	// By makes the result, on the rank that folds and in an exchange to which somebody has given
	// something. It gets by rank what each has given, nil for none. Its result is no longer than
	// what a rank may give, and is copied. It makes no call of the Comm.
	By func(given [][]byte) []byte

	// Made is the result of the last exchange, nil if nobody has given anything. It is valid
	// until the next one.
	Made []byte
}
