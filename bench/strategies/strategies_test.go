package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

func TestOneProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	c := testrun.Line(filepath.Join(testrun.Build(t, "", "./bench/strategies"), "strategies"),
		"-rounds 1 -only prefixsum -hosts examples/laptop.hosts -balance off;auto")
	c.Dir = testrun.Root(t)
	if out := c.Must(t); !strings.Contains(out, "prefixsum") {
		t.Errorf("it prints\n%s", out)
	}
}
