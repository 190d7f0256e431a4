package profile

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/migbsp/migbsp/internal/sealed"
)

// format is the format of the files that this package writes and reads, within which fields are
// only added.
var format = sealed.Format{Schema: "migbsp.profile/1", Kind: "a profile"}

// Limits of a file. A profile of 4096 processes with MostFlows pairs has about 1.5 MB.
const (
	MostFlows   = 1 << 16 // in all classes of a profile
	MostClasses = 64
	MostProcs   = 1 << 17
	mostHosts   = 1 << 16
	mostFile    = 8 << 20 // bytes
)

// encode returns the text of a profile's file.
func (p *Profile) encode() ([]byte, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	object, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	text := format.Seal(object)
	if len(text) > mostFile {
		return nil, fmt.Errorf("the profile of %d processes has %d bytes, expected at most %d", p.Key.Procs, len(text), mostFile)
	}
	return text, nil
}

// parse reads a profile; name stands for it in errors.
func parse(name string, text []byte) (*Profile, error) {
	p := new(Profile)
	if err := format.Open(name, text, p, p.check); err != nil {
		return nil, err
	}
	return p, nil
}

// digits is the number of significant digits of measured figures. Loads of two runs differ by more
// than the last one.
const digits = 5

// figure appends a figure.
func figure(b []byte, x float64) []byte { return strconv.AppendFloat(b, x, 'g', digits, 64) }

// Figures is a list of measured figures.
type Figures []float64

// MarshalJSON writes the figures with few digits.
func (f Figures) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, x := range f {
		if i > 0 {
			b = append(b, ',')
		}
		b = figure(b, x)
	}
	return append(b, ']'), nil
}

// MarshalJSON writes one flat list: from, to and bytes of each pair.
func (t Traffic) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, f := range t {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendInt(b, int64(f.From), 10), ',')
		b = append(strconv.AppendInt(b, int64(f.To), 10), ',')
		b = figure(b, f.Bytes)
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads the list.
func (t *Traffic) UnmarshalJSON(b []byte) error {
	var list []float64
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list)%3 != 0 {
		return fmt.Errorf("traffic has %d numbers, expected three per pair", len(list))
	}
	*t = make(Traffic, 0, len(list)/3)
	for ; len(list) > 0; list = list[3:] {
		f := Flow{From: int(list[0]), To: int(list[1]), Bytes: list[2]}
		if float64(f.From) != list[0] || float64(f.To) != list[1] {
			return fmt.Errorf("traffic is from process %g to %g, expected whole numbers", list[0], list[1])
		}
		*t = append(*t, f)
	}
	return nil
}

// check returns an error if a value would mislead or crash a reader. It gives the input and the
// expected input.
func (p *Profile) check() error {
	for _, next := range []func() error{p.Key.check, p.checkRun, p.checkHosts, p.checkMapping, p.checkLoads} {
		if err := next(); err != nil {
			return err
		}
	}
	return nil
}

func (k Key) check() error {
	if k.Procs < 1 || k.Procs > MostProcs {
		return fmt.Errorf("procs is %d, expected 1 to %d", k.Procs, MostProcs)
	}
	if k.Program == "" {
		return fmt.Errorf(`program is "", expected a name`)
	}
	return texts("program", k.Program, "build", k.Build)
}

// texts returns an error for a value with control characters. Names and values alternate.
func texts(pairs ...string) error {
	for i := 1; i < len(pairs); i += 2 {
		if !utf8.ValidString(pairs[i]) || strings.ContainsFunc(pairs[i], unicode.IsControl) {
			return fmt.Errorf("%s is %q, expected text", pairs[i-1], pairs[i])
		}
	}
	return nil
}

// within returns an error for a figure out of a range.
func within(name string, x, least, most float64) error {
	if !(x >= least && x <= most) {
		return fmt.Errorf("%s is %g, expected %g to %g", name, x, least, most)
	}
	return nil
}

// The largest figures that a run can have.
const (
	mostSeconds = 1e9
	mostSteps   = 1 << 40
	mostBytes   = 1 << 50
)

func (p *Profile) checkRun() error {
	if p.Written.Year() < 1970 {
		return fmt.Errorf("written is %v, expected a time since 1970", p.Written.Format(time.RFC3339))
	}
	for _, x := range []struct {
		name            string
		is, least, most float64
	}{
		{"seconds", p.Seconds, 0, mostSeconds}, {"supersteps", float64(p.Supersteps), 1, mostSteps},
		{"step", p.Step, 0, mostSeconds}, {"rate", p.Rate, 0, 1e15},
	} {
		if err := within(x.name, x.is, x.least, x.most); err != nil {
			return err
		}
	}
	return nil
}

