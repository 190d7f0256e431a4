package bsplib_test

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/hostfile"
)

// platform reads a host file from a test.
func platform(t *testing.T, text string) *hostfile.File {
	t.Helper()
	f, err := hostfile.Parse("test.hosts", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
