package watch

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// preloaded is what a watcher's environment has so that its program loads this library first, where
// it is one that the program does not need by itself, as an interpreter: the library then does not
// let the program begin (bsplib/cbsp/plain.c).
func preloaded() []string {
	path := fileOf(reflect.ValueOf(fileOf).Pointer())
	if executable, err := os.Executable(); err != nil || path == "" || path == executable {
		return nil
	}
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		return nil
	}
	defer program.Close()
	if needed, _ := program.ImportedLibraries(); slices.Contains(needed, filepath.Base(path)) {
		return nil
	}
	return []string{"LD_PRELOAD=" + path}
}

// fileOf is the file that the code at an address is from.
func fileOf(code uintptr) string {
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil || code < from || code >= to {
			continue
		}
		if at := strings.IndexByte(line, '/'); at >= 0 {
			return strings.TrimSpace(line[at:])
		}
	}
	return ""
}
