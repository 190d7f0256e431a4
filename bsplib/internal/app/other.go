//go:build !unix

package app

import "os"

// foreground is true where there are no jobs.
func foreground(*os.File) bool { return true }

// abortOnCrash does not change how programs crash on systems without SIGABRT.
func abortOnCrash() {}

// watchRequests has nothing to watch where there is no SIGUSR1.
func watchRequests(func()) (stop func()) { return func() {} }
