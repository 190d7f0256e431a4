package stages_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/migbsp/migbsp/cmd/stagevet/stages"
)

func TestFindings(t *testing.T) {
	for _, pkg := range []string{"carried", "entry", "calls", "shared", "nested", "state", "run", "fine"} {
		t.Run(pkg, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), stages.Analyzer, pkg)
		})
	}
}
