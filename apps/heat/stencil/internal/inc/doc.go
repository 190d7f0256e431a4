// Package inc is the sweep of package stencil in C, with -tags ckernel. It has a package of
// its own because one that calls C can have no assembly of Go.
package inc
