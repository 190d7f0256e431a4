package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// testbed is the emulated cluster that is up.
type testbed struct{ state state }

// state is the testbed's report of its state.
type state struct {
	HostFile string
	Hosts    []struct {
		Name  string
		Speed float64
	}
	Lines []struct {
		Name string
		Rate float64
	}
}

// bring brings a testbed up.
func bring(ctx context.Context, description string) (*testbed, error) {
	t := new(testbed)
	if err := t.run(ctx, "up", description); err != nil {
		return nil, err
	}
	text, err := t.command(ctx, "status", "-json").Output()
	if err == nil {
		err = json.Unmarshal(text, &t.state)
	}
	if err != nil {
		t.run(context.WithoutCancel(ctx), "down")
		return nil, fmt.Errorf("the state of the testbed: %w", err)
	}
	return t, nil
}

// restore undoes an event.
func (t *testbed) restore(ctx context.Context, e *event) error {
	command, err := t.state.undoing(e)
	if err != nil {
		return err
	}
	return t.run(ctx, command...)
}

// undoing is the command that undoes an event.
func (s *state) undoing(e *event) ([]string, error) {
	what, at := e.command[0], e.command[1]
	switch what {
	case "set-speed":
		for _, h := range s.Hosts {
			if h.Name == at {
				return []string{what, at, fmt.Sprintf("%.4f%%", 100*h.Speed)}, nil
			}
		}
	case "set-rate":
		for _, l := range s.Lines {
			if l.Name == at {
				return []string{what, at, fmt.Sprintf("%.0fb/s", l.Rate)}, nil
			}
		}
	case "hog":
		return []string{what, at, "off"}, nil
	}
	return nil, fmt.Errorf("%v cannot be undone: there is no %s", e.command, at)
}

func (t *testbed) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join("scripts", "testbed"), args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 20 * time.Second
	return c
}

// run carries out a command of the testbed.
func (t *testbed) run(ctx context.Context, args ...string) error {
	out, err := t.command(ctx, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("scripts/testbed %v: %w\n%s", args, err, out)
	}
	return nil
}
