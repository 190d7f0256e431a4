package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/cmd/migbsp/launch"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

var runCommand = cli.Command{
	Name:    "run",
	Summary: "starts a program, in this process or on ranks of MPI",
	About: `Starts PROGRAM with its arguments. A name without a slash is that of a program that
was installed with this tool, or of one in PATH; the working directory is not looked
into. Without PROGRAM, or with -list, it says which programs are installed.

Without flags the program takes the place of this process, and runs on the cores of
this machine; its own -ranks and -procs say on how many. With -np the launcher of the
MPI that the program was built with starts it on N ranks: srun within a job of Slurm
if it knows a way for that MPI, else the mpirun of that MPI.

-on FILE starts ranks over ssh on the hosts of a file, in any form that migbsp hosts
reads, where no batch system does. First it logs in to all hosts at once, to check
that they can be reached and have the program and the directory. A file with lines
#@set is also passed to the program as its -hosts, unless the program has -hosts or
-sets. After PROGRAM, -hosts FILE is the program's: without MPI ranks it emulates the
hosts on this machine. To select a network use -launcher-args, such as
'--mca btl_tcp_if_include eth1' for Open MPI or '-iface eth1' for MPICH.

Signals reach the program once, and the exit code is that of the program:

  0, 1, 2  as programs have them: well, failed, not run for its settings
  75       a checkpoint was written, run it again
  200      a rank was lost, which a line names with the checkpoint to go on from
  128+n    signal n has ended it; 130 after an interrupt`,
	Args: []cli.Arg{
		{Name: "PROGRAM", Values: cli.Values{Call: "migbsp run -names"}, Optional: true},
		{Name: "ARGUMENT", Values: cli.Values{Files: true, Flags: "migbsp run -names"}, Optional: true, Rest: true},
	},
	Examples: []cli.Example{
		{Line: "migbsp run lu -n 5000", Does: "on all cores of this machine"},
		{Line: "migbsp run -np 4 lu -n 5000", Does: "on 4 ranks of MPI, or of the Slurm job that this is in"},
		{Line: "migbsp run -on my.hosts ./a.out", Does: "on all slots of hosts, over ssh"},
		{Line: "migbsp run -on my.hosts -ssh 'ssh -p 2222' -np 3 lu", Does: "on 3 ranks, with another command in the place of ssh"},
		{Line: "migbsp run -show -np 4 lu", Does: "the command line only"},
	},
	Signals: true,
	Setup:   func(flags *flag.FlagSet) cli.Action { return newRunFlags(flags).run },
}

// runFlags are the flags of migbsp run.
type runFlags struct {
	np, survive               *parsed[int]
	on                        *string // file of hosts
	oldOn                     *bool   // -on was given by its old name, -hosts
	ssh, launcher, more       *parsed[[]string]
	onlyShow, n, list, naming *bool
}

func newRunFlags(flags *flag.FlagSet) *runFlags {
	f := &runFlags{}
	f.np = parsing(flags, "np", "", "start `N` ranks under the launcher of the program's MPI", positive)
	f.on = cli.Path(flags, "on", "start ranks over ssh on the hosts of this `file`: on all slots, or -np of them", cli.File)
	f.oldOn = cli.Renamed(flags, "hosts", "on")
	f.ssh = parsing(flags, "ssh", "", "with -on: the `command` in the place of ssh, with its options", words)
	f.launcher = parsing(flags, "launcher", "", "the `command` that starts ranks, with its options (default: the one that fits)", words)
	f.more = parsing(flags, "launcher-args", "", "more `options` for the launcher, between blanks", shell.Words)
	f.survive = parsing(flags, "survive", "", "go on by itself after up to `N` lost ranks or hosts, from the newest checkpoint, on the hosts that are left", positive)
	f.onlyShow = flags.Bool("show", false, "print the command line, and run nothing")
	f.n = flags.Bool("n", false, "the same as -show")
	f.list = flags.Bool("list", false, "print which programs are installed, with a line on each")
	f.naming = flags.Bool("names", false, "for completion: print their names only; with PROGRAM its flags; with a flag, its values")
	return f
}

