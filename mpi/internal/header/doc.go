// Package header fails to build, with a remedy, if the header of MPI is missing.
package header
