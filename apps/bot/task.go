package main

import (
	"fmt"
	"hash/fnv"
)

// job describes the tasks of a bag. It is the same on all ranks.
type job struct {
	Tasks   int
	Command []string // a child process for each task; or
	Spin    *spin    // a function
	Zoom    *zoom
	Limits  limits
}

// runner computes tasks on a rank. run returns no outcome if stopped, which it calls from
// time to time, reports that the task is no longer needed.
type runner interface {
	run(task int, input string, stopped func() bool) (o outcome, done bool)
}

// runner makes the job's.
func (j *job) runner() runner {
	switch {
	case len(j.Command) > 0:
		return &command{words: j.Command, limits: j.Limits}
	case j.Zoom != nil:
		return function(j.Zoom.row)
	default:
		return function(j.Spin.task)
	}
}

// function is a task that is a Go function of its number.
type function func(task int) []byte

func (f function) run(task int, _ string, _ func() bool) (outcome, bool) {
	return outcome{Task: task, Out: f(task)}, true
}

// text describes the job.
func (j *job) text() string {
	switch {
	case len(j.Command) > 0:
		return fmt.Sprintf("%d commands", j.Tasks)
	case j.Zoom != nil:
		return fmt.Sprintf("%d rows of %d images of %d x %d points", j.Tasks, j.Zoom.Frames, j.Zoom.Width, j.Zoom.Height)
	default:
		return fmt.Sprintf("%d tasks of %.4g flop, %s", j.Tasks, j.Spin.Size, j.Spin.Spread)
	}
}

// fingerprint identifies a bag by its tasks and their inputs.
func (j *job) fingerprint(inputs []string) string {
	h := fnv.New64a()
	limits := j.Limits // which limit a task, and do not change it
	fmt.Fprintf(h, "%d %q %+v %+v %d\n", j.Tasks, j.Command, j.Spin, j.Zoom, limits.Output)
	for _, line := range inputs {
		fmt.Fprintf(h, "%q\n", line)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
