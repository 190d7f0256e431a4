//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "torture: SKIPPED: it needs Linux")
	os.Exit(77)
}
