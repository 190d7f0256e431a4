package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// Checks on an emulated processor of another type. MIGBSP_TEST_ARM64 has the command line of the
// emulator: qemu-aarch64-static -L /usr/aarch64-linux-gnu. The emulator tracks each reserved page,
// so slots are small.
func TestArm64(t *testing.T) {
	emulator := strings.Fields(os.Getenv("MIGBSP_TEST_ARM64"))
	if len(emulator) == 0 {
		t.Skip("MIGBSP_TEST_ARM64 names no emulator")
	}
	bspcc, program := filepath.Join(t.TempDir(), "bspcc"), filepath.Join(t.TempDir(), "conformance")
	build := testrun.Line("go", "build -o "+bspcc+" ./cmd/bspcc")
	build.Dir = testrun.Root(t)
	build.Env = []string{"GOARCH=arm64", "CGO_ENABLED=1", "CC=aarch64-linux-gnu-gcc", "CGO_CFLAGS=-O2 -DSLOT_SIZE=(1ul<<30) -DMAX_PROCS=8"}
	build.Must(t)
	emulated := func(words ...string) testrun.Command {
		return testrun.Command{Words: append(append(emulator[:len(emulator):len(emulator)], bspcc), words...), Env: []string{"MIGBSP_CC=aarch64-linux-gnu-gcc"}}
	}
	emulated(append([]string{"-o", program}, conformanceFiles(t)...)...).Must(t)
	for _, name := range []string{"all", "apart", "keeps"} {
		other := filepath.Join(t.TempDir(), name)
		emulated("-O2", "-w", "-o", other, sources+"programs/"+name+".c").Must(t)
		line := emulated(strings.Fields("-procs 3 -ranks 2 -shake -quiet")...)
		line.Env = []string{"_BSP_OBJECT=" + other, "_BSP_LIBRARIES="}
		if out := line.Must(t); !strings.Contains(out, "all is right\n") {
			t.Errorf("%s: %q", name, out)
		}
	}
	together, apart := fewRuns(t)
	for _, ranks := range []string{"-ranks 1", "-ranks 2", "-ranks 2 -shake"} {
		line := emulated(strings.Fields("-procs 4 -quiet " + ranks)...)
		line.Env = []string{"_BSP_OBJECT=" + program, "_BSP_LIBRARIES="} // the system cannot start programs of that type
		for i, c := range together {
			t.Run(fmt.Sprint("together", i, ranks), func(t *testing.T) { c.run(t, line) })
		}
		for i, c := range apart {
			if i%3 == len(ranks)%3 {
				t.Run(c.name, func(t *testing.T) { c.run(t, line) })
			}
		}
	}
}
