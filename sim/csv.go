package sim

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Table is a workload by figures, as files hold it: see ReadCSV.
type Table struct {
	processes int
	state     []float64
	steps     []Step
	Where     []string // host of each process at first, "" where the file does not say
}

// Processes implements Workload, as do the other exported methods.
func (t *Table) Processes() int        { return t.processes }
func (t *Table) Steps() int            { return len(t.steps) }
func (t *Table) State(pid int) float64 { return t.state[pid] }

func (t *Table) Fill(step int, s *Step) error {
	from := &t.steps[step]
	copy(s.Work, from.Work)
	s.Messages = append(s.Messages, from.Messages...)
	s.Moves = append(s.Moves, from.Moves...)
	s.Over, s.State, s.Site = from.Over, from.State, from.Site
	return nil
}

// ReadCSV reads a workload:
//
//	steps,S                  supersteps (default: to the last one in the file)
//	map,p,host               initial host of process p; a rank may follow, which is not read
//	work,ss,p,flops          its operations in superstep ss
//	msg,ss,src,dst,bytes     a message
//	mig,ss,p,host,bytes      a move after the superstep
//	over,ss,seconds          additional time of the superstep
//	state,p,bytes            bytes copied by a move of the process
//	states,ss,p,bytes        the same for moves after superstep ss, and from then on
//	site,ss,text             source position at which the superstep ends
//
// Processes count from 0, supersteps from 1. Lines may stand in any order; empty ones
// and comments, which begin with #, are skipped. Hosts are looked up in the platform.
func ReadCSV(path string, p *Platform) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseCSV(path, f, p)
}

// Bounds of the numbers in a file, to detect mistakes.
const (
	mostProcesses = 10_000_000
	mostSteps     = 10_000_000
)

// tableReader is a table that is being read.
type tableReader struct {
	table  Table
	name   string
	number int // of the line
	fields []string
	hosts  map[string]int
	given  int // steps
	later  []laterState
	err    error // the first mistake of the line, after which its fields read as 0
}

func parseCSV(name string, r io.Reader, p *Platform) (*Table, error) {
	t := &tableReader{name: name, hosts: make(map[string]int)}
	for i, h := range p.Hosts {
		t.hosts[h.Name] = i
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		t.number++
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		t.fields = fieldsOf(text)
		for i := range t.fields {
			t.fields[i] = strings.TrimSpace(t.fields[i])
		}
		if err := t.line(); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, t.number+1, err)
	}
	return t.whole()
}

// forms maps the first word of a line to the line's format.
var forms = map[string]string{
	"steps": "steps,S", "map": "map,p,host", "work": "work,ss,p,flops", "msg": "msg,ss,src,dst,bytes",
	"mig": "mig,ss,p,host,bytes", "over": "over,ss,seconds", "state": "state,p,bytes",
	"states": "states,ss,p,bytes", "site": "site,ss,text",
}

func (t *tableReader) line() error {
	form, known := forms[t.fields[0]]
	if !known {
		t.wrong(0, "steps, map, work, msg, mig, over, state, states or site")
		return t.err
	}
	if t.fields[0] == "map" && len(t.fields) == 4 { // as runs write it, with the rank
		t.fields = t.fields[:3]
	}
	if len(t.fields) != strings.Count(form, ",")+1 {
		return fmt.Errorf("%s:%d: %d fields; expected %s", t.name, t.number, len(t.fields), form)
	}
	switch t.fields[0] {
	case "steps":
		t.given = t.count(1, mostSteps)
		t.step(t.given)
	case "map":
		pid := t.pid(t.count(1, mostProcesses))
		t.host(2)
		t.table.Where[pid] = t.fields[2]
	case "state":
		pid := t.pid(t.count(1, mostProcesses))
		t.table.state[pid] = t.amount(2)
	case "work":
		s, pid := t.step(t.count(1, mostSteps)), t.pid(t.count(2, mostProcesses))
		s.grow(pid + 1)
		s.Work[pid] += t.amount(3)
	case "msg":
		s, from, to := t.step(t.count(1, mostSteps)), t.pid(t.count(2, mostProcesses)), t.pid(t.count(3, mostProcesses))
		s.Messages = append(s.Messages, Message{From: int32(from), To: int32(to), Bytes: t.amount(4)})
	case "mig":
		s, pid, bytes := t.step(t.count(1, mostSteps)), t.pid(t.count(2, mostProcesses)), t.amount(4)
		s.Moves = append(s.Moves, Move{Pid: pid, Host: t.host(3), Bytes: bytes})
	case "states":
		number, pid := t.count(1, mostSteps), t.pid(t.count(2, mostProcesses))
		t.step(number)
		t.later = append(t.later, laterState{number, pid, t.amount(3)})
	case "site":
		t.step(t.count(1, mostSteps)).Site = t.fields[2]
	case "over":
		t.step(t.count(1, mostSteps)).Over += t.amount(2)
	}
	return t.err
}

// whole checks the table after all lines.
func (t *tableReader) whole() (*Table, error) {
	if t.table.processes == 0 {
		return nil, fmt.Errorf("%s: there are no processes in it", t.name)
	}
	if t.given > 0 && len(t.table.steps) > t.given {
		return nil, fmt.Errorf("%s: superstep %d is mentioned, but there are %d by its line steps", t.name, len(t.table.steps), t.given)
	}
	for i := range t.table.steps {
		t.table.steps[i].grow(t.table.processes)
	}
	t.settle()
	return &t.table, nil
}

