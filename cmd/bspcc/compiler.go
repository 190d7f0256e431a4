package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/migbsp/migbsp/internal/shell"
)

// compiler is a command that calls a compiler.
type compiler struct {
	command  string
	chosen   string   // command line of a compiler that replaces the usual ones; empty for none
	usual    []string // the first of them in PATH
	packages string   // which have it
	fortran  bool
}

var compilers = []compiler{
	{command: "bspcc", chosen: os.Getenv("MIGBSP_CC"), usual: []string{"cc", "gcc", "clang"}, packages: "apt-get install gcc libc6-dev (Debian), dnf install gcc glibc-devel (RHEL, Fedora)"},
	{command: "bspcxx", chosen: os.Getenv("MIGBSP_CXX"), usual: []string{"c++", "g++", "clang++"}, packages: "apt-get install g++ (Debian), dnf install gcc-c++ (RHEL, Fedora)"},
	{command: "bspfc", chosen: os.Getenv("MIGBSP_FC"), usual: []string{"gfortran"}, packages: "apt-get install gfortran (Debian), dnf install gcc-gfortran (RHEL, Fedora)", fortran: true},
}

// find returns the words that call the compiler.
func (c *compiler) find() ([]string, error) {
	words := strings.Fields(c.chosen)
	for _, name := range c.usual {
		if len(words) == 0 {
			if _, err := exec.LookPath(name); err == nil {
				words = []string{name}
			}
		}
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("there is no %s in PATH: %s", strings.Join(c.usual, ", "), c.packages)
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("%s cannot be run: %w", words[0], err)
	}
	return words, nil
}

// checkLibC returns an error if a compiler that the user has chosen is for another C library than glibc.
func (c *compiler) checkLibC(words []string) error {
	if c.chosen == "" || c.fortran {
		return nil
	}
	macros, err := exec.Command(words[0], append(words[1:len(words):len(words)], "-dM", "-E", "-include", "stdlib.h", "-x", "c", os.DevNull)...).Output()
	if err == nil && !strings.Contains(string(macros), "#define __GLIBC__ ") {
		return fmt.Errorf("%s is for a C library that is not glibc, such as musl: programs need glibc, so choose another compiler", c.chosen)
	}
	return nil
}

// codeOptions returns the options for objects, which are loaded once for each process and whose
// symbols are bound within them.
func codeOptions(words []string) []string {
	options := []string{"-fPIC", "-fno-semantic-interposition", "-ftls-model=global-dynamic"}
	if runtime.GOARCH == "arm64" && !strings.Contains(words[0], "clang") { // which has no such option
		options = append(options, "-mtls-dialect=trad") // variables of threads are asked for as on other processors
	}
	return options
}

// run runs a command, or only prints it.
func run(show bool, words []string) error {
	if show {
		fmt.Println(shell.QuoteAll(words))
		return nil
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
