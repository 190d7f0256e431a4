package mpi

// Folding is what a Comm may offer beside exchanges: in an exchange on lane 0 every rank gives
// some bytes, one rank makes of them all what it likes, and all ranks have that when the
// exchange returns. Where an exchange goes up a tree of nodes and down again this takes no
// message more.
type Folding interface {
	// Folds returns the rank that folds, and how many bytes each may give: 0 if exchanges do not
	// fold. All ranks that take part get the same answers, until others do (Attend, Recall).
	Folds() (at, most int)

	// Fold gives a head and what belongs to it, which may be empty, to the next exchange on
	// lane 0. Both are copied. Giving again replaces what was given.
	Fold(head, body []byte)

	// OnFold has the rank that folds call f in an exchange to which somebody has given something:
	// f gets by rank what each has given, nil for none. Its result is no longer than what a
	// rank may give, and is copied. f makes no call of the Comm.
	OnFold(f func(given [][]byte) []byte)

	// Folded returns what f has returned in the last exchange on lane 0, nil if nobody has given
	// anything. It is valid until the next one.
	Folded() []byte
}
