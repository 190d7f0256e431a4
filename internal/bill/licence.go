package main

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

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
