package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// program is a program and its linked packages.
type program struct {
	name    string // below the directory, or its package
	file    string // "" if it has not been built
	pkg     string
	version string // of Go
	modules []string
}

// module is a module of other authors.
type module struct {
	path, version, dir string
	licence            string // by SPDX's names
	files              []string
}

// goTool runs the go command in the root directory, with cgo, because packages for the tags
// need it.
func goTool(root string, args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir, c.Env = root, append(os.Environ(), "CGO_ENABLED=1")
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out, nil
}

// installed are the programs and shared libraries of Go below a directory.
func installed(dir string, versions map[string]string) (all []program, err error) {
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if i, err := d.Info(); err != nil || i.Mode()&0o111 == 0 && filepath.Ext(file) != ".so" {
			return err
		}
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return nil // a script
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		p := program{name: filepath.ToSlash(name), file: file, pkg: info.Path, version: info.GoVersion}
		for _, m := range info.Deps {
			if m.Replace != nil {
				return fmt.Errorf("%s has %s in the place of %s: no module is replaced in what is passed on", name, m.Replace.Path, m.Path)
			}
			if old := versions[m.Path]; old != "" && old != m.Version {
				return fmt.Errorf("%s has %s %s, other programs %s", name, m.Path, m.Version, old)
			}
			versions[m.Path] = m.Version
			p.modules = append(p.modules, m.Path)
		}
		all = append(all, p)
		return nil
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there are no programs of Go in %s", dir)
	}
	return all, err
}

// wouldLink are the programs that packages would become, built with these tags.
func wouldLink(root, tags string, packages []string, versions map[string]string) (all []program, err error) {
	out, err := goTool(root, append([]string{"list", "-deps", "-tags", tags, "-json=ImportPath,Name,DepOnly,Deps,Module"}, packages...)...)
	if err != nil {
		return nil, err
	}
	type pkg struct {
		ImportPath, Name string
		DepOnly          bool
		Deps             []string
		Module           *struct {
			Path, Version string
			Main          bool
			Replace       *struct{ Path string }
		}
	}
	version, err := goTool(root, "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	known := make(map[string]pkg)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		known[p.ImportPath] = p
	}
	for _, p := range known {
		if p.DepOnly || p.Name != "main" {
			continue
		}
		linked := make(map[string]bool)
		for _, dep := range p.Deps {
			switch m := known[dep].Module; {
			case m == nil || m.Main:
			case m.Replace != nil:
				return nil, fmt.Errorf("%s is replaced by %s: no module is replaced in what is passed on", m.Path, m.Replace.Path)
			default:
				linked[m.Path], versions[m.Path] = true, m.Version
			}
		}
		all = append(all, program{name: p.ImportPath, pkg: p.ImportPath, version: string(bytes.TrimSpace(version)), modules: slices.Sorted(maps.Keys(linked))})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: there are no programs in these packages", strings.Join(packages, " "))
	}
	slices.SortFunc(all, func(a, b program) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// modules finds the sources of modules and reads their licences. All that is wrong is in
// the error.
func modules(root string, versions map[string]string) (all []module, err error) {
	dirs, err := directories(root, versions)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		m := module{path: name, version: versions[name], dir: dirs[name]}
		if err := m.read(); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
		all = append(all, m)
	}
	return all, errors.Join(wrong...)
}

func (m *module) read() error {
	licence, more, err := legal(m.dir)
	if err != nil {
		return err
	}
	m.files = append([]string{licence}, more...)
	for _, name := range m.files {
		text, err := os.ReadFile(filepath.Join(m.dir, name))
		if err != nil {
			return err
		}
		if name == licence {
			m.licence, err = licenceOf(m.path, text)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// standard is the part of Go itself in each program.
func standard(root, version string) (module, error) {
	goroot, err := goTool(root, "env", "GOROOT")
	if err != nil {
		return module{}, err
	}
	m := module{path: "std", version: version, dir: string(bytes.TrimSpace(goroot))}
	if err := m.read(); err != nil {
		return module{}, fmt.Errorf("Go's own: %w", err)
	}
	return m, nil
}

// directories returns the directories of modules' sources: below vendor/ if it exists, else
// in Go's cache.
func directories(root string, versions map[string]string) (map[string]string, error) {
	dirs := make(map[string]string)
	if _, err := os.Stat(filepath.Join(root, "vendor/modules.txt")); err == nil {
		list, err := os.ReadFile(filepath.Join(root, "vendor/modules.txt"))
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(list)) {
			if f := strings.Fields(line); len(f) == 3 && f[0] == "#" && versions[f[1]] == f[2] {
				dirs[f[1]] = filepath.Join(root, "vendor", filepath.FromSlash(f[1]))
			}
		}
	} else if len(versions) > 0 {
		out, err := goTool(root, append([]string{"list", "-m", "-f", "{{.Path}}\t{{.Version}}\t{{.Dir}}"}, slices.Sorted(maps.Keys(versions))...)...)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 && versions[f[0]] == f[1] {
				dirs[f[0]] = f[2]
			}
		}
	}
	for name, version := range versions {
		if dirs[name] == "" {
			return nil, fmt.Errorf("%s %s is linked, and its sources are not here: were the programs built from this directory?", name, version)
		}
	}
	return dirs, nil
}

// allowed are the licences of modules that may be linked into programs, by their names in
// SPDX. Each of them permits passing programs on under other terms together with its text.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// exceptions are licences that are allowed for one module only.
var exceptions = map[string]string{
	"LicenseRef-gompi": "github.com/sbromberger/gompi", // see NOTICE
}

//go:embed licences.txt
var read string

// licenceOf returns the licence of a module from a list, which a person writes after
// reading its file.
func licenceOf(module string, text []byte) (licence string, err error) {
	sum := fmt.Sprintf("%x", sha256.Sum256(text))
	for line := range strings.Lines(read) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == module && f[2] == sum {
			return f[1], check(module, f[1])
		}
	}
	return "", fmt.Errorf("nobody has read this text yet; if it is a licence that is allowed (%s) and nothing else, internal/bill/licences.txt gets the line\n%s LICENCE %s",
		strings.Join(allowed, ", "), module, sum)
}

// check returns the reason why a module under a licence may not be linked, nil if it may.
func check(module, licence string) error {
	if !slices.Contains(allowed, licence) && exceptions[licence] != module {
		return fmt.Errorf("%s is under %s, which is not allowed (%s are)", module, licence, strings.Join(allowed, ", "))
	}
	return nil
}

// legal are the files of a module that go with its programs, the licence first.
func legal(dir string) (licence string, more []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		name := strings.ToUpper(strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
		switch {
		case e.IsDir():
		case slices.Contains([]string{"LICENSE", "LICENCE", "COPYING"}, name) && licence == "":
			licence = e.Name()
		case strings.HasPrefix(name, "LICEN") || slices.Contains([]string{"COPYING", "COPYRIGHT", "NOTICE", "PATENTS", "AUTHORS"}, name):
			more = append(more, e.Name())
		}
	}
	if licence == "" {
		return "", nil, fmt.Errorf("there is no LICENSE in %s", dir)
	}
	return licence, more, nil
}
