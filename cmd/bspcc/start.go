package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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

const runUsage = "bsprun [-n processes] [-mpi ranks [-survive losses]] [flags of migbsp] PROGRAM [arguments]"

const runFlags = `  -n number
    	as -procs: run this number of processes; also -np, -npes
  -mpi number
    	start this number of ranks by mpirun
  -strategy name
    	as -balance
  -survive number
    	with -mpi: go on by itself after up to this number of lost ranks or
    	hosts, from the newest checkpoint; needs migbsp
  -gdb
    	start the program in gdb, with the commands that find its processes;
    	without a program print these commands
  -show
    	print the command that would be run, and run none
`

// Names of other BSPlibs for flags of the engine.
var aliases = map[string]string{"-n": "-procs", "-np": "-procs", "-npes": "-procs", "-strategy": "-balance"}

// start runs a program with flags of the engine, those that other BSPlibs' bsprun has
// included.
func start(arguments []string) error {
	var flags, launcher []string
	survive := ""
	show, debug := false, false
	for len(arguments) > 0 && strings.HasPrefix(arguments[0], "-") {
		word := arguments[0]
		switch {
		case word == "-h" || word == "-help" || word == "--help":
			return help(runAbout, runUsage, runFlags+engineFlags())
		case word == "-show":
			show, arguments = true, arguments[1:]
			continue
		case word == "-gdb":
			debug, arguments = true, arguments[1:]
			continue
		case len(arguments) > 1 && word == "-mpi":
			launcher = []string{"mpirun", "-n", arguments[1]}
			arguments = arguments[2:]
			continue
		case len(arguments) > 1 && word == "-survive":
			survive, arguments = arguments[1], arguments[2:]
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
	switch {
	case debug && len(launcher) > 0:
		return usagef("-gdb starts a program on one rank: for more write  bsprun -gdb >migbsp.py  and attach to a rank by  gdb -x migbsp.py -p PID")
	case debug && len(arguments) == 0:
		_, err := os.Stdout.WriteString(gdbCommands)
		return err
	case debug:
		launcher = debugger
	case len(arguments) == 0:
		return usagef("no program; usage: %s", runUsage)
	}
	if survive != "" {
		var err error
		if launcher, err = surviving(survive, launcher); err != nil {
			return err
		}
	}
	return execute(launcher, flags, arguments, show)
}

// surviving returns the command that starts a launcher again after losses.
func surviving(losses string, launcher []string) ([]string, error) {
	if n, err := strconv.Atoi(losses); err != nil || n < 1 {
		return nil, usagef("-survive %q: expected a number of losses, such as 3", losses)
	}
	if len(launcher) == 0 || launcher[0] == debugger[0] {
		fmt.Fprintf(os.Stderr, "bsprun: -survive %s has no effect: all ranks are in one process and end together; start several processes with -mpi\n", losses)
		return launcher, nil
	}
	tool, err := findTool()
	if err != nil {
		return nil, err
	}
	return append([]string{tool, "run", "-survive", losses, "--"}, launcher...), nil
}

// findTool returns the path of migbsp, next to this executable or in PATH.
func findTool() (string, error) {
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), "migbsp")
		if path, err := exec.LookPath(beside); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath("migbsp")
	if err != nil {
		return "", errors.New("-survive needs migbsp, which is neither beside bsprun nor in PATH: go install github.com/migbsp/migbsp/cmd/migbsp@latest")
	}
	return path, nil
}

// gdbCommands are in the language of gdb, Python.
//
//go:embed gdb.py
var gdbCommands string

// debugger starts a program in gdb.
var debugger = []string{"gdb", "-q", "-ex", fmt.Sprintf("python exec(bytes.fromhex('%x').decode())", gdbCommands), "--args"}

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
	path, err := findProgram(program[0])
	if err != nil {
		return err
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
		return usagef("%s is not a program that bspcc, bspcxx or bspfc has compiled: compile it with one of them", program[0])
	}
	if show {
		return run(true, words)
	}
	start, err := exec.LookPath(words[0])
	switch {
	case err != nil && len(launcher) == 0:
		return err
	case err != nil && words[0] == "gdb":
		return errors.New("-gdb needs gdb, which is not in PATH")
	case err != nil:
		return fmt.Errorf("-mpi needs %s, which is not in PATH: install an MPI, or leave -mpi out to run on this host", words[0])
	}
	words[0] = start
	return syscall.Exec(words[0], words, os.Environ())
}

// findProgram returns the path of a program, or of a shared object, which need not be executable.
func findProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	info, failed := os.Stat(name)
	switch {
	case failed == nil && info.IsDir():
		return "", usagef("%s is a directory: expected a program", name)
	case failed == nil && isObject(name):
		return name, nil
	case failed == nil && info.Mode()&0o111 == 0:
		return "", usagef("%s is not executable: compile it with bspcc, bspcxx or bspfc, and name the program that they write", name)
	case failed == nil && filepath.Base(name) == name:
		return "", usagef("%s is not in PATH: for the file in this directory write ./%s", name, name)
	case failed == nil:
		return "", usagef("%s cannot be run: %v", name, errors.Unwrap(err))
	case !errors.Is(failed, fs.ErrNotExist):
		return "", usagef("%s cannot be found: %v", name, errors.Unwrap(failed))
	case filepath.Base(name) == name:
		return "", usagef("%s is not in PATH, and no file in this directory: compile it first, as in  bspcc %s.c -o %s", name, name, name)
	}
	return "", usagef("%s does not exist: compile it first, as in  bspcc %s.c -o %s", name, filepath.Base(name), name)
}

// isObject reports whether a file is a shared object.
func isObject(path string) bool {
	return strings.HasSuffix(filepath.Base(path), ".so")
}
