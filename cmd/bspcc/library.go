package main

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bsplib/cbsp"
)

// library is a directory with the files needed to compile programs: headers, level 1 and the names
// of Fortran as an archive, the Fortran module, and a stub with the names of the engine's
// functions, so that the linker finds undefined names.
type library struct {
	dir     string
	headers string
	fortran bool
	kept    bool // in the cache
}

const (
	archiveName = "libbsp.a"
	stubName    = "libmigbsp-stub.so"
)

func (l *library) include() string {
	if l.headers != "" {
		return l.headers
	}
	return filepath.Join(l.dir, "include")
}

// linked returns the arguments for the linker.
func (l *library) linked() []string {
	names := []string{archiveName, stubName}
	if l.fortran {
		names = append([]string{"libbspf90.a"}, names...)
	}
	for i, name := range names {
		names[i] = filepath.Join(l.dir, name)
	}
	return append(names, "-lm")
}

// close removes a library that cannot be kept.
func (l *library) close() {
	if !l.kept && l.dir != "" {
		os.RemoveAll(l.dir)
	}
}

// openLibrary finds the library for a compiler, and makes it if it is missing. If named is set, it
// only returns the library's location.
func openLibrary(c *compiler, words []string, named bool) (*library, error) {
	key, err := libraryKey(c, words)
	if err != nil {
		return nil, err
	}
	if l := installedLibrary(key); l != nil {
		return l, nil
	}
	l := &library{fortran: c.fortran}
	cache, err := cacheDir()
	if err == nil {
		l.dir = filepath.Join(cache, "bspcc-"+key)
		if _, absent := os.Stat(l.dir); absent == nil || named {
			err, l.kept = isOwn(l.dir), true
		} else {
			err = os.MkdirAll(cache, 0o700)
		}
	}
	if err == nil && l.kept {
		return l, nil
	}
	if l.kept = err == nil; !l.kept {
		cache = ""
	}
	made, err := os.MkdirTemp(cache, "bspcc-")
	if err != nil && cache != "" {
		l.kept = false
		made, err = os.MkdirTemp("", "bspcc-")
	}
	if err != nil {
		return nil, err
	}
	if err := makeLibrary(c, words, made); err != nil {
		os.RemoveAll(made)
		return nil, err
	}
	if !l.kept {
		l.dir = made
		return l, nil
	}
	if err := os.Rename(made, l.dir); err != nil { // another one was sooner
		os.RemoveAll(made)
		if _, err := os.Stat(l.dir); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// libraryKey stands for all that a library is made from.
func libraryKey(c *compiler, words []string) (string, error) {
	hash := sha256.New()
	names, err := engineNames()
	if err != nil {
		return "", err
	}
	fmt.Fprintln(hash, c.fortran, names)
	question := "-dumpmachine"
	if c.fortran {
		question = "--version" // which other versions' modules do not fit
	}
	answer, err := exec.Command(words[0], append(words[1:len(words):len(words)], question)...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", strings.Join(words, " "), question, err)
	}
	if !c.fortran {
		answer, _, _ = bytes.Cut(answer, []byte("-")) // systems name the same machine differently
	}
	hash.Write(answer)
	err = fs.WalkDir(cbsp.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := cbsp.Files.ReadFile(path)
		fmt.Fprintln(hash, path, len(text))
		hash.Write(text)
		return err
	})
	return fmt.Sprintf("%x", hash.Sum(nil)[:8]), err
}

// makeLibrary makes a library in a directory that is empty.
func makeLibrary(c *compiler, words []string, dir string) error {
	if err := os.CopyFS(dir, cbsp.Files); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	names, err := engineNames()
	if err != nil {
		return err
	}
	var stub strings.Builder
	for _, name := range names {
		fmt.Fprintf(&stub, "void %s(void) {}\n", name)
	}
	if err := os.WriteFile(filepath.Join(dir, "library", "stub.c"), []byte(stub.String()), 0o666); err != nil {
		return err
	}
	do := func(line ...string) error {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(line, " "), err, said)
		}
		return nil
	}
	ar := "ar"
	if named, err := exec.Command(words[0], append(words[1:len(words):len(words)], "-print-prog-name=ar")...).Output(); err == nil {
		ar = strings.TrimSpace(string(named))
	}
	cc := func(options ...string) []string { return append(words[:len(words):len(words)], options...) }
	code := append([]string{"-O2", "-g", "-w", "-Iinclude", "-ffile-prefix-map=" + dir + "=.", "-c"}, codeOptions(words)...)
	steps := [][]string{
		cc(append(code, "-x", "c", "library/level1.c", "-o", "level1.o")...),
		cc(append(code, "-DBSP_MULTICORE", "-x", "c", "library/level1.c", "-o", "multicore.o")...),
		cc(append(code, "-x", "c", "library/fortran.c", "-o", "fortran.o")...),
		cc(append(code, "-ffreestanding", "-fno-stack-protector", "-fno-tree-loop-distribute-patterns", "-x", "c", "library/start.c", "-o", "start.o")...),
		cc(append(code, "-x", "c", "library/main.c", "-o", "main.o")...),
		{ar, "rcsD", archiveName, "level1.o", "multicore.o", "fortran.o", "start.o", "main.o"},
		cc("-w", "-fPIC", "-fno-builtin", "-shared", "-nostdlib", "-Wl,-soname,"+stubName, "-x", "c", "library/stub.c", "-o", stubName),
	}
	if c.fortran {
		steps = append(steps,
			cc(append(code, "-J", "include", "library/bsp.f90", "-o", "module.o")...),
			[]string{ar, "rcsD", "libbspf90.a", "module.o"})
	}
	for _, step := range steps {
		if err := do(step...); err != nil {
			return err
		}
	}
	return nil
}

// engineNames returns the functions that programs find in this executable.
func engineNames() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := elf.Open(self)
	if err != nil {
		return nil, fmt.Errorf("C programs run on Linux only: %w", err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, err
	}
	coded, err := header(codedHeader)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && (isOfBSP(s.Name) || strings.HasPrefix(s.Name, "migbsp_") && strings.Contains(coded, s.Name+"(")) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("built without cgo, it cannot run C programs; build it with CGO_ENABLED=1 and a C compiler")
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func isOfBSP(name string) bool {
	before, _, cut := strings.Cut(name, "_")
	return cut && slices.Contains([]string{"bsp", "mcbsp", "bsplib", "lpf"}, before)
}
