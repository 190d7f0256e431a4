package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/migbsp/migbsp/cmd/stagevet/stages"
)

//go:embed doc.go
var doc string

// help prints the package comment and the flags.
func help() {
	flag.CommandLine.SetOutput(os.Stdout)
	text, _, _ := strings.Cut(doc, "\npackage ")
	for line := range strings.Lines(text) {
		fmt.Print(strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
	}
	fmt.Print("\n\nUsage: stagevet [flags] PACKAGE...\n\nFlags:\n")
	flag.PrintDefaults()
}

// main runs the analyzer on packages, or on one compilation unit when go vet
// calls it with a .cfg file. Test files are loaded only if their programs are asked
// for, as a package comes once more with its tests. It takes memory rather than time.
func main() {
	debug.SetGCPercent(400)
	flag.Usage = help
	if !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.Contains(arg, "stages.tests") }) {
		os.Args = slices.Insert(os.Args, 1, "-test=false")
	}
	multichecker.Main(stages.Analyzer)
}