// step returns a superstep by its number; 0 is the number of a wrong line.
func (t *tableReader) step(number int) *Step {
	if number == 0 {
		return new(Step)
	}
	if number > len(t.table.steps) {
		t.table.steps = append(t.table.steps, make([]Step, number-len(t.table.steps))...)
	}
	return &t.table.steps[number-1]
}

// pid makes room for a process.
func (t *tableReader) pid(pid int) int {
	if more := pid + 1 - t.table.processes; more > 0 {
		t.table.processes = pid + 1
		t.table.state = append(t.table.state, make([]float64, more)...)
		t.table.Where = append(t.table.Where, make([]string, more)...)
	}
	return pid
}

// grow makes room for the work of a number of processes.
func (s *Step) grow(processes int) {
	if more := processes - len(s.Work); more > 0 {
		s.Work = append(s.Work, make([]float64, more)...)
	}
}

// fieldsOf returns the fields of a line; the text of a site may have commas.
func fieldsOf(text string) []string {
	if strings.HasPrefix(text, "site") {
		return strings.SplitN(text, ",", 3)
	}
	return strings.Split(text, ",")
}

// count returns a whole number: a superstep from 1 on, or a process from 0 on.
func (t *tableReader) count(field, most int) int {
	least := 1
	name := strings.Split(forms[t.fields[0]], ",")[field]
	if name == "p" || name == "src" || name == "dst" {
		least = 0
	}
	n, err := strconv.Atoi(t.fields[field])
	if err != nil || n < least || n > most {
		t.wrong(field, fmt.Sprintf("a whole number from %d to %d", least, most))
		return 0
	}
	return n
}

// amount returns a number from 0 on.
func (t *tableReader) amount(field int) float64 {
	x, err := strconv.ParseFloat(t.fields[field], 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		t.wrong(field, "a number from 0 on")
	}
	return x
}

func (t *tableReader) host(field int) int {
	host, known := t.hosts[t.fields[field]]
	if !known {
		t.wrong(field, "a host of the platform")
	}
	return host
}

// wrong notes a mistake, if it is the line's first.
func (t *tableReader) wrong(field int, expected string) {
	if t.err != nil {
		return
	}
	col := 1
	for _, before := range t.fields[:field] {
		col += len(before) + 1
	}
	t.err = fmt.Errorf("%s:%d:%d: %q: expected %s", t.name, t.number, col, t.fields[field], expected)
}

// laterState is the size of a process's state from a superstep on.
type laterState struct {
	step, pid int
	bytes     float64
}

// settle assigns the states of processes to supersteps. Supersteps without a change in between share
// them.
func (t *tableReader) settle() {
	slices.SortStableFunc(t.later, func(a, b laterState) int { return cmp.Compare(a.step, b.step) })
	now, later := t.table.state, t.later
	for i := range t.table.steps {
		if len(later) > 0 && later[0].step == i+1 {
			now = slices.Clone(now)
		}
		for ; len(later) > 0 && later[0].step == i+1; later = later[1:] {
			now[later[0].pid] = later[0].bytes
		}
		if len(later) < len(t.later) {
			t.table.steps[i].State = now
		}
	}
}

// WriteCSV writes a workload and where its processes are at first, for ReadCSV and
// for other simulators.
func WriteCSV(w io.Writer, load Workload, p *Platform, where []int32) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "steps,%d\n", load.Steps())
	for pid, host := range where {
		fmt.Fprintf(out, "map,%d,%s\n", pid, p.Hosts[host].Name)
	}
	state := make([]float64, load.Processes())
	for pid := range state {
		if state[pid] = load.State(pid); state[pid] > 0 {
			fmt.Fprintf(out, "state,%d,%g\n", pid, state[pid])
		}
	}
	var s Step
	for k := range load.Steps() {
		s.clear(load.Processes())
		if err := load.Fill(k, &s); err != nil {
			return err
		}
		for pid, operations := range s.Work {
			if operations > 0 {
				fmt.Fprintf(out, "work,%d,%d,%g\n", k+1, pid, operations)
			}
		}
		for _, m := range s.Messages {
			fmt.Fprintf(out, "msg,%d,%d,%d,%g\n", k+1, m.From, m.To, m.Bytes)
		}
		for _, m := range s.Moves {
			fmt.Fprintf(out, "mig,%d,%d,%s,%g\n", k+1, m.Pid, p.Hosts[m.Host].Name, m.Bytes)
		}
		for pid := range state {
			if bytes := s.state(load, pid); bytes != state[pid] {
				fmt.Fprintf(out, "states,%d,%d,%g\n", k+1, pid, bytes)
				state[pid] = bytes
			}
		}
		if site := strings.Join(strings.Fields(s.Site), " "); site != "" {
			fmt.Fprintf(out, "site,%d,%s\n", k+1, site)
		}
		if s.Over > 0 {
			fmt.Fprintf(out, "over,%d,%g\n", k+1, s.Over)
		}
	}
	return out.Flush()
}
