//go:build mpi && !cgo

package mpi

// With -tags mpi and without cgo no other file of MPI's is built, so that the compiler
// has only this to say: Go switches cgo off where it finds no C compiler, and where
// CGO_ENABLED is 0.
const _ = the_tag_mpi_needs_a_C_compiler__see_docs_guide_install_md
