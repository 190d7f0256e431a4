//go:build !unix

package app

import "os"

// foreground is true where there are no jobs.
func foreground(*os.File) bool { return true }
