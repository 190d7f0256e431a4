//go:build !unix

package app

import "os"

// foreground always returns true on systems without job control.
func foreground(*os.File) bool { return true }

// abortOnCrash does not change how programs crash on systems without SIGABRT.
func abortOnCrash() {}

// watchRequests does nothing on systems without SIGUSR1.
func watchRequests(func()) (stop func()) { return func() {} }
