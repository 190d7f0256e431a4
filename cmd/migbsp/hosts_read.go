package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/cli"
)

// hostsQuestion is the command line of migbsp hosts.
type hostsQuestion struct {
	from   string // as of -from
	name   string // of the file, "-" for in, "" if none is given
	in     io.Reader
	sets   string // as of -sets
	strict bool
}

// hostsAnswer is the result of reading.
type hostsAnswer struct {
	file     *hostfile.File
	job      string // the environment variables that name the hosts; "" for a file
	origin   string // source of the Sets
	divided  bool   // the source is not the file
	warnings []string
}

// read reads hosts and finds their Sets.
func (q *hostsQuestion) read() (*hostsAnswer, error) {
	a := &hostsAnswer{}
	if err := q.readHosts(a); err != nil {
		return nil, err
	}
	for _, warning := range a.file.Warnings {
		a.warnings = append(a.warnings, warning.Error())
	}
	if err := q.divide(a); err != nil {
		return nil, err
	}
	return a, q.checkStrict(a)
}

// readHosts reads a file or the environment.
func (q *hostsQuestion) readHosts(a *hostsAnswer) (err error) {
	switch batch := q.from == "slurm" || q.from == "pbs" || q.from == "lsf" || q.from == "sge"; {
	case q.from == "env" && q.name != "":
		return cli.Usagef("-from env reads the environment, not %s", q.name)
	case q.from == "env":
		a.file, a.job, err = hostfile.FromEnvironment(os.Getenv, openFile)
		return err
	case batch && q.name == "":
		a.file, a.job, err = hostfile.FromBatchSystem(q.from, os.Getenv, openFile)
		return err
	case q.name == "":
		if q.name = os.Getenv("MIGBSP_HOSTS"); q.name == "" {
			return cli.Usagef("FILE is missing, and MIGBSP_HOSTS names none")
		}
	}
	name, text := q.name, []byte(nil)
	if name == "-" {
		name = "standard input"
		text, err = hostfile.ReadText(q.in)
	} else {
		text, err = hostfile.ReadFile(name)
	}
	if err == nil {
		a.file, err = q.parse(name, text)
	}
	return err
}

func openFile(path string) (io.ReadCloser, error) { return os.Open(path) }

// parse reads a file in the form that -from names.
func (q *hostsQuestion) parse(name string, text []byte) (*hostfile.File, error) {
	var rules hostfile.Rules
	switch q.from {
	case "auto":
		if hostfile.IsTopology(string(text)) {
			return hostfile.ParseTopology(name, bytes.NewReader(text))
		}
		rules.Form = hostfile.FormOf(string(text))
	case "topology":
		return hostfile.ParseTopology(name, bytes.NewReader(text))
	case "slurm":
		rules.Form = hostfile.SlurmHosts
	case "sge":
		rules.Form = hostfile.GridEngine
	}
	return rules.Parse(name, bytes.NewReader(text))
}

// divide finds the Sets that a run would have that fills all slots of the hosts.
func (q *hostsQuestion) divide(a *hostsAnswer) error {
	a.origin = a.file.DividedBy()
	a.origin = cmp.Or(a.origin, "one Set for all hosts")
	clues := hostfile.Clues{Hosts: a.file, Getenv: os.Getenv}
	if q.sets != "" {
		var err error
		if clues.Sets, err = setsOf(q.sets); err != nil {
			return err
		}
	} else if a.file.Divided() {
		return nil
	}
	var tasks []hostfile.Task
	var idle []string
	for _, h := range a.file.Hosts {
		tasks = append(tasks, slices.Repeat([]hostfile.Task{hostfile.Task{Host: h.Name}}, h.Slots)...)
		if h.Slots == 0 {
			idle = append(idle, fmt.Sprintf("host %s has no slots, and so is in no Set: left out", h.Name))
		}
	}
	g, err := clues.Group(tasks)
	if err != nil {
		return err
	}
	if g.File.Divided() || clues.Sets != nil {
		a.file, a.origin, a.divided = g.File, g.Origin, true
		a.warnings = append(append(a.warnings, g.Warnings...), idle...)
	}
	return nil
}

// checkStrict returns an error for hosts in no Set, if strict is set.
func (q *hostsQuestion) checkStrict(a *hostsAnswer) error {
	for _, h := range a.file.Hosts {
		if s := a.file.Sets[h.Set]; q.strict && s.Line == 0 && s.Name == hostfile.DefaultSet {
			p := hostfile.Problem{File: a.file.Name, Line: max(1, h.Line), Col: 1, Read: "host " + h.Name + " in no Set"}
			p.Expected = "a #@set above it or with it in nodes="
			if a.divided {
				p.Expected = "it in " + a.origin
			}
			return p
		}
	}
	return nil
}
