package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/bench/internal/results"
)

// contender is a program of the comparison and what it has measured.
type contender struct {
	name     string
	library  string // as its output says
	launcher string // "" if it needs none
	path     string
	args     []string
	inC      bool
	file     string // of results, for those that are not launched

	merged results.Merged
}

// launchAll runs all programs in turns. Those in C measure what ours have
// measured.
func (s *settings) launchAll(ctx context.Context, ours, theirs []*contender, log io.Writer) (idle idleness, err error) {
	all := slices.Concat(ours, theirs)
	for round := range s.rounds {
		for _, c := range all {
			used := awaitIdle(ctx, s.idle)
			idle.add(used)
			begin := time.Now()
			if err := c.launch(ctx, s.limit, s.list(ours)); err != nil {
				return idle, fmt.Errorf("%s: %w", c.name, err)
			}
			fmt.Fprintf(log, "round %d of %d: %s in %.1f s; before it others used %.0f%% of the cores\n",
				round+1, s.rounds, c.name, time.Since(begin).Seconds(), used)
		}
	}
	return idle, nil
}

// longestList is the longest argument of -only that bench/c takes.
const longestList = 255

// list is the argument of -only that makes a program in C measure what ours
// have measured, "" if that is all or too much to say.
func (s *settings) list(ours []*contender) string {
	if s.only == "" {
		return ""
	}
	var names []string
	for _, r := range ours[0].merged.Rows() {
		if name := inC(r.Measure); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	list := strings.Join(names, ",")
	if len(list) > longestList {
		return ""
	}
	return list
}

// inC is the name of a measure in C, where all memory is the heap's.
func inC(measure string) string { return strings.TrimSuffix(measure, "_heap") }

// launch runs the program once and takes in its rows.
func (c *contender) launch(ctx context.Context, limit time.Duration, only string) error {
	args := c.args
	if c.inC && only != "" {
		args = append(slices.Clone(args), "-only", only)
	}
	out, err := output(ctx, limit, c.launcher, c.path, args)
	if err != nil {
		return err
	}
	runs, err := results.Read(bytes.NewReader(out))
	if err != nil {
		return err
	}
	rows := 0
	for _, r := range runs {
		c.library = cmp.Or(c.library, r.Library)
		c.merged.Add(r.Rows...)
		rows += len(r.Rows)
	}
	if rows == 0 {
		return errors.New("it printed no results")
	}
	return nil
}

// output runs a program, behind a launcher's command line in the words of a
// shell, and returns what it prints. After the limit it ends the program and
// all that it has started.
func output(ctx context.Context, limit time.Duration, launcher, path string, args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	words := []string{path}
	if launcher != "" {
		words = []string{"sh", "-c", launcher + ` "$0" "$@"`, path}
	}
	words = append(words, args...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("it took longer than %v (-limit)", limit)
	case err != nil:
		return nil, fmt.Errorf("%s %s %s: %w\n%s", launcher, path, strings.Join(args, " "), err, tail(append(out.Bytes(), said.Bytes()...)))
	}
	return out.Bytes(), nil
}

// tail is the end of a program's output.
func tail(out []byte) []byte {
	const most = 2000
	out = bytes.TrimSpace(out)
	return out[max(0, len(out)-most):]
}
