package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/migbsp/migbsp/cmd/migbsp/sbatch"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/internal/shell"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

// resolve gives flags that are not on the command line the values that files
// have for them.
func (f *jobFlags) resolve() ([]settings.Value, error) {
	files, err := f.files()
	if err != nil {
		return nil, err
	}
	return settings.Sources{Program: "sbatch", TableOnly: true, Actions: jobActions, Files: files}.Resolve(f.set, f.given())
}

// files returns the site's files: the named one, which must exist, else the usual ones that
// exist.
func (f *jobFlags) files() ([]string, error) {
	named, by := *f.site, "-site "
	if named == "" {
		named, by = os.Getenv("MIGBSP_CONFIG"), "MIGBSP_CONFIG="
	}
	if named == "" {
		return settings.Files(os.Environ()), nil
	}
	if _, err := os.Stat(named); err != nil {
		return nil, fmt.Errorf("%s%s: %w", by, named, err)
	}
	return []string{named}, nil
}

// given returns the command line without flags that are not settings.
func (f *jobFlags) given() []string {
	var args []string
	f.set.Visit(func(g *flag.Flag) {
		if !slices.Contains(jobActions, g.Name) {
			args = append(args, "-"+g.Name+"="+g.Value.String())
		}
	})
	return args
}

// settingsText returns a table of all settings and where they come from.
func settingsText(values []settings.Value) string {
	var rows [][]string
	for _, v := range values {
		rows = append(rows, []string{v.Name, ledger.Printable(v.Shown()), ledger.Printable(v.Origin)})
	}
	return text.Rows([]string{"setting", "value", "origin"}, rows, 0, 1, 2)
}

// job returns the job of the settings.
func (f *jobFlags) job(values []settings.Value, command []string) (*sbatch.Job, error) {
	job := &sbatch.Job{
		Name: f.name.value, Parts: f.components(), CPUs: f.cpusPerTask.value, Time: f.time.value,
		Account: f.account.value, QOS: f.qos.value, Exclusive: *f.exclusive, Options: f.options.value,
		Modules: f.modules.value, MPI: f.mpi.value,
		RunDir: f.runDir.value, Comment: *f.comment, Checkpoint: f.lasting.checkpoint.value, CheckpointEvery: f.lasting.every.value, Survive: f.lasting.survive.value, Warning: f.lasting.warning.value,
		Array: f.array.value, Cases: f.cases.words, Command: command,
	}
	if err := job.Check(); err != nil {
		return nil, err
	}
	job.Made = f.made(values, command)
	return job, nil
}

// components returns the parts of the job. A part without numbers of its own has the numbers of
// -nodes, -ntasks and -tasks-per-node.
func (f *jobFlags) components() []sbatch.Component {
	all := sbatch.Component{Nodes: f.nodes.value, Tasks: f.ntasks.value, TasksPerNode: f.tasksPerNode.value}
	if f.parts.value == nil {
		return []sbatch.Component{all}
	}
	parts := slices.Clone(f.parts.value)
	for i, p := range parts {
		if p.Tasks == 0 {
			parts[i] = all
			parts[i].Partition = p.Partition
		}
	}
	return parts
}

// switches are the settings that are on or off.
var switches = []string{"comment", "exclusive"}

// made returns the command line that makes the same script, and the settings that files
// have added to it.
func (f *jobFlags) made(values []settings.Value, command []string) []string {
	line := []string{"migbsp", "sbatch"}
	var added []string
	for _, text := range f.cases.texts {
		line = append(line, "-case", text)
	}
	for _, v := range values {
		switch {
		case v.Origin == settings.Default:
		case v.Origin != settings.Flag:
			added = append(added, fmt.Sprintf("%s = %s (%s)", v.Name, shell.Quote(v.Value), ledger.Printable(v.Origin)))
		case v.Value == "true" && slices.Contains(switches, v.Name):
			line = append(line, "-"+v.Name)
		case slices.Contains(switches, v.Name):
			line = append(line, "-"+v.Name+"="+v.Value)
		default:
			line = append(line, "-"+v.Name, v.Value)
		}
	}
	return append([]string{shell.QuoteAll(append(append(line, "--"), command...))}, added...)
}
