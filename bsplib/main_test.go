package bsplib_test

import (
	"testing"

	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func TestMain(m *testing.M) { bsptest.Main(m) }

// none is the state of programs that have none.
type none struct{}
