//go:build !cgo || !linux || !(amd64 || arm64)

package cbsp

import (
	"fmt"
	"os"
)

// Main exits with an error, because this build cannot run programs in C.
func Main(object Object, flags, args []string) {
	fmt.Fprintln(os.Stderr, "programs in C need Linux on amd64 or arm64, and a launcher that was built with cgo")
	os.Exit(2)
}