// words reads a command.
func words(text string) ([]string, error) {
	all, err := shell.Words(text)
	if err == nil && (len(all) == 0 || all[0] == "") {
		err = errors.New("expected a command")
	}
	return all, err
}

// run starts the program, or lists the programs.
func (f *runFlags) run(ctx context.Context, streams cli.Streams, args []string) error {
	tool, err := launch.Self()
	if err != nil {
		return err
	}
	dir := launch.Installed(tool)
	switch {
	case *f.naming && len(args) > 1:
		return printFlagValues(ctx, streams, dir, args[0], args[1])
	case *f.naming && len(args) > 0:
		return printFlagNames(ctx, streams, dir, args[0])
	case *f.naming:
		return streams.Print(lines(launch.Names(dir)))
	case *f.list || len(args) == 0 && f.alone():
		return printPrograms(ctx, streams, dir)
	case len(args) == 0:
		return cli.Usagef("PROGRAM is missing")
	}
	if *f.oldOn {
		fmt.Fprintf(streams.Err, "migbsp run: warning: -hosts before the program is now -on, and the next release refuses it; after the program it is the program's own flag\n")
	}
	if err := f.check(args[0]); err != nil {
		return err
	}
	if f.survive.value > 0 && f.np.value == 0 && *f.on == "" {
		if isStarter(args[0]) {
			return f.surviveLine(ctx, streams, args)
		}
		fmt.Fprintf(streams.Err, "migbsp run: -survive %d has no effect: all ranks of %s are in one process and end together; start several processes with -np, -on or a launcher\n", f.survive.value, args[0])
	}
	path, err := launch.Find(dir, args[0])
	if errors.Is(err, launch.ErrUnknown) {
		return f.refuseName(ctx, streams, dir, args[0], err)
	} else if err != nil {
		return cli.Usagef("%v", err)
	}
	if f.np.value == 0 && *f.on == "" {
		if f.show() {
			return streams.Print(shell.QuoteAll(append([]string{path}, args[1:]...)) + "\n")
		}
		return fmt.Errorf("%s: %w", path, launch.Replace(path, args[1:]))
	}
	job, needs, err := f.job(ctx, streams, path, args)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	if f.show() {
		return streams.Print(job.Show(*f.on))
	}
	return f.start(ctx, streams, job, needs)
}

func (f *runFlags) show() bool { return *f.onlyShow || *f.n }

// alone reports whether only the program's own flags are given.
func (f *runFlags) alone() bool {
	return f.np.value == 0 && *f.on == "" && f.ssh.value == nil && f.launcher.value == nil && f.more.text == "" && !f.show()
}

// check finds flags that have no use for each other.
func (f *runFlags) check(program string) error {
	if _, err := strconv.Atoi(program); err == nil && *f.n {
		return cli.Usagef("-n prints the command line only; the number of ranks is -np %s", program)
	}
	if *f.on == "" && f.ssh.value != nil {
		return cli.Usagef("-ssh %s: it needs -on, which starts ranks over ssh", f.ssh.text)
	}
	for name, text := range map[string]string{"launcher": f.launcher.text, "launcher-args": f.more.text} {
		if text != "" && *f.on == "" && f.np.value == 0 {
			return cli.Usagef("-%s %s: without -np or -on there is no launcher", name, text)
		}
	}
	if tasks, launcher := mpi.Launched(); tasks != 0 && tasks != 1 && !f.alone() && !f.show() {
		return cli.Usagef("%s has started this tool on its ranks already: leave out -np and -on here, or %s there", launcher, launcher)
	}
	return nil
}

// refuseName refuses an unknown program, and lists the known ones.
func (f *runFlags) refuseName(ctx context.Context, streams cli.Streams, dir, name string, err error) error {
	all := launch.Describe(ctx, dir)
	if len(all) == 0 {
		return cli.Usagef("%v", err)
	}
	fmt.Fprintf(streams.Err, "migbsp run: %v\n\n%s", err, descriptions(all))
	return cli.Exit(cli.ExitUsage)
}

