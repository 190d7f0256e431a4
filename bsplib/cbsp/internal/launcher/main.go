// Launcher runs a program of BSPlib in C, for tests: launcher [flag ...] object.so [argument ...].
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/migbsp/migbsp/bsplib/cbsp"
)

func main() {
	if object, has := cbsp.Embedded(); has {
		cbsp.Main(object, nil, os.Args)
	}
	flags := os.Args[1:]
	for i, arg := range flags {
		if strings.HasSuffix(arg, ".so") {
			cbsp.Main(cbsp.Object{Path: arg}, flags[:i], flags[i:])
		}
	}
	fmt.Fprintln(os.Stderr, "usage: launcher [flag ...] object.so [argument ...]")
	os.Exit(2)
}
