package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/migbsp/migbsp/cmd/stagevet/stages"
)

// main runs the analyzer on packages, or on one compilation unit when go vet
// calls it with a .cfg file.
func main() { multichecker.Main(stages.Analyzer) }
