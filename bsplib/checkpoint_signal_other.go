//go:build !unix

package bsplib

// watchRequests has nothing to watch where there is no SIGUSR1.
func watchRequests(*Request) (stop func()) { return func() {} }
