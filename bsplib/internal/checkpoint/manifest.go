package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// manifestName is the file that makes a checkpoint complete. schema is the schema
// of the manifests that this package writes and reads, within which fields are
// only added.
const (
	manifestName = "manifest.json"
	schema       = "migbsp.checkpoint/1"
)

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
	// Report is what process 0 had reported, nil if it had not.
	Report *Report `json:"report,omitempty"`

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

// Report is a program's result and the superstep in which process 0 reported it.
type Report struct {
	Step   int
	Result ledger.Result
}

// Bytes is the size of all parts.
func (m *Manifest) Bytes() int64 {
	n := int64(0)
	for i := range m.Parts {
		n += m.Parts[i].Bytes
	}
	return n
}

// Hex is a number that manifests have in 16 hexadecimal digits.
type Hex uint64

// ID tells checkpoints apart, also those of the same name.
type ID = Hex

// MarshalText writes the digits.
func (h Hex) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(h)), nil }

// UnmarshalText reads the digits.
func (h *Hex) UnmarshalText(text []byte) error {
	x, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || len(text) != 16 {
		return fmt.Errorf("%q, expected 16 hexadecimal digits", text)
	}
	*h = Hex(x)
	return nil
}

// parse reads a manifest; name stands for it in errors.
//
// Errors: name:line:column, what was read and what was expected. A manifest of
// a newer schema is told as such. What parse accepts names every process once,
// in files within the checkpoint.
func parse(name string, text []byte) (*Manifest, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	err := json.Unmarshal(text, &head)
	if err == nil {
		err = knows(head.Schema)
	}
	m := new(Manifest)
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, placed(name, text, err)
	}
	return m, nil
}

// knows refuses what was written by another version.
func knows(found string) error {
	if found == schema {
		return nil
	}
	name, version, _ := strings.Cut(found, "/")
	known, own, _ := strings.Cut(schema, "/")
	got, err := strconv.Atoi(version)
	if want, _ := strconv.Atoi(own); name == known && err == nil && got > want {
		return fmt.Errorf("schema %s of a newer migbsp, expected %s", found, schema)
	}
	return fmt.Errorf("schema %q, expected %q", found, schema)
}

// placed puts before an error the place in the text that it speaks of.
func placed(name string, text []byte, err error) error {
	at := int64(0)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at, err = syntax.Offset, fmt.Errorf("%w, expected the manifest of a checkpoint", err)
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at, err = kind.Offset, fmt.Errorf("%s is a %s, expected a %s", kind.Field, kind.Value, kind.Type)
	}
	before := text[:max(0, min(int64(len(text)), at-1))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("%s:%d:%d: %w", name, line, column, err)
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
	if !filepath.IsLocal(p.File) || filepath.Base(p.File) != p.File || p.File == manifestName {
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