// job returns the job of the flags, and the needs of its hosts.
func (f *runFlags) job(ctx context.Context, streams cli.Streams, path string, args []string) (*launch.Job, launch.Needs, error) {
	job := &launch.Job{
		Ranks: f.np.value, More: f.more.value, Program: append([]string{path}, args[1:]...),
		SSH: f.ssh.value, Getenv: os.Getenv, Environ: os.Environ(),
	}
	needs := launch.Needs{Program: path}
	if job.SSH == nil {
		job.SSH = []string{"ssh"}
	}
	var err error
	if needs.Directory, err = os.Getwd(); err != nil {
		return nil, needs, err
	}
	program := launch.Look(ctx, path)
	if *f.on != "" {
		if err := f.readHosts(streams, job, &needs, program.Ours); err != nil {
			return nil, needs, err
		}
	}
	job.Launcher, err = launch.Here(ctx).Choose(launch.Ask{
		Program: program, Name: args[0], Args: args[1:], Command: f.launcher.value, Ranks: job.Ranks, ByHosts: *f.on != "", Getenv: os.Getenv,
	})
	if err != nil {
		return nil, needs, err
	}
	if *f.on == "" {
		job.Places = places(job.Launcher)
	}
	return job, needs, job.Check()
}

// places returns the number of ranks that have a core of their own, 0 if the batch system decides
// it.
func places(l launch.Launcher) int {
	tasks, err := strconv.Atoi(os.Getenv("SLURM_NTASKS"))
	switch {
	case l.Slurm != "" && err == nil:
		return tasks
	case os.Getenv("SLURM_JOB_ID") != "" || os.Getenv("PBS_JOBID") != "" || os.Getenv("LSB_JOBID") != "" || os.Getenv("PE_HOSTFILE") != "":
		return 0
	}
	return max(1, int(probe.CoresOf(probe.Root()).Usable()))
}

// readHosts reads the file of hosts into a job. A program of migbsp that was given no hosts
// gets the file too, if it has more than names and slots.
func (f *runFlags) readHosts(streams cli.Streams, job *launch.Job, needs *launch.Needs, ours bool) error {
	text, err := hostfile.ReadFile(*f.on)
	if err != nil {
		return err
	}
	form := hostfile.FormOf(string(text))
	if hostfile.IsTopology(string(text)) {
		return fmt.Errorf("-on %s: switches of Slurm say nothing of slots; expected a file of hosts, and for the switches the program's -sets", *f.on)
	}
	file, err := hostfile.Rules{Form: form}.Parse(*f.on, bytes.NewReader(text))
	if err != nil {
		return err
	}
	for _, warning := range file.Warnings {
		fmt.Fprintf(streams.Err, "migbsp run: warning: %v\n", warning)
	}
	job.Hosts, job.Places = file, file.Ranks()
	job.Ranks = cmp.Or(job.Ranks, job.Places)
	if job.Ranks == 0 {
		return fmt.Errorf("-on %s: no host has slots", *f.on)
	}
	if !ours || form != hostfile.Launchers || !file.Divided() && !file.Emulated() || given(job.Program[1:], "hosts", "sets") {
		return nil
	}
	if needs.Hosts, err = absolute(*f.on); err != nil {
		return err
	}
	// At the front: the user's command line may end with arguments that are no flags.
	job.Program = append([]string{job.Program[0], "-hosts", needs.Hosts}, job.Program[1:]...)
	return nil
}

