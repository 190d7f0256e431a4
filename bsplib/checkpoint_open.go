package bsplib

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/mpi"
)

// resumption is a checkpoint from which a run goes on.
type resumption struct {
	path string // in the words of the user on rank 0, absolute elsewhere
	m    *checkpoint.Manifest
}

// String names the checkpoint and how far the run had come.
func (from *resumption) String() string { return from.path + " " + whereOf(from.m) }

// open finds the checkpoint to go on from on rank 0, has fit look at it there,
// and tells all ranks of it. Without an error, but with no checkpoint, the run
// begins anew: there is none, and that is allowed.
func (c *Checkpoint) open(comm mpi.Comm, find func() (string, *checkpoint.Manifest, error), fit func(string, *checkpoint.Manifest) error) error {
	var from resumption
	var err error
	if comm == nil || comm.Rank() == 0 {
		if from.path, from.m, err = find(); err == nil && from.m != nil {
			err = fit(from.path, from.m)
		}
	}
	if comm != nil {
		if err = from.share(comm, err); err != nil {
			return err
		}
	}
	if err == nil && from.m != nil {
		c.from = &from
	}
	return err
}

// share gives all ranks what rank 0 has found, or its error.
func (from *resumption) share(comm mpi.Comm, failure error) error {
	var said foundCheckpoint
	if comm.Rank() == 0 {
		said.look(from, failure)
	}
	err := control.Broadcast(control.New(comm), 0, &said)
	if err != nil || comm.Rank() == 0 {
		return errors.Join(err, failure)
	}
	if said.Problem != "" {
		return errors.New(said.Problem)
	}
	if said.Path == "" {
		return nil
	}
	from.path = said.Path
	from.m, err = checkpoint.Parse(filepath.Join(from.path, checkpoint.ManifestName), said.Manifest)
	return err
}

// foundCheckpoint is what rank 0 tells of the checkpoint to go on from: its
// absolute path and manifest, neither if there is none, or why it will not do.
type foundCheckpoint struct {
	Problem  string
	Path     string
	Manifest []byte
}

func (f *foundCheckpoint) look(from *resumption, err error) {
	if err == nil && from.m != nil {
		if f.Path, err = filepath.Abs(from.path); err == nil {
			f.Manifest, err = json.Marshal(from.m)
		}
	}
	if err != nil {
		f.Problem = err.Error()
	}
}

// findCheckpoint is the checkpoint at path, or the newest below it.
func findCheckpoint(path string) (string, *checkpoint.Manifest, error) {
	m, err := checkpoint.Load(path)
	if !errors.Is(err, checkpoint.ErrNone) {
		return path, m, err
	}
	below, m, other := checkpoint.Newest(path)
	if errors.Is(other, checkpoint.ErrNone) {
		return "", nil, err
	}
	return below, m, other
}

// fits looks for what keeps this program, with so many processes unless that is
// 0, from going on from a checkpoint.
func (c *Checkpoint) fits(path string, m *checkpoint.Manifest, procs int) error {
	if m.Program != c.caller.Program {
		return fmt.Errorf("%s was written by program %s, this is %s", path, m.Program, c.caller.Program)
	}
	if procs != 0 && procs != m.Procs {
		return fmt.Errorf("%s is %d here, %d in %s", c.caller.Procs, procs, m.Procs, path)
	}
	then := make(map[string]string)
	for _, p := range m.Parameters {
		then[p.Name] = p.Value
	}
	for _, p := range c.Parameters {
		value, known := then[p.Name]
		if !known {
			return fmt.Errorf("%s%s is %q here, and unknown in %s", c.caller.Parameter, p.Name, p.Value, path)
		}
		if value != p.Value {
			return fmt.Errorf("%s%s is %q here, %q in %s", c.caller.Parameter, p.Name, p.Value, value, path)
		}
		delete(then, p.Name)
	}
	for _, p := range m.Parameters {
		if _, left := then[p.Name]; left {
			return fmt.Errorf("%s%s is unknown here, %q in %s", c.caller.Parameter, p.Name, p.Value, path)
		}
	}
	return nil
}

// checkCheckpoint finds out whether the program's processes can be written and
// are those of the checkpoint to go on from. All ranks find the same.
func (cfg *Config) checkCheckpoint(program *program) error {
	c := cfg.Checkpoint
	if c == nil || c.Dir == "" && c.from == nil {
		return nil
	}
	if _, err := program.plan(); err != nil {
		return err
	}
	if c.from == nil {
		return nil
	}
	name, layout := program.identity()
	if m := c.from.m; m.State != name || m.Layout != layout {
		return fmt.Errorf("%s has states of type %s (layout %016x), this program's are %s (layout %016x)",
			c.from.path, plainState(m.State), uint64(m.Layout), plainState(name), uint64(layout))
	}
	return nil
}

// plainState is the name of a state's type without what it is packed in.
func plainState(name string) string {
	_, inner, found := strings.Cut(name, "[")
	if !found {
		return name
	}
	return strings.TrimSuffix(inner, "]")
}

// openCheckpoint prepares the checkpoints of a run that is not started by Main.
func (cfg *Config) openCheckpoint(program *program) error {
	if cfg.Checkpoint == nil {
		return nil
	}
	c := *cfg.Checkpoint
	cfg.Checkpoint = &c
	c.caller, c.from = caller(), nil
	if c.Restart != "" {
		find := func() (string, *checkpoint.Manifest, error) { return findCheckpoint(c.Restart) }
		fit := func(path string, m *checkpoint.Manifest) error { return c.fits(path, m, cfg.Procs) }
		if err := c.open(cfg.Comm, find, fit); err != nil {
			return err
		}
		cfg.Procs = c.from.m.Procs
	}
	return cfg.checkCheckpoint(program)
}
