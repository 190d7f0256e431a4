package hostfile

import (
	"fmt"
	"slices"
	"time"
)

// parser holds the contents of the lines so far.
type parser struct {
	name     string // of the file, in messages
	errors   []Problem
	warnings []Problem
	stopped  bool // reading is over

	rules   Rules
	names   index // of file.Hosts
	file    *File
	details []detail // of file.Hosts
	sets    map[string]int
	section int // Set of the host lines that follow, or -1

	excluded []pattern
	members  []members
	managers map[int]pattern // by Set
	figures  []hostFigures
	links    []linkLine
	ranks    map[int]rankLine

	mentions  int
	barrierAt token // line 0 if not given
}

// detail has the facts of a host that are needed while reading only.
type detail struct {
	counted       bool  // a line has given it slots
	set           token // that puts it into its Set; line 0 if none does
	speed, memory token // that give its own figures; line 0 if none does
	share         token // the same
	gone          bool  // excluded
}

// members are the hosts that a #@set names.
type members struct {
	set      int
	patterns []pattern
}

// hostFigures is a #@host line.
type hostFigures struct {
	patterns []pattern
	speedAt  token // line 0 if not given
	memoryAt token
	speed    float64
	memory   int64
	share    Share
}

// linkLine is a #@link line, of Sets by name.
type linkLine struct {
	from, to token
	given    figures
	rate     float64
	latency  time.Duration
	share    Share
}

// rankLine is a line of a rankfile.
type rankLine struct {
	at   token
	host int
}

func newParser(name string, rules Rules) *parser {
	return &parser{
		name: name, rules: rules, file: &File{Name: name}, names: newIndex(rules.FullNames),
		sets: map[string]int{}, section: -1,
		managers: map[int]pattern{}, ranks: map[int]rankLine{},
	}
}

// each calls visit for all names of a pattern until reading stops.
func (p *parser) each(one pattern, visit func(name string)) {
	if p.mentions += one.count; p.mentions > maxMentions {
		p.fail(one.from.problem(0, fmt.Sprintf("more than %d names of hosts in all", maxMentions), "fewer"))
		p.stopped = true
	}
	for name := range one.names() {
		if p.stopped {
			return
		}
		visit(name)
	}
}

// find returns the host of the file that a name means, or -1 after an error.
func (p *parser) find(name string, at token) int {
	host, others := p.names.lookUp(name)
	switch {
	case len(others) > 0:
		p.failAmbiguous(name, at, others)
		return -1
	case host < 0:
		p.fail(at.problem(0, fmt.Sprintf("host %s, which no line of the file names", quote(name)), "one of its hosts"))
	}
	return host
}

func (p *parser) failAmbiguous(name string, at token, hosts []int) {
	a, b := p.file.Hosts[hosts[0]], p.file.Hosts[hosts[1]]
	p.fail(at.problem(0, fmt.Sprintf("host %s, which may be %s of line %d or %s of line %d", quote(name), a.Name, a.Line, b.Name, b.Line),
		"the name with its domain"))
}

// mention is a host line: its hosts, and their slots and account.
type mention struct {
	pattern  pattern
	user     string
	slots    int   // 1 if the line has none
	counted  bool  // host:n
	limit    int   // max_slots, or 0
	slotsAt  token // attribute slots=, if the line is not 0
	excluded bool
}

// fail adds an error. After the last that is collected, reading stops.
func (p *parser) fail(found *Problem) {
	if p.stopped {
		return
	}
	found.File = p.name
	p.errors = append(p.errors, *found)
	p.stopped = len(p.errors) == maxProblems
}

// warn adds a warning, if there are not too many.
func (p *parser) warn(found *Problem) {
	found.File = p.name
	switch n := len(p.warnings); {
	case n == maxProblems:
		found.Read, found.Expected = "further warnings are left out", ""
		fallthrough
	case n < maxProblems:
		p.warnings = append(p.warnings, *found)
	}
}

// err returns the error of Parse: Problems, or nil.
func (p *parser) err() error {
	if len(p.errors) == 0 {
		return nil
	}
	slices.SortStableFunc(p.errors, byPlace)
	return Problems(p.errors)
}
