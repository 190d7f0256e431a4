//go:build linux

package main

import (
	"cmp"
	"os"
	"strconv"

	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
	"github.com/migbsp/migbsp/cmd/testbed/internal/slurm"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

func execute(arguments []string) error {
	if len(arguments) < 2 {
		return take(arguments, "HOST", "COMMAND")
	}
	return ended(launch.Run(arguments[0], slurm.Environment(), arguments[1:]...))
}

// ended is the error that ends the program as a command has ended.
func ended(code int, err error) error {
	if err != nil || code == 0 {
		return err
	}
	return exit{code: code}
}

// mpirun reads its options up to the program.
func mpirun(arguments []string) error {
	find, line, ranks := launch.FindOpenMPI, launch.OpenMPI, 0
options:
	for len(arguments) > 0 {
		switch arguments[0] {
		case "--mpich", "-mpich":
			find, line = launch.FindMPICH, launch.MPICH
			arguments = arguments[1:]
		case "-n", "-np":
			if len(arguments) < 2 {
				return usage("RANKS is missing")
			}
			n, err := strconv.Atoi(arguments[1])
			if err != nil || n < 1 || n > 4096 {
				return usage("-n %q, expected a number from 1 to 4096", arguments[1])
			}
			ranks, arguments = n, arguments[2:]
		case "--":
			arguments = arguments[1:]
			break options
		default:
			if arguments[0] != "" && arguments[0][0] == '-' {
				return usage("there is no option %s", arguments[0])
			}
			break options
		}
	}
	if len(arguments) == 0 {
		return usage("PROGRAM is missing")
	}
	s, err := current()
	if err != nil {
		return err
	}
	ranks = cmp.Or(ranks, s.Slots())
	launcher, err := find()
	if err != nil {
		return err
	}
	command, environment := line(launcher, ranks, arguments)
	return ended(launch.Job(s.Clusters[0].Hosts[0].Name, arguments, environment, command...))
}

// current is the testbed that is up.
func current() (*spec.Spec, error) {
	if _, err := control.Core(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(control.Spec)
	if err != nil {
		return nil, err
	}
	return spec.Parse(control.Spec, string(text))
}
