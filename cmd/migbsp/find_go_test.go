//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// A Go of a later major version is new enough, whatever its minor one.
func TestFindGoOfALaterMajorVersion(t *testing.T) {
	dir := t.TempDir()
	later := script(t, filepath.Join(dir, "go"), "echo go version go2.0 linux/amd64\n")
	find := exec.Command("sh", filepath.Join(testrun.Root(t), "scripts/find-go"))
	find.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "GOTOOLCHAIN=local")
	if out, err := find.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != later {
		t.Errorf("%v, %s, want %s", err, out, later)
	}
}
