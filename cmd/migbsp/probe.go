package main

import (
	"cmp"
	"context"
	"flag"
	"os"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/survey"
)

var probeCommand = cli.Command{
	Name:    "probe",
	Summary: "measures what machines give: speed, load, memory, network, links",
	About: `Without MPI, measures this machine. Speed is that of three small loops on one
core: floating-point operations that wait for each other, the same several at a
time, and copying memory. They are timed in CPU time, so foreign
load matters little to them; what a thread gets of a core, and what others use of
the cores, is measured beside it. The spread of a rate is that of the middle half
of the rounds.

As ranks of an MPI run (a tool that was built with -tags mpi, started by mpirun
or srun), measures all hosts of the run, and the links between their Sets; rank 0
prints. All ranks first wait, for as long as -watch says, so that foreign load
shows, and then compute at the same time, so that shared cores show.
-save-hosts writes the measured platform as a hosts file, on which programs run
in-process: lu -hosts FILE.

What cannot be measured, for lack of rights or on other systems, is named below
the tables. A rank that does not answer in time is named, and the
exit code is 1.`,
	Examples: []cli.Example{
		{Line: "migbsp probe", Does: "this machine"},
		{Line: "mpirun migbsp probe -hosts my.hosts", Does: "all hosts of the run, and links between Sets"},
		{Line: "mpirun migbsp probe -save-hosts measured.hosts", Does: "the same as a platform to emulate"},
		{Line: "mpirun migbsp probe -format json -links 0", Does: "for programs, without links"},
	},
}

// usualTimeout is the default of -timeout.
const usualTimeout = 30 * time.Second

// newProbeCommand is probeCommand with the ranks of the run that it is part of.
func newProbeCommand() cli.Command {
	var o probeOptions
	c := probeCommand
	c.Join = o.join
	c.Setup = func(flags *flag.FlagSet) cli.Action {
		format := formatFlag(flags)
		flags.DurationVar(&o.watch, "watch", 250*time.Millisecond, "how long to watch load and network, such as `10s`")
		hosts := cli.Path(flags, "hosts", "`file` of hosts and Sets (default: what MIGBSP_HOSTS names)", cli.File)
		sets := cli.Path(flags, "sets", "`file` of Sets that counts more than that of hosts: hosts, or Slurm's topology.conf", cli.File)
		save := cli.Path(flags, "save-hosts", "`file` to write the measured hosts and links to", cli.File)
		flags.DurationVar(&o.links, "links", 2*time.Second, "about how long to measure links, such as `10s`; 0: not at all")
		flags.DurationVar(&o.timeout, "timeout", usualTimeout, "how late an answer of a rank may be, such as `1m`")
		return func(ctx context.Context, streams cli.Streams, _ []string) error {
			o.format, o.hosts, o.sets, o.save = *format, *hosts, *sets, *save
			if err := o.check(); err != nil {
				return err
			}
			if o.comm == nil {
				return o.probeMachine(ctx, streams)
			}
			o.hosts = cmp.Or(o.hosts, os.Getenv("MIGBSP_HOSTS"))
			return o.probeRanks(ctx, streams)
		}
	}
	return c
}

// join makes this process one of an MPI run's ranks, if it was started as one of them. Rank
// 0 prints.
func (o *probeOptions) join() (*cli.Peer, error) {
	comm, err := mpi.Open(probe.CoresOf(probe.Root()).Quota)
	if err != nil || comm == nil {
		return &cli.Peer{Speaks: true, Leave: func() {}}, err
	}
	o.comm = comm
	return &cli.Peer{Speaks: comm.Rank() == 0, Leave: o.leave}, nil
}

// probeOptions are the flags of migbsp probe, and the ranks that share them.
type probeOptions struct {
	comm                  mpi.Comm // all ranks; nil on a single machine, and at the end
	format                string
	hosts, sets, save     string // names of files, "" if not given
	watch, links, timeout time.Duration
}

func (o *probeOptions) check() error {
	switch {
	case o.watch <= 0:
		return cli.Usagef("-watch %v: the time must be longer than 0", o.watch)
	case o.links < 0:
		return cli.Usagef("-links %v: the time cannot be negative", o.links)
	case o.timeout <= 0:
		return cli.Usagef("-timeout %v: the time must be longer than 0", o.timeout)
	}
	return nil
}

// probeMachine measures the machine that runs the tool.
func (o *probeOptions) probeMachine(ctx context.Context, streams cli.Streams) error {
	for name, value := range map[string]string{"-hosts": o.hosts, "-sets": o.sets, "-save-hosts": o.save} {
		if value != "" {
			return cli.Usagef("%s is about the hosts of a run, but there is one machine only: start the tool with mpirun or srun", name)
		}
	}
	m := survey.This(ctx, o.watch)
	if err := ctx.Err(); err != nil {
		return err
	}
	return printAs(streams, o.format, struct {
		Schema string `json:"schema"`
		survey.Machine
	}{survey.MachineSchema, m}, func() string { return machineText(&m) })
}
