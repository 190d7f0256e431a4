package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/cmd/migbsp/sbatch"
	"github.com/migbsp/migbsp/internal/cli"
)

var sbatchCommand = cli.Command{
	Name:    "sbatch",
	Summary: "writes the script of a Slurm job, and submits it if asked",
	About: `Prints a script for sbatch that starts PROGRAM with its arguments on the ranks
that the flags ask for. The script checks what it needs, loads modules, and starts
all ranks by srun; with -checkpoint it runs the job again from its checkpoint when
its time is over. Nothing is submitted without -submit. Arguments that PROGRAM would
refuse in the job are refused here, if PROGRAM is on this machine.

Several partitions are a heterogeneous job: Slurm finds nodes for each at the same
time, and all their ranks are those of one run.

  -partition fast:2:32,slow:4:64   2 nodes and 32 ranks, 4 nodes and 64 ranks
  -partition fast,slow             in each what -nodes, -ntasks and so on say

What is the same for all jobs of a site can stand in a file, in a table [sbatch],
as flags without their dash. Files are looked for where programs look for theirs
(migbsp.toml, ~/.config/migbsp/config.toml, /etc/migbsp/config.toml); -site, or
the variable MIGBSP_CONFIG, names the only one to read. Flags come before files.

In -run-dir and -checkpoint, %j is the job, %x its name, and in an array %A the
array and %a the task.`,
	Args: []cli.Arg{{Name: "PROGRAM [ARGUMENT]", Optional: true, Rest: true}},
	Examples: []cli.Example{
		{Line: "migbsp sbatch -nodes 4 -tasks-per-node 16 -time 1:00:00 -- lu -n 5000", Does: "prints a script"},
		{Line: "migbsp sbatch -partition fast:2:32,slow:4:64 -o lu.sbatch -- lu -n 5000", Does: "one run on the nodes of two partitions"},
		{Line: "migbsp sbatch -ntasks 64 -time 4:00:00 -checkpoint saved/%j -submit -- lu", Does: "submits a job that goes on for as often as it must"},
		{Line: "migbsp sbatch -ntasks 8 -case '-n 1000' -case '-n 2000' -- lu", Does: "an array of two jobs"},
		{Line: "migbsp sbatch -site cluster.toml -print-config", Does: "what the site has set"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action { return newJobFlags(flags).run },
}

// run prints, writes or submits the script.
func (f *jobFlags) run(ctx context.Context, streams cli.Streams, args []string) error {
	values, err := f.resolve()
	if err != nil {
		return cli.Usagef("%v", err)
	}
	if *f.printConfig {
		return streams.Print(settingsText(values))
	}
	job, err := f.job(values, args)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	if err := checkProgram(ctx, streams, job); err != nil {
		return err
	}
	script := job.Script()
	file := *f.output
	switch {
	case file != "" && file != "-":
		err = writeWhole(file, func(w io.Writer) error {
			_, err := io.WriteString(w, script)
			return err
		})
	case !*f.submit:
		err = streams.Print(script)
	}
	if err != nil || !*f.submit {
		return err
	}
	return submit(ctx, streams, script)
}

// checkProgram makes the program check its arguments, for each case of an array, so that an error
// is found now and not when the job starts. If the program is not on this machine, it is not
// checked. If the job loads modules that are not loaded here, the job's program may be another one:
// the error is then a warning.
func checkProgram(ctx context.Context, streams cli.Streams, job *sbatch.Job) error {
	tool, err := launch.Self()
	if err != nil {
		return err
	}
	root, dir := os.Getenv("MIGBSP_ROOT"), launch.Installed(tool)
	if root != "" {
		dir = filepath.Join(root, "libexec", "migbsp")
	}
	path, err := launch.Find(dir, job.Command[0])
	if err != nil {
		return nil
	}
	cases := job.Cases
	if len(cases) == 0 {
		cases = [][]string{nil}
	}
	for _, more := range cases {
		refusal := launch.Refusal(ctx, path, slices.Concat(job.Command[1:], more))
		switch {
		case refusal == "":
		case len(job.Modules) > 0 && root == "":
			fmt.Fprintf(streams.Err, "migbsp sbatch: warning: %s, which may not be the program of the job's modules, refuses its arguments:\n%s\n", path, refusal)
			return nil
		default:
			fmt.Fprintf(streams.Err, "migbsp sbatch: the job would fail:\n%s\n", refusal)
			return cli.Exit(cli.ExitUsage)
		}
	}
	return nil
}

// submit submits a script by sbatch and shows its output.
func submit(ctx context.Context, streams cli.Streams, script string) error {
	if _, err := exec.LookPath("sbatch"); err != nil {
		return fmt.Errorf("there is no sbatch in PATH: submit where Slurm is, or write the script with -o FILE")
	}
	sbatch := exec.CommandContext(ctx, "sbatch")
	sbatch.Stdin = strings.NewReader(script)
	var said bytes.Buffer
	sbatch.Stdout, sbatch.Stderr = &said, &said
	err := sbatch.Run()
	if err == nil {
		return streams.Print(said.String())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if text := strings.TrimSpace(said.String()); text != "" {
		fmt.Fprintln(streams.Err, text)
	}
	return fmt.Errorf("sbatch has not taken the job: %w", err)
}
