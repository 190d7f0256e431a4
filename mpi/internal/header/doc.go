// Package header fails to build, with what to do about it, where there is no header of
// MPI.
package header
