//go:build mpi && cgo

package mpi

/*
#include "exchange.h"
*/
import "C"
import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Library names the MPI library that this build uses, "" if none.
func Library() string {
	first, _, _ := strings.Cut(strings.TrimSpace(libraryVersion()), "\n")
	first, _, _ = strings.Cut(first, ",")
	name := strings.NewReplacer("Version:", " ", "\t", " ").Replace(first)
	return strings.Join(strings.Fields(name), " ")
}

// pmixOnly reports whether the Open MPI of this program finds other tasks by PMIx only. Open MPI 5
// supports no other method; for older versions pmixOnly looks at the components, if they are files
// of their own. If they are not, the answer is no.
func pmixOnly() bool {
	if version, found := strings.CutPrefix(Library(), "Open MPI v"); found {
		if major, err := strconv.Atoi(strings.SplitN(version, ".", 2)[0]); err == nil && major >= 5 {
			return true
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(maps)) {
		at := strings.IndexByte(line, '/')
		if at < 0 || !strings.Contains(line[at:], "/libmpi.so") {
			continue
		}
		dir := filepath.Dir(strings.TrimSpace(line[at:]))
		var components []string
		for _, below := range []string{"openmpi*", "openmpi*/lib/openmpi*"} {
			found, _ := filepath.Glob(filepath.Join(dir, below, "mca_pmix_*.so"))
			components = append(components, found...)
		}
		return len(components) > 0 && !slices.ContainsFunc(components, func(path string) bool {
			name := filepath.Base(path)
			return name == "mca_pmix_s1.so" || name == "mca_pmix_s2.so" || name == "mca_pmix_cray.so"
		})
	}
	return false
}

// libraryVersion returns the library's description of itself.
func libraryVersion() string {
	var text [1024]C.char
	C.mb_library(&text[0], C.int(len(text)))
	return C.GoString(&text[0])
}
