package main

import (
	"embed"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// installed has the files for compiling and linking without this command, with pkg-config or CMake.
// Words in @ are replaced at installation.
//
//go:embed installed
var installed embed.FS

// Directories and files below a prefix. All are found relative to the executable, so that the
// installation can be moved.
const (
	headersDir = "include/migbsp"
	libraryDir = "lib/migbsp"
	keyFile    = "key" // identifies the sources and options of the library
	manualDir  = "share/man/man3"
)

var installedDirs = map[string]string{
	"migbsp.pc":                   "share/pkgconfig",
	"migbsp-rank.pc":              "share/pkgconfig",
	"migbsp-config.cmake":         "share/cmake/migbsp",
	"migbsp-config-version.cmake": "share/cmake/migbsp",
}

// installedLibrary returns the library next to this executable, or nil if it is missing or has
// another key.
func installedLibrary(key string) *library {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	prefix := filepath.Dir(filepath.Dir(self))
	l := &library{dir: filepath.Join(prefix, libraryDir), headers: filepath.Join(prefix, headersDir), kept: true}
	if its, err := os.ReadFile(filepath.Join(l.dir, keyFile)); err != nil || string(its) != key {
		return nil
	}
	return l
}

// install writes below a prefix all that is needed to compile programs for this executable when it
// is in bin there.
func install(prefix, version string) error {
	c := &compilers[0]
	words, err := c.find()
	if err != nil {
		return err
	}
	key, err := libraryKey(c, words)
	if err != nil {
		return err
	}
	made, err := os.MkdirTemp("", "bspcc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := makeLibrary(c, words, made); err != nil {
		return err
	}
	files := map[string]string{path.Join(libraryDir, keyFile): key}
	for _, name := range []string{archiveName, stubName} {
		text, err := os.ReadFile(filepath.Join(made, name))
		if err != nil {
			return err
		}
		files[path.Join(libraryDir, name)] = string(text)
	}
	for name, dir := range installedDirs {
		text, err := installed.ReadFile("installed/" + name)
		if err != nil {
			return err
		}
		between := " "
		if strings.HasSuffix(name, ".cmake") {
			between = ";"
		}
		files[path.Join(dir, name)] = strings.NewReplacer("@version@", version,
			"@compile@", strings.Join(codeOptions(words), between), "@link@", strings.Join(linkOptions, between)).Replace(string(text))
	}
	pages, err := manual(version)
	if err != nil {
		return err
	}
	for name, page := range pages {
		files[path.Join(manualDir, name+".3")] = page
	}
	for name, text := range files {
		to := filepath.Join(prefix, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			return err
		}
	}
	headers := filepath.Join(prefix, headersDir)
	if err := os.RemoveAll(headers); err != nil {
		return err
	}
	return os.CopyFS(headers, os.DirFS(filepath.Join(made, "include")))
}
