// Package inc is the sweep of package stencil in C, with -tags ckernel. It is a separate
// package because a package with cgo can have no assembly of Go.
package inc
