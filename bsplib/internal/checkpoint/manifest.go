package checkpoint

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// Schema is the schema of manifests that this package writes and reads.
const Schema = "migbsp.checkpoint/1"

// Manifest says what is in a checkpoint.
type Manifest struct {
	Schema  string    `json:"schema"`
	ID      ID        `json:"id"`     // in all parts too
	Run     string    `json:"run"`    // the computation, also over restarts
	Number  int       `json:"number"` // within the run
	Written time.Time `json:"written"`

	Program    string      `json:"program"`
	Version    string      `json:"version,omitempty"`
	Commit     string      `json:"commit,omitempty"`
	Args       []string    `json:"args,omitempty"`       // as given, for the reader
	Parameters []Parameter `json:"parameters,omitempty"` // the program's own settings
	Job        string      `json:"job,omitempty"`

	Procs     int     `json:"procs"`
	Ranks     int     `json:"ranks"` // that ran
	Engine    string  `json:"engine,omitempty"`
	Loop      int     `json:"loop"`      // where processes go on: in which stage loop
	Stage     int     `json:"stage"`     // and before which of its stages
	Superstep int     `json:"superstep"` // that comes next
	Elapsed   float64 `json:"elapsed"`   // seconds of the run so far
	State     string  `json:"state"`     // type of the processes' state
	Layout    Hex     `json:"layout"`    // how it is encoded
	// Report is what process 0 had reported, nothing if it had not.
	Report json.RawMessage `json:"report,omitempty"`

	Parts []Part `json:"parts"`
}

// Parameter is a setting that decides about the computation.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Part is what one rank has written.
type Part struct {
	File    string   `json:"file"`
	Rank    int      `json:"rank"`
	Host    string   `json:"host,omitempty"`
	Bytes   int64    `json:"bytes"`
	Records []Record `json:"processes"`
}

// Record is where a process is in a part.
type Record struct {
	Pid    int   `json:"pid"`
	Offset int64 `json:"offset"`
	Bytes  int64 `json:"bytes"`
	Digest Hex   `json:"digest"`
}

// Bytes is the size of all parts.
func (m *Manifest) Bytes() int64 {
	n := int64(0)
	for i := range m.Parts {
		n += m.Parts[i].Bytes
	}
	return n
}

// Limits of what a reader takes a manifest's word for.
const (
	mostProcs = 1 << 26
	mostBytes = 1 << 50
)

// check looks for what would mislead or crash a reader: what was read, and what
// was expected.
func (m *Manifest) check() error {
	switch {
	case m.Procs < 1 || m.Procs > mostProcs:
		return fmt.Errorf("procs is %d, expected 1 to %d", m.Procs, mostProcs)
	case m.Run == "" || m.Number < 1:
		return fmt.Errorf("run %q, number %d, expected a name and a number from 1", m.Run, m.Number)
	case m.Program == "":
		return fmt.Errorf(`program is "", expected a name`)
	case m.Loop < 0 || m.Stage < 0 || m.Superstep < 1:
		return fmt.Errorf("loop %d, stage %d, superstep %d, expected 0, 0 and 1 or more", m.Loop, m.Stage, m.Superstep)
	case m.Elapsed < 0:
		return fmt.Errorf("elapsed is %g, expected seconds", m.Elapsed)
	}
	found, files := 0, make(map[string]bool)
	for i := range m.Parts {
		p := &m.Parts[i]
		if err := p.check(); err != nil {
			return err
		}
		if files[p.File] {
			return fmt.Errorf("%s is there twice, expected one part for each file", p.File)
		}
		files[p.File] = true
		found += len(p.Records)
	}
	if found != m.Procs {
		return fmt.Errorf("parts have %d processes, expected %d", found, m.Procs)
	}
	return m.checkPids()
}

func (p *Part) check() error {
	if !filepath.IsLocal(p.File) || filepath.Base(p.File) != p.File || p.File == ManifestName {
		return fmt.Errorf("file is %q, expected a name within the checkpoint", p.File)
	}
	if p.Bytes < partHead || p.Bytes > mostBytes {
		return fmt.Errorf("%s: bytes is %d, expected %d to %d", p.File, p.Bytes, partHead, int64(mostBytes))
	}
	at := int64(partHead)
	for _, r := range p.Records {
		if r.Offset != at || r.Bytes < recordHead || r.Bytes > p.Bytes-at {
			return fmt.Errorf("%s: process %d is at %d with %d bytes, expected it at %d with %d to %d",
				p.File, r.Pid, r.Offset, r.Bytes, at, recordHead, p.Bytes-at)
		}
		at += r.Bytes
	}
	if at != p.Bytes {
		return fmt.Errorf("%s: processes end at %d, expected %d", p.File, at, p.Bytes)
	}
	return nil
}

func (m *Manifest) checkPids() error {
	seen := make([]bool, m.Procs)
	for i := range m.Parts {
		for _, r := range m.Parts[i].Records {
			if r.Pid < 0 || r.Pid >= m.Procs || seen[r.Pid] {
				return fmt.Errorf("%s: process %d, expected each of 0 to %d once", m.Parts[i].File, r.Pid, m.Procs-1)
			}
			seen[r.Pid] = true
		}
	}
	return nil
}