func (p *Profile) checkHosts() error {
	if len(p.Hosts) < 1 || len(p.Hosts) > mostHosts {
		return fmt.Errorf("hosts are %d, expected 1 to %d", len(p.Hosts), mostHosts)
	}
	for _, h := range p.Hosts {
		if err := texts("host", h.Name, "set", h.Set); err != nil {
			return err
		}
		for _, x := range []struct {
			name            string
			is, least, most float64
		}{{"speed", h.Speed, 1e-6, 1e6}, {"share", h.Share, 1e-6, 1}, {"cores", h.Cores, 0, 1e6}, {"line", h.Line, 0, 1}} {
			if err := within(x.name+" of host "+h.Name, x.is, x.least, x.most); err != nil {
				return err
			}
		}
	}
	for _, l := range p.Links {
		if l.From < 0 || l.From >= len(p.Hosts) || l.To < 0 || l.To >= len(p.Hosts) || l.From == l.To {
			return fmt.Errorf("a link is from host %d to %d, expected two of 0 to %d", l.From, l.To, len(p.Hosts)-1)
		}
		if err := within("latency", l.Latency, math.SmallestNonzeroFloat64, mostSeconds); err != nil {
			return err
		}
		if err := within("per_byte", l.PerByte, 0, 1); err != nil {
			return err
		}
	}
	return nil
}

func (p *Profile) checkMapping() error {
	for rank, host := range p.Ranks {
		if host < 0 || host >= len(p.Hosts) {
			return fmt.Errorf("rank %d is on host %d, expected 0 to %d", rank, host, len(p.Hosts)-1)
		}
	}
	if len(p.Mapping) != p.Key.Procs {
		return fmt.Errorf("mapping has %d processes, expected %d", len(p.Mapping), p.Key.Procs)
	}
	for pid, rank := range p.Mapping {
		if rank < 0 || rank >= len(p.Ranks) {
			return fmt.Errorf("process %d is on rank %d, expected 0 to %d", pid, rank, len(p.Ranks)-1)
		}
	}
	if len(p.States) != 0 && len(p.States) != p.Key.Procs {
		return fmt.Errorf("states are of %d processes, expected %d", len(p.States), p.Key.Procs)
	}
	for pid, bytes := range p.States {
		if err := within(fmt.Sprintf("the state of process %d", pid), float64(bytes), 0, mostBytes); err != nil {
			return err
		}
	}
	return nil
}

func (p *Profile) checkLoads() error {
	flows := 0
	if len(p.Classes) > MostClasses {
		return fmt.Errorf("classes are %d, expected at most %d", len(p.Classes), MostClasses)
	}
	for i := range p.Classes {
		c := &p.Classes[i]
		if err := c.check(p.Key.Procs); err != nil {
			return fmt.Errorf("class %d: %w", i, err)
		}
		flows += len(c.Traffic)
	}
	if flows > MostFlows {
		return fmt.Errorf("traffic has %d pairs, expected at most %d", flows, MostFlows)
	}
	return nil
}

func (c *Class) check(procs int) error {
	if len(c.Work) != procs {
		return fmt.Errorf("work is of %d processes, expected %d", len(c.Work), procs)
	}
	if err := texts("site", c.Site); err != nil {
		return err
	}
	if c.Recorded < 0 || c.Recorded > c.Supersteps {
		return fmt.Errorf("recorded is %d, expected 0 to %d", c.Recorded, c.Supersteps)
	}
	if err := within("supersteps", float64(c.Supersteps), 1, mostSteps); err != nil {
		return err
	}
	for pid, work := range c.Work {
		if err := within(fmt.Sprintf("the work of process %d", pid), work, 0, mostSeconds); err != nil {
			return err
		}
	}
	for _, f := range c.Traffic {
		if f.From < 0 || f.From >= procs || f.To < 0 || f.To >= procs || f.From == f.To {
			return fmt.Errorf("traffic is from process %d to %d, expected two of 0 to %d", f.From, f.To, procs-1)
		}
		if err := within("traffic", f.Bytes, 0, mostBytes); err != nil {
			return err
		}
	}
	return nil
}
