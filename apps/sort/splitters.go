package main

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/migbsp/migbsp/bsplib"
)

// sample is a key with its index before the exchange. No two are equal, even if keys are.
type sample struct {
	Key        uint64
	Pid, Index int
}

func (a sample) compare(b sample) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Pid, b.Pid), cmp.Compare(a.Index, b.Index))
}

// split returns the samples that begin the parts of processes 1, 2, ..., the same on all processes.
// keys are sorted.
func split(b *bsplib.Proc, keys []uint64, number int) []sample {
	offered := bsplib.Gather(b, 0, sampled(keys, b.Pid(), number))
	splitters := make([]sample, b.NProcs()-1)
	if b.Pid() == 0 {
		choose(splitters, slices.Concat(offered...))
	}
	bsplib.Broadcast(b, 0, splitters)
	return splitters
}

// sampled returns number samples, or all keys if these are fewer: the first keys of blocks of about
// equal size.
func sampled(keys []uint64, pid, number int) []sample {
	number = min(number, len(keys))
	samples := make([]sample, number)
	for i := range samples {
		at := i * len(keys) / number
		samples[i] = sample{keys[at], pid, at}
	}
	return samples
}

// choose takes splitters at equal distances from the samples; if the samples are too few, the last
// parts are empty.
func choose(splitters, samples []sample) {
	slices.SortFunc(samples, sample.compare)
	parts := len(splitters) + 1
	for i := range splitters {
		if at := ((i+1)*len(samples) + parts - 1) / parts; at < len(samples) {
			splitters[i] = samples[at]
		} else {
			splitters[i] = sample{math.MaxUint64, math.MaxInt, 0}
		}
	}
}

// part returns the index in the sorted keys of process pid where the part of process to begins.
func part(keys []uint64, pid int, splitters []sample, to int) int {
	switch {
	case to == 0:
		return 0
	case to > len(splitters):
		return len(keys)
	}
	return sort.Search(len(keys), func(i int) bool {
		return sample{keys[i], pid, i}.compare(splitters[to-1]) >= 0
	})
}

// send sends each part to its process, its own included.
func (s *state) send(b *bsplib.Proc) {
	for to := range b.NProcs() {
		first, end := part(s.Keys, b.Pid(), s.Splitters, to), part(s.Keys, b.Pid(), s.Splitters, to+1)
		if first < end {
			s.Parts.Send(to, struct{}{}, s.Keys[first:end]...)
		}
	}
}

// receive merges the messages, which are sorted.
func (s *state) receive() {
	var sorted [][]uint64
	for _, keys := range s.Parts.All() {
		sorted = append(sorted, keys)
	}
	s.Keys = merge(sorted)
}
