package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/cmd/migbsp/sbatch"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/internal/shell"
)

// jobFlags are the flags of migbsp sbatch.
type jobFlags struct {
	set *flag.FlagSet

	nodes, ntasks, tasksPerNode, cpusPerTask *parsed[int]

	parts                   *parsed[[]sbatch.Component]
	time                    *parsed[sbatch.Limit]
	account, qos, name, mpi *parsed[string]
	modules, options        *parsed[[]string]
	runDir                  *parsed[sbatch.Pattern]
	lasting                 *lasting
	array                   *parsed[sbatch.Array]
	cases                   *caseList
	exclusive, comment      *bool
	output, site            *string
	submit, printConfig     *bool
}

// lasting has the flags of jobs that go on after the end of their time, or after a loss.
type lasting struct {
	checkpoint       *parsed[sbatch.Pattern]
	every            *parsed[string]
	warning, survive *parsed[int]
}

func newLasting(flags *flag.FlagSet) *lasting {
	return &lasting{
		checkpoint: parsing(flags, "checkpoint", "", "write checkpoints to `directory`, and run the job again until it has come to its end", sbatch.ParsePattern),
		every:      parsing(flags, "checkpoint-every", "", "write one also each `10m` or 100stages, or at intervals by their cost: auto", checked(checkEvery)),
		survive:    parsing(flags, "survive", "", "start the program again after up to `N` lost ranks or nodes, on the nodes that are left", positive),
		warning:    parsing(flags, "warning", "180", "write the last checkpoint `seconds` before the end; Slurm may be 60 s earlier", positive),
	}
}

// jobActions are the flags that are no settings of a site.
var jobActions = []string{"case", "o", "print-config", "site", "submit"}

func newJobFlags(flags *flag.FlagSet) *jobFlags {
	f := &jobFlags{set: flags, cases: &caseList{}}
	f.nodes = parsing(flags, "nodes", "", "ask for `N` nodes", positive)
	f.ntasks = parsing(flags, "ntasks", "", "start `N` ranks in all", positive)
	f.tasksPerNode = parsing(flags, "tasks-per-node", "", "start `N` ranks on each node", positive)
	f.cpusPerTask = parsing(flags, "cpus-per-task", "1", "cores of each rank, `N`", positive)
	f.time = parsing(flags, "time", "", "`limit` as Slurm has it: minutes, 1:30:00, 2-12 for days and hours", sbatch.ParseLimit)
	f.parts = parsing(flags, "partition", "", "`partitions` between commas, each PARTITION or PARTITION:NODES:TASKS; several are one heterogeneous job", sbatch.ParseComponents)
	f.account = parsing(flags, "account", "", "`name` of the account that pays", checked(sbatch.CheckIdentifier))
	f.qos = parsing(flags, "qos", "", "`name` of the quality of service", checked(sbatch.CheckIdentifier))
	f.name = parsing(flags, "name", "", "`name` of the job (default: the program's)", checked(sbatch.CheckName))
	f.mpi = parsing(flags, "mpi", "pmix", "`way` in which srun starts ranks: pmix for Open MPI, pmi2 for MPICH; srun --mpi=list has all", checked(sbatch.CheckMPI))
	f.modules = parsing(flags, "module", "", "load `modules` between commas, and no others", sbatch.ParseModules)
	f.exclusive = flags.Bool("exclusive", false, "no other jobs on the nodes, as times that are to be compared want it")
	f.options = parsing(flags, "options", "", "more `options` of sbatch between blanks: '--mem=4G --constraint=ib'", sbatch.ParseOptions)
	f.runDir = parsing(flags, "run-dir", "", "have the record of the run kept in `directory`", sbatch.ParsePattern)
	f.comment = flags.Bool("comment", false, "make the verdict of the record, in one line, the job's comment")
	f.lasting = newLasting(flags)
	f.array = parsing(flags, "array", "", "run the job for each `number` of 0-11, 0-30:10 or 1,3,5-7; %4 behind it: 4 at a time", sbatch.ParseArray)
	flags.Var(f.cases, "case", "`arguments` of one task of an array; to be repeated, for tasks 0, 1 and so on")
	f.output = cli.Path(flags, "o", "write the script to `file`", cli.File)
	f.submit = flags.Bool("submit", false, "submit the script, and print what sbatch says")
	f.site = cli.Path(flags, "site", "read settings from this `file` and no other", cli.File)
	f.printConfig = flags.Bool("print-config", false, "print all settings and where they come from, and exit")
	return f
}

// parsed is a flag whose text is read as soon as it is given.
type parsed[T any] struct {
	text  string
	value T
	read  func(text string) (T, error)
}

// parsing defines such a flag. An initial text that is not empty is its default.
func parsing[T any](flags *flag.FlagSet, name, initial, usage string, read func(text string) (T, error)) *parsed[T] {
	p := &parsed[T]{read: read}
	if initial != "" {
		if err := p.Set(initial); err != nil {
			panic(fmt.Sprintf("-%s by default: %v", name, err))
		}
	}
	flags.Var(p, name, usage)
	return p
}

// String returns the text that was given.
func (p *parsed[T]) String() string { return p.text }

// Set reads a text.
func (p *parsed[T]) Set(text string) error {
	value, err := p.read(text)
	if err == nil {
		p.text, p.value = text, value
	}
	return err
}

// checked reads a text that means itself.
func checked(check func(text string) error) func(string) (string, error) {
	return func(text string) (string, error) { return text, check(text) }
}

// positive reads a number of nodes, ranks, cores or seconds.
func positive(text string) (int, error) {
	const most = 65535
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most || text[0] == '+' {
		return 0, fmt.Errorf("expected a whole number from 1 to %d", most)
	}
	return n, nil
}

// checkEvery refuses text that programs refuse for -checkpoint-every.
func checkEvery(text string) error {
	if text == "auto" {
		return nil
	}
	if stages, ok := strings.CutSuffix(text, "stages"); ok {
		if n, err := strconv.Atoi(stages); err == nil && n > 0 && stages[0] != '+' {
			return nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return nil
	}
	return errors.New("expected a duration such as 10m, a number of stages such as 100stages, or auto")
}

// caseList is a flag that is repeated: the arguments of each task of an array.
type caseList struct {
	texts []string
	words [][]string
}

// String returns "": cases are not a setting.
func (c *caseList) String() string { return "" }

// Set reads the arguments of one more task.
func (c *caseList) Set(text string) error {
	words, err := shell.Words(text)
	if err == nil {
		c.texts, c.words = append(c.texts, text), append(c.words, words)
	}
	return err
}
