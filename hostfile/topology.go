package hostfile

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// maxSwitches is far more than clusters have.
const maxSwitches = 1 << 13

// ParseTopology reads Sets from a topology.conf of Slurm:
//
//	SwitchName=siteA Nodes=alpha[01-03]
//	SwitchName=siteB Nodes=beta[1-2]
//	SwitchName=wan Switches=siteA,siteB
//
// A switch that has nodes is a Set, unless an upper level groups it: from the top down, the
// first level at which there are at least two switches, none with a node of another, gives
// the Sets. So racks r1 and r2 of siteA and r3 of siteB are two Sets. Lines BlockName= with
// Nodes= are Sets too. Keys are the same in upper and lower case; other keys (LinkSpeed=,
// BlockSizes=) are read and left out; a line goes on after a backslash at its end. Each
// host has one slot.
//
// The name is for messages. Errors are Problems, or the reader's own.
func ParseTopology(name string, r io.Reader) (*File, error) {
	p := newParser(name, Rules{SetsOnly: true})
	text, err := p.text(r)
	if err != nil {
		return nil, err
	}
	t := &topology{p: p, byName: map[string]*vertex{}}
	t.records(text)
	t.connect()
	if len(p.errors) > 0 {
		return nil, p.err()
	}
	for _, v := range t.sets() {
		p.enterSet(v.name, v.hosts())
	}
	if len(p.file.Sets) == 0 {
		p.fail(token{line: 1, col: 1}.problem(0, "no switch or block with nodes", "SwitchName=SET Nodes=HOSTS"))
	}
	p.file.dividedBy = "switches of " + filepath.Base(name)
	return p.finish()
}

// topology is the switches of a file.
type topology struct {
	p        *parser
	vertices []*vertex // in the order of the file
	byName   map[string]*vertex
}

// records reads all lines, and joins continued ones.
func (t *topology) records(text string) {
	var record []attribute
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), "#")
		line, continued := strings.CutSuffix(strings.TrimRight(line, blanks), `\`)
		c := &cursor{text: line, line: number}
		for c.blank() && !t.p.stopped {
			a, problem := c.attribute()
			if problem != nil {
				t.p.fail(problem)
				break
			}
			record = append(record, a)
		}
		if !continued {
			t.record(record)
			record = nil
		}
	}
	t.record(record)
}

// record enters a line on a switch or block. Other lines have no part in Sets.
func (t *topology) record(record []attribute) {
	v := &vertex{}
	for _, a := range record {
		switch strings.ToLower(a.key.text) {
		case "switchname", "blockname":
			if v.name.line > 0 {
				t.p.fail(a.key.problem(0, a.key.text+"= again on a line", "a line for each"))
				return
			}
			v.name = a.value
		case "nodes":
			v.nodes = append(v.nodes, t.p.slurmLine(a.value)...)
		case "switches":
			v.named = append(v.named, t.p.slurmLine(a.value)...)
		case "include":
			t.p.fail(a.key.problem(0, "Include=, which is not followed", "lines SwitchName= or BlockName="))
		}
	}
	if v.name.line == 0 {
		if len(v.nodes)+len(v.named) > 0 {
			t.p.fail(record[0].key.problem(0, "nodes or switches of no switch", "SwitchName= or BlockName= on the same line"))
		}
		return
	}
	t.enterVertex(v)
}

// enterVertex makes a switch known by its name.
func (t *topology) enterVertex(v *vertex) {
	key := strings.ToLower(v.name.text)
	other := t.byName[key]
	switch {
	case !t.p.checkSetName(v.name):
	case other != nil:
		t.p.fail(v.name.problem(0, fmt.Sprintf("switch %s, which is on line %d already", v.name.text, other.name.line), "each switch once"))
	case len(t.vertices) == maxSwitches:
		t.p.fail(v.name.problem(0, fmt.Sprintf("more than %d switches", maxSwitches), "fewer"))
		t.p.stopped = true
	default:
		t.byName[key] = v
		t.vertices = append(t.vertices, v)
	}
}
