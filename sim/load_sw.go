package sim

import (
	"cmp"
	"fmt"
	"math"
)

// Alignment is the local alignment of two sequences, as
// [github.com/migbsp/migbsp/apps/sw] computes it: the matrix of scores has a row for each
// letter of the query and a column for each of the target. In superstep k, process i
// computes block k-i of the rows of its columns, and gives the last column to process i+1.
// How the alignment is then found, in a superstep for each process, is left out.
type Alignment struct {
	Query, Target int // letters
	Procs, Blocks int
	Cell          float64 // operations for each cell of the matrix
	First, Last   float64 // operations beside, in the first superstep and in the last
	Message       float64 // bytes of a message beside
	Kept          float64 // bytes of a process's state beside
}

// border is the number of bytes of a cell that is given to others or kept.
const border = 8

// Processes implements Workload, as do the other exported methods.
func (a *Alignment) Processes() int { return a.Procs }
func (a *Alignment) Steps() int     { return a.Blocks + a.Procs - 1 }

// State returns the state at first: the row above the first block, and room for a message.
func (a *Alignment) State(pid int) float64 {
	room := (a.Query-1)/a.Blocks + 1
	return float64(border*(room+share(a.Target, a.Procs, pid))) + a.Message + a.Kept
}

// share returns how many of n belong to a part, shares how many to all parts before it.
func share(n, parts, part int) int   { return shares(n, parts, part+1) - shares(n, parts, part) }
func shares(n, parts, until int) int { return until * n / parts }

// stateAfter returns the state after a number of blocks: the column on the left of all
// blocks, but for process 0, and the row above each block stay.
func (a *Alignment) stateAfter(pid, blocks int) float64 {
	kept := max(0, blocks-1) * share(a.Target, a.Procs, pid)
	if pid > 0 {
		kept += shares(a.Query, a.Blocks, blocks)
	}
	return a.State(pid) + float64(border*kept)
}

func (a *Alignment) Fill(step int, s *Step) error {
	beside := a.First
	if a.Steps() > 1 {
		beside += (a.Last - a.First) * float64(step) / float64(a.Steps()-1)
	}
	s.State = make([]float64, a.Procs)
	for pid := range a.Procs {
		block := step - pid
		s.State[pid] = a.stateAfter(pid, max(0, min(a.Blocks, block+1)))
		if block < 0 || block >= a.Blocks {
			continue
		}
		rows := share(a.Query, a.Blocks, block)
		s.Work[pid] = a.Cell*float64(rows)*float64(share(a.Target, a.Procs, pid)) + beside
		if pid+1 < a.Procs {
			s.Messages = append(s.Messages, Message{From: int32(pid), To: int32(pid + 1), Bytes: float64(border*rows) + a.Message})
		}
	}
	return nil
}

var swKind = kind{
	name: "sw", about: "Smith-Waterman alignment in wavefronts of blocks, as apps/sw",
	parameters: []parameter{
		{name: "p", value: 16, least: 1, whole: true, about: "processes"},
		{name: "n", value: 4000, least: 1, whole: true, about: "letters of the target, of which each process has a part"},
		{name: "m", least: 0, whole: true, about: "letters of the query (default: n)"},
		{name: "blocks", least: 0, whole: true, about: "of the query's letters (default: 4p, at least 64)"},
		{name: "cell", value: 12, least: 0, about: "operations for each pair of letters"},
		{name: "first", least: 0, about: "operations of a process beside, in the first superstep"},
		{name: "last", least: 0, about: "and in the last (default: as in the first)"},
		{name: "message", least: 0, about: "bytes of a message beside"},
		{name: "kept", least: 0, about: "bytes of a process's state beside"},
	},
	make: func(v map[string]float64) (Workload, error) {
		a := &Alignment{
			Query: int(v["m"]), Target: int(v["n"]), Procs: int(v["p"]), Blocks: int(v["blocks"]), Cell: v["cell"],
			First: v["first"], Last: math.Max(v["first"], v["last"]), Message: v["message"], Kept: v["kept"],
		}
		a.Query = cmp.Or(a.Query, a.Target)
		a.Blocks = cmp.Or(a.Blocks, min(a.Query, max(64, 4*a.Procs)))
		if a.Procs > a.Target || a.Blocks > a.Query {
			return nil, fmt.Errorf("%d letters are too few for %d processes, or %d for %d blocks", a.Target, a.Procs, a.Query, a.Blocks)
		}
		return a, nil
	},
}
