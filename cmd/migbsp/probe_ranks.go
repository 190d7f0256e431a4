package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe/survey"
)

// probeRanks does one rank's part in measuring all machines of a run. Rank 0 reads the files and
// prints.
func (o *probeOptions) probeRanks(ctx context.Context, streams cli.Streams) error {
	refused := false
	plan := survey.Plan{Watch: o.watch, Links: o.links, Tolerance: o.timeout}
	plan.Group = func(tasks []hostfile.Task) (*hostfile.Grouping, error) {
		grouping, err := o.group(streams.Err, tasks)
		refused = err != nil
		return grouping, err
	}
	found, err := survey.Take(ctx, o.comm, plan)
	switch {
	case err == nil:
		if found != nil {
			err = o.writeSurvey(streams, found)
		}
	case refused:
	case errors.Is(err, survey.ErrElsewhere):
		err = cli.Exit(cli.ExitFailed)
	case ctx.Err() != nil:
		o.comm = nil // no other rank waits
	default:
		if !errors.Is(err, mpi.ErrAborted) {
			fmt.Fprintf(streams.Err, "migbsp probe: %v\n", err)
		}
		o.comm.Abort(cli.ExitFailed)
		o.comm = nil
		err = cli.Exit(cli.ExitFailed)
	}
	return err
}

// leave ends MPI, which not every library does in a time that can be waited for.
func (o *probeOptions) leave() {
	if o.comm == nil {
		return
	}
	timeout := o.timeout
	if timeout <= 0 {
		timeout = usualTimeout
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		o.comm.Close()
	}()
	select {
	case <-closed:
	case <-time.After(timeout):
	}
}

// group reads the files, and finds the Set of each rank.
func (o *probeOptions) group(warnings io.Writer, tasks []hostfile.Task) (*hostfile.Grouping, error) {
	clues := hostfile.Clues{Getenv: os.Getenv}
	for _, file := range []struct {
		name string
		read func(string) (*hostfile.File, error)
		to   **hostfile.File
	}{{o.hosts, hostfile.Read, &clues.Hosts}, {o.sets, hostfile.ReadSets, &clues.Sets}} {
		if file.name == "" {
			continue
		}
		f, err := file.read(file.name)
		if err != nil {
			return nil, err
		}
		for _, warning := range f.Warnings {
			fmt.Fprintf(warnings, "migbsp probe: warning: %v\n", warning)
		}
		*file.to = f
	}
	return clues.Group(tasks)
}

// writeSurvey prints the survey, and writes the file of -o.
func (o *probeOptions) writeSurvey(streams cli.Streams, s *survey.Survey) error {
	for _, warning := range s.Warnings {
		fmt.Fprintf(streams.Err, "migbsp probe: warning: %s\n", warning)
	}
	if err := printAs(streams, o.format, s, func() string { return surveyText(s) }); err != nil || o.save == "" {
		return err
	}
	return writeWhole(o.save, func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "# Measured by migbsp probe over %d ranks on %d hosts.\n", len(s.Ranks), len(s.Hosts)); err != nil {
			return err
		}
		_, err := s.HostFile().WriteTo(w)
		return err
	})
}
