package main

import (
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// findings are the results of the checks of all lists, for a single process.
type findings struct {
	Before    print // of the current list
	Disorder  int   // numbers that are smaller than one before them
	Changed   int   // lists that have become others
	Largest   int   // of this process's parts
	Oversized int   // parts that are larger than the bound
	Checksum  uint64
}

// print is the same for lists of the same numbers in any order, and hardly for others.
type print struct {
	Count          int
	Sum, Xor, Hash uint64
}

func (p print) plus(q print) print {
	return print{p.Count + q.Count, p.Sum + q.Sum, p.Xor ^ q.Xor, p.Hash + q.Hash}
}

func printOf(keys []uint64) (p print) {
	for _, k := range keys {
		p = p.plus(print{1, k, k, numbers.Mix(k)})
	}
	return p
}

// before records the input, which must be a permutation of the output.
func (f *findings) before(keys []uint64) { f.Before = printOf(keys) }

// ends is the number of keys of a process, and its first and last key.
type ends struct {
	Count       int
	First, Last uint64
}

// check checks the sorted list.
func (s *state) check(b *bsplib.Proc, p parameters) {
	f, keys := &s.Found, s.Keys
	before := bsplib.Allreduce(b, f.Before, print.plus)
	if after := bsplib.Allreduce(b, printOf(keys), print.plus); after != before {
		f.Changed++
	}
	own := ends{Count: len(keys)}
	if len(keys) > 0 {
		own.First, own.Last = keys[0], keys[len(keys)-1]
	}
	place := 0
	for pid, other := range bsplib.Allgather(b, []ends{own}) {
		if other := other[0]; pid < b.Pid() {
			place += other.Count
			if other.Count > 0 && own.Count > 0 && other.Last > own.First {
				f.Disorder++
			}
		}
	}
	for i, k := range keys {
		if i > 0 && k < keys[i-1] {
			f.Disorder++
		}
		f.Checksum += numbers.Mix(k ^ numbers.Mix(uint64(place+i)))
	}
	f.Largest = max(f.Largest, len(keys))
	if float64(len(keys)) > bound(p, b.NProcs())*float64(p.n)/float64(b.NProcs()) {
		f.Oversized++
	}
}

// bound returns the maximum size of a part as a multiple of n/p. At most samples samples lie between
// two splitters. Each is the first of a block of its process; a part may contain these whole blocks,
// and the rest of the block before them.
func bound(p parameters, procs int) float64 {
	if p.n == 0 {
		return 0
	}
	block, samples := 0, 0
	for pid := range procs {
		keys := p.first(pid+1, procs) - p.first(pid, procs)
		if own := min(p.samples, keys); own > 0 {
			block = max(block, (keys+own-1)/own)
			samples += own
		}
	}
	most := ((samples+procs-1)/procs + procs) * block
	return float64(most) * float64(procs) / float64(p.n)
}

// share returns the size of the largest part as a multiple of n/p.
func (f findings) share(p parameters, procs int) float64 {
	if p.n == 0 {
		return 0
	}
	return float64(f.Largest) * float64(procs) / float64(p.n)
}

// all returns the findings of all processes.
func (f findings) all(b *bsplib.Proc) findings {
	return bsplib.Allreduce(b, f, func(f, g findings) findings {
		return findings{
			Disorder: f.Disorder + g.Disorder, Changed: max(f.Changed, g.Changed),
			Largest: max(f.Largest, g.Largest), Oversized: f.Oversized + g.Oversized, Checksum: f.Checksum + g.Checksum,
		}
	})
}
