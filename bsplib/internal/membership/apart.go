package membership

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
)

// A Part is a group of processes that end a superstep with the same call.
type Part struct {
	Name   string // the collective with its value type and root, or another call
	Digest uint64 // hash of types and operations; differs between collectives of the same name
	Bytes  int    // length of each process's data, if all lengths must be equal

	At    string // line of the first of these processes
	Rank  int    // rank of the first process
	First []int  // lowest pids, at most fewPids
	Count int
}

func (p *Part) same(as *Part) bool {
	return p.Name == as.Name && p.Digest == as.Digest && p.Bytes == as.Bytes
}

// Parts are the groups of all processes.
type Parts []Part

// fewPids is the maximum number of processes of a part that an error names.
const fewPids = 4

// Add adds a part. It merges p with a part that makes the same call.
func (all *Parts) Add(p Part) {
	i := slices.IndexFunc(*all, func(has Part) bool { return has.same(&p) })
	if i < 0 {
		*all = append(*all, p)
		return
	}
	has := &(*all)[i]
	if p.First[0] < has.First[0] {
		has.At, has.Rank = p.At, p.Rank
	}
	has.Count += p.Count
	has.First = append(has.First, p.First...)
	slices.Sort(has.First)
	has.First = has.First[:min(len(has.First), fewPids)]
}

// who returns the processes with a verb, as the subject of a sentence.
func (p *Part) who() string {
	if p.Count == 1 {
		return fmt.Sprintf("process %d is", p.First[0])
	}
	var pids []string
	for _, pid := range p.First {
		pids = append(pids, fmt.Sprint(pid))
	}
	if more := p.Count - len(pids); more > 0 {
		pids = append(pids, fmt.Sprint(more, " more"))
	}
	last := len(pids) - 1
	return fmt.Sprintf("processes %s and %s are", strings.Join(pids[:last], ", "), pids[last])
}

// Apart returns the error for processes that called different collectives, or of which some called
// none. It names the smallest group and compares it with the largest. mine lists the calls of this
// rank's processes.
func (a Agreement) Apart(mine Parts) (*failure.Error, error) {
	ranks, err := control.Allgather(a.Control, &mine)
	if err != nil {
		return nil, err
	}
	var all Parts
	for _, its := range ranks {
		for _, p := range its {
			all.Add(p)
		}
	}
	slices.SortFunc(all, func(p, q Part) int {
		return cmp.Or(cmp.Compare(p.Count, q.Count), cmp.Compare(q.First[0], p.First[0]))
	})
	odd, most := &all[0], &all[len(all)-1]
	e := &failure.Error{Kind: failure.CollectiveMismatch, Pid: odd.First[0], Rank: odd.Rank, Superstep: a.Step, Site: odd.At}
	its, end := most.Name, ""
	switch {
	case odd.Name != most.Name:
	case odd.Digest != most.Digest:
		its = "one of another type or with another operation"
	default:
		e.Kind = failure.OutOfBounds
		odd.Name += fmt.Sprintf(" of %d bytes", odd.Bytes)
		its, end = fmt.Sprintf("one of %d bytes", most.Bytes), "; all processes must give the same length"
	}
	who := "this process is"
	if odd.Count > 1 {
		who = odd.who()
	}
	if len(all) > 2 {
		end += fmt.Sprintf("; there are %d different calls in all", len(all))
	}
	e.Text = fmt.Sprintf("%s in %s, while %s in %s at %s%s", who, odd.Name, most.who(), its, most.At, end)
	return e, nil
}
