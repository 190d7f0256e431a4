//go:build mpi && cgo

package mpi

// Messages returns how many messages of the MPI library this rank has sent in
// exchanges so far.
func Messages(c Comm) int {
	if r := c.(*world).relay; r != nil {
		return int(r.mesh.c.messages)
	}
	return 0
}

// Steps returns how many messages the rounds between that many nodes take of each.
func Steps(nodes int) int {
	_, messages := steps(nodes, radix(nodes))
	return messages
}
