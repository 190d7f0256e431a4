package placement

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/untrusted"
	"github.com/migbsp/migbsp/rebalancer"
)

// mapForm is the form of a line of a mapping. migbsp simulate reads and writes lines without the
// rank.
const mapForm = "map,process,host or map,process,host,rank"

// otherLines are the first words of lines of a workload, which a mapping file may contain too: see
// sim.ReadCSV.
var otherLines = []string{"steps", "work", "msg", "mig", "over", "state", "states", "site"}

// Read returns the mapping in a file for processes on the ranks of a platform. The processes of a
// host without ranks are divided into blocks on the ranks of the host.
//
// Errors: the file cannot be read; a line is wrong; a process, host or rank does not exist in this
// run; a process has two lines or none.
func (m *Machine) Read(name string, procs int) (Start, error) {
	f, err := untrusted.Open(name)
	if err != nil {
		return Start{}, err
	}
	defer f.Close()
	r := newReader(name, procs, m.Platform)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		r.number++
		if err := r.line(strings.TrimSpace(lines.Text())); err != nil {
			return Start{}, err
		}
	}
	if err := lines.Err(); err != nil {
		return Start{}, fmt.Errorf("%s:%d: %w", name, r.number+1, err)
	}
	where, err := r.whole()
	return Start{Where: m.anchored(where), Why: "from " + name + ": " + spread(where, m.Platform)}, err
}

// reader is a mapping that is being read.
type reader struct {
	name     string
	number   int // of the line
	platform *rebalancer.Platform
	hosts    map[string][]int32 // ranks by host
	lines    []int              // by process: number of its line, 0 if there is none
	where    []int32            // by process: rank, -1 if the line has only a host
	on       []string           // by process: host
}

func newReader(name string, procs int, p *rebalancer.Platform) *reader {
	r := &reader{
		name: name, platform: p, hosts: make(map[string][]int32),
		lines: make([]int, procs), where: slices.Repeat([]int32{-1}, procs), on: make([]string, procs),
	}
	for rank := range p.Ranks {
		host := p.Ranks[rank].Host
		r.hosts[host] = append(r.hosts[host], int32(rank))
	}
	return r
}

// line reads a line. Lines of a workload that are not of a mapping are skipped.
func (r *reader) line(text string) error {
	if text == "" || strings.HasPrefix(text, "#") {
		return nil
	}
	fields := strings.Split(text, ",")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	switch {
	case slices.Contains(otherLines, fields[0]):
		return nil
	case fields[0] != "map":
		return r.wrong(fields, 0, mapForm)
	case len(fields) != 3 && len(fields) != 4:
		return fmt.Errorf("%s:%d: %d fields; expected %s", r.name, r.number, len(fields), mapForm)
	}
	pid, err := strconv.Atoi(fields[1])
	if err != nil || pid < 0 || pid >= len(r.lines) {
		return r.wrong(fields, 1, fmt.Sprintf("a process of this run, 0 to %d", len(r.lines)-1))
	}
	if before := r.lines[pid]; before > 0 {
		return fmt.Errorf("%s:%d: process %d is in line %d too; expected one line for each process", r.name, r.number, pid, before)
	}
	r.lines[pid], r.on[pid] = r.number, fields[2]
	ranks, known := r.hosts[fields[2]]
	if !known {
		return r.wrong(fields, 2, "a host of this run: "+r.known())
	}
	if len(fields) == 3 {
		return nil
	}
	rank, err := strconv.Atoi(fields[3])
	if err != nil || rank < 0 || rank >= len(r.platform.Ranks) {
		return r.wrong(fields, 3, fmt.Sprintf("a rank from 0 to %d", len(r.platform.Ranks)-1))
	}
	if !slices.Contains(ranks, int32(rank)) {
		return r.wrong(fields, 3, fmt.Sprintf("a rank of %s: %v; rank %d is on %s", fields[2], ranks, rank, r.platform.Ranks[rank].Host))
	}
	r.where[pid] = int32(rank)
	return nil
}

// wrong returns the error of a field.
func (r *reader) wrong(fields []string, field int, expected string) error {
	column := 1
	for _, before := range fields[:field] {
		column += len(before) + 1
	}
	return fmt.Errorf("%s:%d:%d: %q: expected %s", r.name, r.number, column, fields[field], expected)
}

// known names the hosts of the run, as many as a line has room for.
func (r *reader) known() string {
	var names []string
	for rank := range r.platform.Ranks {
		if host := r.platform.Ranks[rank].Host; !slices.Contains(names, host) {
			names = append(names, host)
		}
		if len(names) > fewHosts {
			names[fewHosts] = "..."
			break
		}
	}
	return strings.Join(names, ", ")
}

// whole returns the mapping after all lines.
func (r *reader) whole() ([]int32, error) {
	if pid := slices.Index(r.lines, 0); pid >= 0 {
		return nil, fmt.Errorf("%s: process %d has no line; expected a line %s for each of the %d processes", r.name, pid, mapForm, len(r.lines))
	}
	open := make(map[string][]int)
	for pid, rank := range r.where {
		if rank < 0 {
			open[r.on[pid]] = append(open[r.on[pid]], pid)
		}
	}
	for host, pids := range open {
		for i, at := range hostfile.Blocks(len(pids), len(r.hosts[host])) {
			r.where[pids[i]] = r.hosts[host][at]
		}
	}
	return r.where, nil
}
