package bsplib_test

import (
	"flag"
	"os"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// TestMain runs the tests, or a program if a test has started this process to do so.
func TestMain(m *testing.M) {
	if name := os.Getenv(programEnv); name != "" {
		flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError)
		bsplib.Main(mainPrograms[name], mainOptions[name])
	}
	bsptest.Main(m)
}

// none is the state of programs without a state.
type none struct{}
