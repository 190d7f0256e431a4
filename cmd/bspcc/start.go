package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/migbsp/migbsp/bsplib/cbsp"
)

const runName = "bsprun"

const runAbout = `Bsprun starts programs that bspcc, bspcxx or bspfc has compiled, with flags of migbsp,
and with those that bsprun has in other BSPlibs. All that follows the program's name is
the program's own. Programs can be started without it: they know the flags of migbsp.

    bsprun -n 16 ./lu 1000
    bsprun -n 16 -mpi 4 -strategy auto ./lu 1000`

const runUsage = "bsprun [-n processes] [-mpi ranks] [flags of migbsp] PROGRAM [arguments]"

const runFlags = `  -n number
    	as -procs: run this number of processes; also -np, -npes
  -mpi number
    	start this number of ranks by mpirun
  -strategy name
    	as -balance
  -show
    	print the command that would be run, and run none
`

// Names of other BSPlibs for flags of the engine.
var aliases = map[string]string{"-n": "-procs", "-np": "-procs", "-npes": "-procs", "-strategy": "-balance"}

// start runs a program with flags of the engine, those that other BSPlibs' bsprun has
// included.
func start(arguments []string) error {
	var flags, launcher []string
	show := false
	for len(arguments) > 0 && strings.HasPrefix(arguments[0], "-") {
		word := arguments[0]
		switch {
		case word == "-h" || word == "-help" || word == "--help":
			return help(runAbout, runUsage, runFlags+engineFlags())
		case word == "-show":
			show, arguments = true, arguments[1:]
			continue
		case len(arguments) > 1 && word == "-mpi":
			launcher = []string{"mpirun", "-n", arguments[1]}
			arguments = arguments[2:]
			continue
		case len(arguments) > 1 && aliases[word] != "":
			flags = append(flags, aliases[word], arguments[1])
			arguments = arguments[2:]
			continue
		}
		taken, rest, err := cbsp.Arguments(arguments)
		if err != nil {
			return usagef("%v", err)
		}
		if len(taken) == 0 {
			if word == "--" {
				arguments = rest
				break
			}
			return usagef("%s is no flag; bsprun -help lists them", word)
		}
		flags, arguments = append(flags, taken...), arguments[len(taken):]
	}
	if len(arguments) == 0 {
		return usagef("no program; usage: %s", runUsage)
	}
	return execute(launcher, flags, arguments, show)
}

// engineFlags describes the flags of migbsp.
func engineFlags() string {
	var text strings.Builder
	text.WriteString("\nFlags of migbsp:\n")
	known := cbsp.Flags()
	known.SetOutput(&text)
	known.PrintDefaults()
	return text.String()
}

// execute becomes the program, or the launcher of its ranks. A shared object is run by this
// executable.
func execute(launcher, flags, program []string, show bool) error {
	path, err := exec.LookPath(program[0])
	if err != nil {
		if path = program[0]; !isObject(path) {
			return err
		}
	}
	words := slices.Concat(launcher, []string{path}, flags, []string{"--"}, program[1:])
	switch {
	case cbsp.HasObject(path), isPlain(path):
	case isObject(path):
		self, err := os.Executable()
		if err != nil {
			return err
		}
		if len(launcher) == 0 && !show {
			cbsp.Main(cbsp.Object{Path: path}, flags, program)
		}
		words = slices.Concat(launcher, []string{self, runName}, flags, program)
	default:
		return usagef("%s is no program of bspcc, bspcxx or bspfc", program[0])
	}
	if show {
		return run(true, words)
	}
	if words[0], err = exec.LookPath(words[0]); err != nil {
		return err
	}
	return syscall.Exec(words[0], words, os.Environ())
}

// isObject reports whether a file is a shared object.
func isObject(path string) bool {
	return strings.HasSuffix(filepath.Base(path), ".so")
}
