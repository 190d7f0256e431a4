//go:build !unix

package app

// watchRequests has nothing to watch where there is no SIGUSR1.
func watchRequests(func()) (stop func()) { return func() {} }