// start checks the hosts and runs the launcher to its end.
func (f *runFlags) start(ctx context.Context, streams cli.Streams, job *launch.Job, needs launch.Needs) error {
	if err := job.CheckUser(); err != nil {
		return cli.Usagef("%v", err)
	}
	if job.Hosts != nil {
		if _, err := exec.LookPath(job.SSH[0]); err != nil {
			return cli.Usagef("there is no program %s, which logs in to hosts; name another with -ssh", job.SSH[0])
		}
	}
	if f.survive.value > 0 {
		dir, err := os.MkdirTemp("", "migbsp-run-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		return f.supervise(ctx, streams, &jobStarter{job: job, needs: needs, dir: dir, first: true})
	}
	if job.Hosts != nil {
		if failures := launch.Reach(ctx, job.SSH, job.Hosts, needs); len(failures) > 0 {
			for _, failure := range failures {
				fmt.Fprintf(streams.Err, "migbsp run: %v\n", failure)
			}
			return cli.Exit(cli.ExitUsage)
		}
	}
	dir, err := os.MkdirTemp("", "migbsp-run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := job.Prepare(dir); err != nil {
		return cli.Usagef("%v", err)
	}
	if job.Crowded() {
		on := "core"
		if job.Hosts != nil {
			on = "slot"
		}
		fmt.Fprintf(streams.Err, "migbsp run: %s on %s: ranks wait for each other\n", ledger.Count(job.Ranks, "rank"), ledger.Count(job.Places, on))
	}
	box, err := openInbox(job, dir)
	if err != nil {
		return err
	}
	defer box.Close()
	job.Environ = append(job.Environ, box.Environment())
	o, err := job.Launcher.Start(job.Line(), box.Inbox, false)
	if err != nil || o.Code == 0 {
		return err
	}
	return cli.Exit(o.Code)
}

// openInbox opens the inbox for the loss of a job: in the file that the environment names, or in a
// temporary directory. Where no rank runs on this machine that is one in the working directory,
// which all hosts have and in most cases share.
func openInbox(job *launch.Job, dir string) (*inbox, error) {
	if path := os.Getenv(loss.Variable); path != "" {
		whole, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		box, err := loss.Open(whole)
		return &inbox{box, ""}, err
	}
	own := ""
	if job.Away() {
		if shared, err := os.MkdirTemp(".", ".migbsp-run-"); err == nil {
			if own, err = filepath.Abs(shared); err != nil {
				return nil, err
			}
			dir = own
		}
	}
	box, err := loss.Open(filepath.Join(dir, loss.Name))
	return &inbox{box, own}, err
}

// inbox is an inbox, and the directory that was made for it, "" if none was.
type inbox struct {
	*loss.Inbox
	made string
}

func (b *inbox) Close() {
	b.Inbox.Close()
	if b.made != "" {
		os.RemoveAll(b.made)
	}
}

// given reports whether a flag of one of these names is among arguments.
func given(args []string, names ...string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		flag, dashed := strings.CutPrefix(arg, "-")
		name, _, _ := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		return dashed && slices.Contains(names, name)
	})
}

// printPrograms prints which programs are installed in a directory.
func printPrograms(ctx context.Context, streams cli.Streams, dir string) error {
	all := launch.Describe(ctx, dir)
	if len(all) == 0 {
		return fmt.Errorf("no programs are installed in %s: scripts/install puts them there; others are named by their path, or found in PATH", dir)
	}
	return streams.Print("Programs in " + dir + ":\n\n" + descriptions(all) + "\nmigbsp run PROGRAM -help explains one.\n")
}

func descriptions(all []launch.Description) (text string) {
	width := 0
	for _, d := range all {
		width = max(width, len(d.Name))
	}
	for _, d := range all {
		text += fmt.Sprintf("  %-*s  %s\n", width, d.Name, d.Does)
	}
	return text
}

// printFlagNames prints the flags of a program, as its help has them.
func printFlagNames(ctx context.Context, streams cli.Streams, dir, name string) error {
	path, err := launch.Find(dir, name)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	return streams.Print(lines(launch.Flags(ctx, path)))
}

// printFlagValues prints the values of a flag that all programs of migbsp have. It prints nothing
// if they have no list of values.
func printFlagValues(ctx context.Context, streams cli.Streams, dir, name, flag string) error {
	path, err := launch.Find(dir, name)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	var values []string
	switch strings.TrimLeft(flag, "-") {
	case "balance":
		values = append(strategies(), "help")
	case "start":
		values = []string{"auto", "blocks", "speeds"}
	case "table":
		values = tell.Views
	case "format":
		values = []string{"text", "csv", "json"}
	case "color":
		values = text.Colors
	}
	if values == nil || !launch.Look(ctx, path).Ours {
		return nil
	}
	return streams.Print(lines(values))
}

// strategies returns the names of all strategies, for completion.
func strategies() []string {
	names := []string{"off"}
	for _, d := range rebalancer.Definitions() {
		names = append(names, d.Name)
	}
	return names
}

// lines ends each text with a line end.
func lines(texts []string) string {
	return strings.Join(append(texts, ""), "\n")
}

// absolute returns the path of a file, valid in any working directory.
func absolute(path string) (string, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(whole)
}
