package checkpoint

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/migbsp/migbsp/internal/sealed"
	"github.com/migbsp/migbsp/internal/untrusted"
	"github.com/migbsp/migbsp/ledger"
)

// manifestName is the name of the file that makes a checkpoint complete.
const manifestName = "manifest.json"

// manifests is the format of the manifests that this package writes and reads, within which fields
// are only added.
var manifests = sealed.Format{
	Schema: "migbsp.checkpoint/2", Kind: "the manifest of a checkpoint",
	Older: ": go on with the version that wrote it, or begin anew",
}

// mostManifest is the maximum size of a manifest in bytes. One of a million processes has 160
// MB. Reading one can take about five times as much memory.
const mostManifest = 256 << 20

// readManifest returns the text of the manifest of the checkpoint at path.
func readManifest(path string) ([]byte, error) {
	return untrusted.ReadFile(filepath.Join(path, manifestName), mostManifest)
}

// Manifest describes a checkpoint.
type Manifest struct {
	ID      ID        `json:"id"`     // in all parts too
	Run     string    `json:"run"`    // the computation, also over restarts
	Number  int       `json:"number"` // within the run
	Written time.Time `json:"written"`

	Program    string      `json:"program"`
	Version    string      `json:"version,omitempty"`
	Commit     string      `json:"commit,omitempty"`
	Args       []string    `json:"args,omitempty"`       // as given, for people
	Parameters []Parameter `json:"parameters,omitempty"` // the program's own settings
	Job        string      `json:"job,omitempty"`

	Procs     int     `json:"procs"`
	Ranks     int     `json:"ranks"` // that ran
	Engine    string  `json:"engine,omitempty"`
	Loop      int     `json:"loop"`      // stage loop in which processes resume
	Stage     int     `json:"stage"`     // stage of the loop before which they resume
	Superstep int     `json:"superstep"` // the next superstep
	Elapsed   float64 `json:"elapsed"`   // seconds of the run so far
	State     string  `json:"state"`     // type of the processes' state
	Layout    Hex     `json:"layout"`    // its encoding
	// Report is process 0's result so far, nil without one.
	Report *Report `json:"report,omitempty"`

	Parts []Part `json:"parts"`
}

// A Parameter is a setting that the computation depends on.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Part is the file written by one rank.
type Part struct {
	File    string   `json:"file"`
	Rank    int      `json:"rank"`
	Host    string   `json:"host,omitempty"`
	Bytes   int64    `json:"bytes"`
	Records []Record `json:"processes"`
}

// Record is the location of a process in a part.
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

// Bytes returns the size of all parts.
func (m *Manifest) Bytes() int64 {
	n := int64(0)
	for i := range m.Parts {
		n += m.Parts[i].Bytes
	}
	return n
}

// Hex is a number that manifests contain as 16 hexadecimal digits.
type Hex uint64

// ID identifies a checkpoint. Checkpoints of the same name have different IDs.
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

// encode returns the manifest in its file format, with its digest.
func (m *Manifest) encode() ([]byte, error) {
	object, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	text := manifests.Seal(object)
	if len(text) > mostManifest {
		return nil, fmt.Errorf("the %s of %d processes has %d bytes, expected at most %d", manifestName, m.Procs, len(text), mostManifest)
	}
	return text, nil
}

// parse reads a manifest; name stands for it in errors.
//
// Errors: as sealed.Format.Open. Even a forged manifest with a correct digest is accepted only if it
// names every process once, in files within the checkpoint, and if each value is possible.
func parse(name string, text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := manifests.Open(name, text, m, m.check); err != nil {
		return nil, err
	}
	return m, nil
}

