package app_test

import (
	"testing"

	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func TestMain(m *testing.M) { bsptest.Main(m) }
