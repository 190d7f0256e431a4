package bsplib

import (
	"encoding/json"
	"path/filepath"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/ledger"
)

// newManifest is the manifest of a checkpoint, without its parts.
func (r *rank) newManifest(a *attempt) *checkpoint.Manifest {
	build, caller := ledger.ThisBuild(), r.checkpoint.caller
	m := &checkpoint.Manifest{
		ID: a.ID, Run: r.checkpoint.run, Number: a.Number, Written: time.Now().UTC().Truncate(time.Millisecond),
		Program: caller.Program, Version: build.Version, Commit: build.Commit,
		Args: caller.Args, Parameters: r.checkpoint.Parameters, Job: caller.Job,
		Procs: r.n, Ranks: r.comm.Size(), Engine: r.comm.Engine(), Superstep: r.step,
		Elapsed: (r.clock.Now() + r.earlier).Seconds(),
	}
	m.State, m.Layout = r.program.identity()
	return m
}

// addPart takes in what a rank has written, and the last report of process 0.
func addPart(m *checkpoint.Manifest, said *partReport) error {
	if len(said.Part.Records) > 0 {
		m.Parts = append(m.Parts, said.Part)
		if said.Part.Records[0].Pid == 0 {
			m.Loop, m.Stage = said.At.Loop, said.At.Stage
		}
	}
	if said.Reported == nil {
		return nil
	}
	var last reported
	if m.Report != nil {
		if err := json.Unmarshal(m.Report, &last); err != nil {
			return err
		}
	}
	if m.Report != nil && last.Step > said.Reported.Step {
		return nil
	}
	var err error
	m.Report, err = json.Marshal(said.Reported)
	return err
}

// identity names the program's state and how it is encoded, if it can be.
func (g *program) identity() (string, checkpoint.Hex) {
	plan, err := g.plan()
	if err != nil {
		return "", 0
	}
	name, layout := plan.Identity()
	return name, checkpoint.Hex(layout)
}

// writeTo writes the process, which stands between two stages.
func (p *Proc) writeTo(w *checkpoint.Writer) error {
	x, image, err := p.pack()
	if err != nil {
		return err
	}
	whole, err := parcelPlan().Encode(unsafe.Pointer(x), nil)
	if err != nil {
		return err
	}
	return w.Add(p.pid, whole.Skeleton, append(whole.Spans, image.Spans...)...)
}

// shown is where a checkpoint is, in the words of the user.
func (c *checkpointing) shown(path string) string { return filepath.Join(c.Dir, filepath.Base(path)) }
