package sbatch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/shell"
)

// Script returns the job's script for sbatch. The job has passed Check.
func (j *Job) Script() string {
	s := &script{}
	s.line("#!/bin/bash")
	for _, line := range j.Made {
		s.line("# ", line)
	}
	s.line("#")
	s.line("# sbatch FILE submits it. What may have to be changed for another cluster: the")
	s.line("# lines with #SBATCH, the modules, --mpi of srun, the program and its arguments.")
	j.request(s)
	j.prepare(s)
	j.checks(s)
	j.environment(s)
	j.cases(s)
	j.run(s)
	return s.String()
}

// script is a text that grows by lines.
type script struct{ strings.Builder }

func (s *script) line(parts ...string) {
	for _, part := range parts {
		s.WriteString(part)
	}
	s.WriteByte('\n')
}

// option writes a line for sbatch, unless value is empty.
func (s *script) option(name, value string) {
	if value != "" {
		s.line(directive("--" + name + "=" + value))
	}
}

// count returns a number as text, "" for 0.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// request writes the requests to Slurm. Components have their own lines, except for options that a
// job has once.
func (j *Job) request(s *script) {
	s.option("job-name", j.name())
	if j.isArray() {
		s.option("array", j.array())
		s.option("output", "%x-%A_%a.out")
	} else {
		s.option("output", "%x-%j.out")
	}
	s.option("open-mode", "append")
	if j.Checkpoint != "" {
		s.line(directive("--requeue"))
	}
	if j.Survive > 0 {
		s.line(directive("--no-kill")) // of the other nodes, after a lost one
	}
	for i, part := range j.Parts {
		if i > 0 {
			s.line("#SBATCH hetjob")
		}
		j.requestPart(s, part)
	}
	s.line()
}

func (j *Job) requestPart(s *script, part Component) {
	s.option("partition", part.Partition)
	s.option("nodes", count(part.Nodes))
	s.option("ntasks", count(part.Tasks))
	s.option("ntasks-per-node", count(part.TasksPerNode))
	s.option("cpus-per-task", strconv.Itoa(j.cpus()))
	s.option("time", j.Time.Text)
	s.option("account", j.Account)
	s.option("qos", j.QOS)
	if j.Exclusive {
		s.line(directive("--exclusive"))
	}
	if j.Checkpoint != "" {
		s.option("signal", fmt.Sprintf("USR1@%d", j.Warning))
	}
	for _, option := range j.Options {
		s.line(directive(option))
	}
}

// cases give each task of an array its arguments.
func (j *Job) cases(s *script) {
	if len(j.Cases) == 0 {
		return
	}
	s.line("# What each task of the array has of its own.")
	s.line("case $SLURM_ARRAY_TASK_ID in")
	for i, words := range j.Cases {
		s.line(strconv.Itoa(i), ") set -- ", shell.QuoteAll(words), " ;;")
	}
	s.line(`*) fail "no case has the number $SLURM_ARRAY_TASK_ID" ;;`)
	s.line("esac")
	s.line()
}

// directive returns an option as sbatch reads it in a script: with a value that is no
// plain word, between double quotes. Neither has a backslash or a double quote.
func directive(option string) string {
	if strings.Trim(option, shell.Plain+"[]*") != "" {
		option = `"` + option + `"`
	}
	return "#SBATCH " + option
}
