package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/migbsp/migbsp/cmd/migbsp/cli"
	"github.com/migbsp/migbsp/hostfile"
)

var hostsCommand = cli.Command{
	Name:    "hosts",
	Summary: "reads a file of hosts and prints or converts it",
	About: `Reads a file of hosts, as Open MPI and hydra (MPICH, Intel MPI) write them, with
the Sets and platforms that migbsp adds in comments. Prints hosts, Sets and
links, or writes the file for another launcher. Names in brackets such as
node[01-16] are written one by one, as launchers want them.

  table  for reading
  json   the same for programs: times in seconds, rates in bytes per second
  ompi   Open MPI: HOST slots=N
  hydra  MPICH, Intel MPI: HOST:N

In the last two, Sets stay where they are, in lines that begin with #@, which
are comments for the launchers.`,
	Args: []cli.Arg{{Name: "FILE", Values: cli.File, Optional: true}},
	Examples: []cli.Example{
		{Line: "migbsp hosts examples/two-sets.hosts", Does: "who is there, in which Set"},
		{Line: "migbsp hosts -to hydra my.hosts > machines", Does: "for mpiexec.hydra -f machines"},
		{Line: "scontrol show hostnames | migbsp hosts -", Does: "- is the standard input"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		to := cli.Choice(flags, "to", "how to print", "table", "json", "ompi", "hydra")
		strict := flags.Bool("strict", false, "a host in no Set is an error")
		return func(_ context.Context, streams cli.Streams, args []string) error {
			name := os.Getenv("MIGBSP_HOSTS")
			if len(args) > 0 {
				name = args[0]
			}
			if name == "" {
				return cli.Usagef("FILE is missing, and MIGBSP_HOSTS names none")
			}
			f, err := readHosts(hostfile.Rules{Strict: *strict}, name, streams.In)
			if err != nil {
				return err
			}
			for _, warning := range f.Warnings {
				fmt.Fprintf(streams.Err, "migbsp hosts: warning: %v\n", warning)
			}
			return writeHosts(streams.Out, f, *to)
		}
	},
}

func readHosts(rules hostfile.Rules, name string, in io.Reader) (*hostfile.File, error) {
	if name == "-" {
		return rules.Parse("standard input", in)
	}
	return rules.Read(name)
}

func writeHosts(w io.Writer, f *hostfile.File, to string) error {
	switch to {
	case "json":
		return writeJSON(w, describeHosts(f))
	case "ompi":
		_, err := f.WriteTo(w)
		return err
	case "hydra":
		return writeHydra(w, f)
	default:
		return writeHostTables(w, f)
	}
}
