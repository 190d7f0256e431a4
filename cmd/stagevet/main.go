package main

import (
	"runtime/debug"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/migbsp/migbsp/cmd/stagevet/stages"
)

// main runs the analyzer on packages, or on one compilation unit when go vet
// calls it with a .cfg file. It takes memory rather than time.
func main() {
	debug.SetGCPercent(400)
	multichecker.Main(stages.Analyzer)
}
