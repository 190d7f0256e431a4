package stages_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/migbsp/migbsp/cmd/stagevet/stages"
)

// Comments in the programs of testdata contain the expected findings.
func TestFindings(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), stages.Analyzer,
		"calls", "carried", "entry", "exits", "fine", "kept", "limits", "lost", "shared", "silenced")
}