// check returns an error if a value would mislead or crash a reader. The error contains the value and
// the expected range.
func (m *Manifest) check() error {
	const mostSteps, mostSeconds, mostName = 1 << 40, 1e9, 64
	for _, x := range []struct {
		name            string
		is, least, most int
	}{
		{"procs", m.Procs, 1, 1 << 26}, {"ranks", m.Ranks, 1, 1 << 22}, {"number", m.Number, 1, mostNumber},
		{"superstep", m.Superstep, 1, mostSteps}, {"loop", m.Loop, 0, mostSteps},
	} {
		if x.is < x.least || x.is > x.most {
			return fmt.Errorf("%s is %d, expected %d to %d", x.name, x.is, x.least, x.most)
		}
	}
	switch {
	case m.Run == "" || len(m.Run) > mostName || m.Run != plain(m.Run):
		return fmt.Errorf("run is %q, expected a name of letters, digits and . _ -", m.Run)
	case m.Written.Year() < 1970:
		return fmt.Errorf("written is %v, expected a time since 1970", m.Written)
	case m.Program == "":
		return fmt.Errorf(`program is "", expected a name`)
	case m.Stage < 0 || m.Stage >= m.Superstep:
		return fmt.Errorf("stage is %d, expected 0 or more and fewer than the %d supersteps", m.Stage, m.Superstep)
	case !(m.Elapsed >= 0 && m.Elapsed <= mostSeconds):
		return fmt.Errorf("elapsed is %g, expected 0 to %g seconds", m.Elapsed, mostSeconds)
	case m.Report != nil && (m.Report.Step < 0 || m.Report.Step > m.Superstep):
		return fmt.Errorf("the report is of superstep %d, expected 0 to %d", m.Report.Step, m.Superstep)
	}
	if err := m.checkTexts(); err != nil {
		return err
	}
	found := 0
	for i := range m.Parts {
		found += len(m.Parts[i].Records)
	}
	if found != m.Procs {
		return fmt.Errorf("parts have %d processes, expected %d", found, m.Procs)
	}
	seen, files := make([]bool, m.Procs), make(map[string]bool)
	for i := range m.Parts {
		p := &m.Parts[i]
		if err := p.check(m.Ranks); err != nil {
			return err
		}
		if files[p.File] {
			return fmt.Errorf("%s is there twice, expected one part for each file", p.File)
		}
		files[p.File] = true
		for _, r := range p.Records {
			if r.Pid < 0 || r.Pid >= m.Procs || seen[r.Pid] {
				return fmt.Errorf("%s: process %d, expected each of 0 to %d once", p.File, r.Pid, m.Procs-1)
			}
			seen[r.Pid] = true
		}
	}
	return nil
}

// checkTexts refuses texts with control characters, and parameters without a name or with equal
// names.
func (m *Manifest) checkTexts() error {
	texts := [][2]string{{"program", m.Program}, {"version", m.Version}, {"commit", m.Commit}, {"job", m.Job}, {"engine", m.Engine}, {"state", m.State}}
	for i := range m.Parts {
		texts = append(texts, [2]string{"host", m.Parts[i].Host})
	}
	seen := make(map[string]bool)
	for _, p := range m.Parameters {
		if p.Name == "" || seen[p.Name] {
			return fmt.Errorf("parameter %q, expected each name once", p.Name)
		}
		seen[p.Name] = true
		texts = append(texts, [2]string{"parameter", p.Name})
	}
	for _, t := range texts {
		if !utf8.ValidString(t[1]) || strings.ContainsFunc(t[1], unicode.IsControl) {
			return fmt.Errorf("%s is %q, expected text", t[0], t[1])
		}
	}
	return nil
}

func (p *Part) check(ranks int) error {
	if p.Rank < 0 || p.Rank >= ranks {
		return fmt.Errorf("rank is %d, expected 0 to %d", p.Rank, ranks-1)
	}
	if want := fmt.Sprintf(partPattern, p.Rank); p.File != want {
		return fmt.Errorf("file is %q, expected %s", p.File, want)
	}
	if most := int64(1 << 50); p.Bytes < partHead || p.Bytes > most {
		return fmt.Errorf("%s: bytes is %d, expected %d to %d", p.File, p.Bytes, partHead, most)
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
