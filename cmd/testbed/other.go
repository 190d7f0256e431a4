//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "testbed: SKIPPED: an emulated cluster needs root on Linux")
	os.Exit(77)
}
