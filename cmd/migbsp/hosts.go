package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
)

var hostsCommand = cli.Command{
	Name:    "hosts",
	Summary: "reads hosts from a file or a job and prints or converts them",
	About: `Reads hosts and slots from a file, as launchers and batch systems write them, or
from the job in whose environment it runs. Prints hosts, Sets and links, or
writes a file for another launcher. Names in brackets such as node[01-16] are
written one by one, as launchers want them.

-from says what FILE is:

  auto      one of those below, by its first line
  ompi      Open MPI: HOST slots=N
  hydra     MPICH, Intel MPI: HOST:N
  slurm     SLURM_HOSTFILE, or a list such as node[01-16],gpu1
  pbs       PBS_NODEFILE, a line for each slot
  lsf       LSB_DJOB_HOSTFILE, a line for each slot
  sge       PE_HOSTFILE
  topology  topology.conf of Slurm: switches are Sets
  env       no FILE: the job of slurm, pbs, lsf or sge in the environment

slurm, pbs, lsf and sge read the environment too where there is no FILE. What
-to writes:

  table     for reading
  json      the same for programs: times in seconds, rates in bytes per second
  ompi      for mpirun --hostfile; Sets are in lines that begin with #@, which
            are comments for launchers, as in the next two
  hydra     for mpiexec -f
  slurm     for SLURM_HOSTFILE and srun -m arbitrary: a line for each slot
  nodelist  for srun -w: node[01-16],gpu1

Sets come from the first of these that exists: -sets, lines #@set, MIGBSP_SETS,
the components of a Slurm job; otherwise all hosts are one Set. The output says
which it was.`,
	Args: []cli.Arg{{Name: "FILE", Values: cli.File, Optional: true}},
	Examples: []cli.Example{
		{Line: "migbsp hosts examples/two-sets.hosts", Does: "who is there, in which Set"},
		{Line: "migbsp hosts -to hydra my.hosts > machines", Does: "for mpiexec.hydra -f machines"},
		{Line: "migbsp hosts -from env -to ompi > my.hosts", Does: "in a job, for mpirun --hostfile my.hosts"},
		{Line: "migbsp hosts -sets topology.conf my.hosts", Does: "which Sets a run with -sets topology.conf has"},
		{Line: "scontrol show hostnames | migbsp hosts -", Does: "- is the standard input"},
	},
	Setup: setUpHosts,
}

func setUpHosts(flags *flag.FlagSet) cli.Action {
	var ask hostsQuestion
	from := cli.Choice(flags, "from", "what FILE is, or env", "auto", "ompi", "hydra", "slurm", "pbs", "lsf", "sge", "topology", "env")
	to := cli.Choice(flags, "to", "how to print", "table", "json", "ompi", "hydra", "slurm", "nodelist")
	flags.StringVar(&ask.sets, "sets", "", "`file` that says which host belongs to which Set, or NAME=HOSTS;NAME=HOSTS")
	flags.BoolVar(&ask.strict, "strict", false, "a host in no Set is an error")
	return func(_ context.Context, streams cli.Streams, args []string) error {
		ask.from, ask.in = *from, streams.In
		if len(args) > 0 {
			ask.name = args[0]
		}
		answer, err := ask.read()
		if err != nil {
			return err
		}
		for _, warning := range answer.warnings {
			fmt.Fprintf(streams.Err, "migbsp hosts: warning: %s\n", warning)
		}
		text, err := answer.as(*to)
		if err != nil {
			return err
		}
		return streams.Print(text)
	}
}

// as returns the hosts in a form of -to.
func (a *hostsAnswer) as(to string) (string, error) {
	var text strings.Builder
	switch to {
	case "json":
		err := ledger.WriteJSON(&text, a.describe())
		return text.String(), err
	case "nodelist":
		return a.file.SlurmList() + "\n", nil
	case "table":
		return a.describe().String(), nil
	}
	var from []string // of a file for a launcher, unless this is one file
	if a.job != "" {
		from = append(from, "hosts: "+a.job)
	}
	if a.divided {
		from = append(from, "Sets: "+a.origin)
	}
	if len(from) > 0 {
		fmt.Fprintf(&text, "# %s\n", strings.Join(from, "; "))
	}
	var err error
	switch to {
	case "ompi":
		_, err = a.file.WriteTo(&text)
	case "hydra":
		err = a.file.WriteHydra(&text)
	default:
		err = a.file.WriteSlurm(&text)
	}
	return text.String(), err
}

// describe returns the answer for programs, and for tables.
func (a *hostsAnswer) describe() *hostsDescription {
	d := describeHosts(a.file)
	d.Job, d.SetsBy, d.ownSets = a.job, a.origin, !a.divided
	return d
}

// setsOf returns the Sets that -sets gives, in a file or itself.
func setsOf(text string) (*hostfile.File, error) {
	if strings.Contains(text, "=") {
		return hostfile.ParseSets("-sets", text)
	}
	return hostfile.ReadSets(text)
}
