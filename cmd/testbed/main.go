//go:build linux

// Testbed emulates a cluster of clusters on one Linux machine: hosts slower than the machine, each
// with its own network, on which real MPI programs and a real Slurm run. scripts/testbed builds and
// starts it; docs/guide/testbed.md describes it.
package main

import (
	"os"
	"path/filepath"

	"github.com/migbsp/migbsp/cmd/testbed/internal/launch"
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
