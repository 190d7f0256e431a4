package main

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plainName is the library of programs with one process on each rank.
const plainName = "libmigbsp.so"

// plainDir returns the directory of that library, which it looks for near this executable.
func plainDir() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	here := filepath.Dir(self)
	for _, dir := range []string{here, filepath.Join(here, "../lib/migbsp"), filepath.Join(here, "../lib")} {
		if _, err := os.Stat(filepath.Join(dir, plainName)); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("-static-rank: there is no %s beside %s or in ../lib/migbsp: scripts/install puts it there, and in a checkout  scripts/libmigbsp %s", plainName, self, here)
}

// linkPlain makes an executable of the program's own, which begins in the library's main.
func linkPlain(r *request, lib *library, words []string) error {
	dir, err := plainDir()
	if err != nil {
		return err
	}
	ours := slices.DeleteFunc(lib.linked(), func(name string) bool { return strings.HasSuffix(name, stubName) })
	// The first copy is for the object with the program's main, which may be in a library.
	words = slices.Insert(words, slices.Index(words, "-I"+lib.include()), "-Wl,--wrap=main", "-Wl,-u,__wrap_main", filepath.Join(lib.dir, "libbsp.a"))
	if !slices.ContainsFunc(words, func(word string) bool { return strings.HasSuffix(word, "pie") }) {
		words = append(words, "-no-pie") // so that functions have the same addresses on all ranks
	}
	words = append(append(words, "-o", r.out), ours...)
	return run(r.show, append(words, "-L"+dir, "-lmigbsp", "-Wl,-rpath,"+dir))
}

// isPlain reports whether a file is an executable made by linkPlain.
func isPlain(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.ImportedLibraries()
	return slices.Contains(names, plainName)
}
