package sim

import (
	"cmp"
	"math"
	"sort"
)

// SampleSort is sorting by regular sampling, as [github.com/migbsp/migbsp/apps/sort] does
// it: each process makes its block of the numbers and sorts it, process 0 chooses the
// begins of parts from all samples, each process sends the numbers of other parts, and
// merges the numbers that it receives. Then the list is checked.
//
// The sizes of messages depend on the numbers. If they are in random order, each process is
// assumed to have the same share of each part.
type SampleSort struct {
	Size    int // numbers of a list
	Procs   int
	Lists   int
	Samples int     // of each process
	Sorted  bool    // the numbers are in order already, or all equal
	Flops   float64 // operations for a number in a pass of sorting
}

// Processes implements Workload, as do the other exported methods.
func (l *SampleSort) Processes() int { return l.Procs }
func (l *SampleSort) Steps() int     { return l.Lists * l.period() }

// Supersteps of a list. Then come the checks, two of which are reductions.
const (
	sortMake = iota
	sortSort
	sortSample
	sortSplit
	sortSplitEnd
	sortSend
	sortMerge
	sortCheck
)

func (l *SampleSort) period() int { return sortCheck + 2 + 2 }

// Bytes of a number, of a sample, and of the messages that check a list: about all numbers
// of a process, and about the numbers at its ends.
const (
	sortKey, sortSampleBytes = 8, 24
	sortPrint, sortCheckEnds = 32, 24
)

// The costs for each number, in passes of sorting, about as in the program: to make it, to
// sort it (a pass for each of its bytes and one before), to send it, to merge two lists
// with it, and to check it.
const sortMaking, sortPasses, sortSending, sortMerging, sortLooking = 10, 9, 5, 4, 1

// State returns the bytes of a process's block of the numbers, and where parts begin.
func (l *SampleSort) State(pid int) float64 {
	return sortKey*float64(l.block(pid)) + l.splitters()
}

func (l *SampleSort) splitters() float64 { return sortSampleBytes * float64(l.Procs-1) }

// first returns the first number of a process's block.
func (l *SampleSort) first(pid int) int { return shares(l.Size, l.Procs, pid) }
func (l *SampleSort) block(pid int) int { return share(l.Size, l.Procs, pid) }

// samples returns the number of samples of a process.
func (l *SampleSort) samples(pid int) int { return min(l.Samples, l.block(pid)) }

func (l *SampleSort) Fill(step int, s *Step) error {
	switch step %= l.period(); step {
	case sortMake:
		s.Site = "make"
		l.each(s, sortMaking)
	case sortSort:
		s.Site = "sort"
		l.each(s, sortPasses)
	case sortSample:
		s.Site = "sample"
		s.gather(l.Procs, func(pid int) float64 { return sortSampleBytes * float64(l.samples(pid)) })
	case sortSplit:
		s.Site = "split"
		n := 0.0
		for pid := range l.Procs {
			n += float64(l.samples(pid))
		}
		s.Work[0] = l.Flops * n * math.Log2(max(1, n))
		s.broadcast(l.Procs, l.splitters())
	case sortSplitEnd:
		s.Site = "split"
	case sortSend:
		s.Site = "send"
		l.each(s, sortSending)
		l.send(s)
	case sortMerge:
		s.Site = "merge"
		parts := l.parts()
		for pid := range l.Procs {
			s.Work[pid] = l.Flops * sortMerging * float64(parts[pid+1]-parts[pid]) * math.Ceil(math.Log2(float64(l.Procs)))
		}
	default:
		s.Site = "check"
		l.check(step-sortCheck, s)
	}
	return nil
}

// each adds work with each number of a block, for a number of passes.
func (l *SampleSort) each(s *Step, passes float64) {
	for pid := range l.Procs {
		s.Work[pid] = l.Flops * passes * float64(l.block(pid))
	}
}

// check fills a superstep of checks.
func (l *SampleSort) check(step int, s *Step) {
	reductions := 2
	switch {
	case step < reductions:
		s.allreduce(l.Procs, sortPrint)
	case step == reductions:
		s.allgather(l.Procs, sortCheckEnds)
	}
	if step == 0 || step == reductions+1 {
		l.each(s, sortLooking)
	}
}

// parts returns where the parts of processes begin among the sorted numbers, if samples
// are spread as in a list that is in order already.
func (l *SampleSort) parts() []int {
	before := make([]int, l.Procs+1) // samples of the processes before each
	for pid := range l.Procs {
		before[pid+1] = before[pid] + l.samples(pid)
	}
	all := before[l.Procs]
	parts := make([]int, l.Procs+1)
	for to := 1; to <= l.Procs; to++ {
		parts[to] = l.Size
		if at := (to*all + l.Procs - 1) / l.Procs; at < all {
			pid := sort.SearchInts(before, at+1) - 1
			parts[to] = l.first(pid) + (at-before[pid])*l.block(pid)/l.samples(pid)
		}
	}
	return parts
}

// send sends numbers to the processes in whose parts they are.
func (l *SampleSort) send(s *Step) {
	parts := l.parts()
	for pid := range l.Procs {
		first, end := l.first(pid), l.first(pid+1)
		for to := range l.Procs {
			n := float64(end-first) * float64(parts[to+1]-parts[to]) / float64(max(1, l.Size))
			if l.Sorted {
				n = float64(min(end, parts[to+1]) - max(first, parts[to]))
			}
			s.enqueue(pid, to, sortKey*n)
		}
	}
}

var sortKind = kind{
	name: "sort", about: "sorting by regular sampling, as apps/sort",
	parameters: []parameter{
		{name: "n", value: 1 << 20, least: 0, whole: true, about: "numbers"},
		{name: "p", value: 16, least: 1, whole: true, about: "processes"},
		{name: "lists", value: 1, least: 1, whole: true, about: "to sort, one after another"},
		{name: "samples", least: 0, whole: true, about: "of each process (default: as many as processes)"},
		{name: "sorted", among: noOrYes, about: "1: in order already, or all equal (default: in random order)"},
		{name: "flops", value: 1, least: 0, about: "operations for a number in each of nine passes"},
	},
	make: func(v map[string]float64) (Workload, error) {
		l := &SampleSort{
			Size: int(v["n"]), Procs: int(v["p"]), Lists: int(v["lists"]), Samples: int(v["samples"]), Sorted: v["sorted"] > 0, Flops: v["flops"],
		}
		l.Samples = cmp.Or(l.Samples, l.Procs)
		return l, nil
	},
}
