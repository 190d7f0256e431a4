package mpi

// Handle names a communicator of the MPI library, in a program that has begun MPI itself: what
// Fortran programs have for it, and C programs get from MPI_Comm_c2f.
type Handle int
