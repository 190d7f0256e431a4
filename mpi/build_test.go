package mpi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// withoutHeaders is a C compiler on whose machine no MPI is installed.
const withoutHeaders = `#!/bin/sh
for word; do
	shift
	case $word in
	-I*mpi*) ;;
	*) set -- "$@" "$word" ;;
	esac
done
exec cc "$@"
`

// A build with -tags mpi that lacks a dependency prints one line of this project that names the
// cause, and no line about its consequences.
func TestBuildSaysWhatIsMissing(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages")
	}
	bare := filepath.Join(t.TempDir(), "compiler")
	must.Do(t, os.WriteFile(bare, []byte(withoutHeaders), 0o755))
	for name, c := range map[string]struct {
		environ []string
		want    string
	}{
		"no compiler": {[]string{"CGO_ENABLED=0"}, "undefined: the_tag_mpi_needs_a_C_compiler__see_docs_guide_install_md"},
		// The definition is new to the cache of builds, which takes both compilers for one.
		"no header": {[]string{"CGO_ENABLED=1", "CC=" + bare, "CGO_CFLAGS=-DWITHOUT_HEADERS", "CGO_LDFLAGS="}, "no mpi.h of an MPI: install one, or name it by"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("cc"); err != nil && name == "no header" {
				t.Skip("SKIPPED: no C compiler on this machine")
			}
			build := exec.Command("go", "build", "-tags", "mpi", ".")
			build.Env = append(os.Environ(), c.environ...)
			out, err := build.CombinedOutput()
			ours := 0
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, ".go:") && strings.Contains(line, c.want) {
					ours++
				} else if strings.Contains(line, "undefined:") {
					t.Errorf("it says %q", line)
				}
			}
			if err == nil || ours != 1 || len(strings.Split(string(out), "\n")) > 12 {
				t.Errorf("%v, %d lines of ours:\n%s", err, ours, out)
			}
		})
	}
}
