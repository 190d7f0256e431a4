//go:build linux

// Testbed emulates a cluster of clusters on one Linux machine: hosts that are
// slower than it, each with a network of its own, on which real MPI programs and a
// real Slurm run. scripts/testbed builds and starts it; docs/guide/testbed.md describes
// it.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
)

// Exit codes.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitSkipped = 77 // it cannot run here at all
)

func main() {
	if filepath.Base(os.Args[0]) == "agent" {
		end(launch.Agent(os.Args[1:]))
	}
	if len(os.Args) < 2 {
		os.Stderr.WriteString(help())
		os.Exit(exitUsage)
	}
	name, arguments := os.Args[1], os.Args[2:]
	if part, found := parts[name]; found {
		end(part(arguments))
	}
	switch name {
	case "-h", "-help", "--help", "help":
		os.Stdout.WriteString(help())
		return
	}
	for _, c := range commands() {
		if c.name == name {
			end(c.call(arguments))
		}
	}
	end(usage("there is no command %q (see testbed --help)", name))
}

// command is what the testbed can be asked for.
type command struct {
	name, arguments, does string
	root                  bool // only root can
	run                   func(arguments []string) error
}

func (c command) call(arguments []string) error {
	if len(arguments) == 1 && (arguments[0] == "-h" || arguments[0] == "-help" || arguments[0] == "--help") {
		fmt.Printf("testbed %s %s\n    %s\n", c.name, c.arguments, c.does)
		return nil
	}
	if c.root && os.Geteuid() != 0 {
		return exit{exitSkipped, errors.New("SKIPPED: an emulated cluster needs root on Linux")}
	}
	err := c.run(arguments)
	var code exit
	if errors.As(err, &code) && code.code == exitUsage && code.err != nil {
		return usage("%v; usage: testbed %s %s", code.err, c.name, c.arguments)
	}
	return err
}

// take checks the number of arguments.
func take(arguments []string, names ...string) error {
	if len(arguments) > len(names) {
		return usage("%q is one argument too many", arguments[len(names)])
	}
	if len(arguments) < len(names) {
		return usage("%s is missing", names[len(arguments)])
	}
	return nil
}

// exit is an error that ends the program with a code, without a word if there is
// nothing more to say.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func usage(format string, arguments ...any) error {
	return exit{exitUsage, fmt.Errorf(format, arguments...)}
}

// end ends the program with what err says.
func end(err error) {
	if err == nil {
		os.Exit(0)
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(os.Stderr, "testbed:", strings.ReplaceAll(text, "\n", "\ntestbed: "))
	}
	var code exit
	if errors.As(err, &code) {
		os.Exit(code.code)
	}
	os.Exit(exitFailed)
}
