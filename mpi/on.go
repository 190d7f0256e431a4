package mpi

// Handle names a communicator of the MPI library, in a program that has begun MPI itself: a Fortran
// communicator, which C programs get from MPI_Comm_c2f.
type Handle int
