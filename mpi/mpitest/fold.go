package mpitest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/migbsp/migbsp/mpi"
)

// fold lets some ranks contribute to folds, in addition to the data of the exchanges, and all ranks
// check the result: with all ranks, and while some are away. It does not test a Comm whose lane has
// no Fold.
func fold(c mpi.Comm) error {
	f := c.Lane(0).Fold
	if f == nil {
		return nil
	}
	f.By = digests
	defer func() { f.By = nil }()
	plan := rand.New(rand.NewPCG(23, uint64(c.Size())))
	all, some := slices.Repeat([]bool{true}, c.Size()), make([]bool, c.Size())
	Need(folds(c, f, plan.Uint64(), all))
	for round := range 6 {
		for r := range some {
			some[r] = plan.IntN(4) > 0
		}
		some[plan.IntN(c.Size())] = true
		seed := plan.Uint64()
		Got(c.Attend(some, nil))
		if some[c.Rank()] {
			if err := folds(c, f, seed, some); err != nil {
				return fmt.Errorf("round %d, with %v: %w", round, some, err)
			}
			Got(c.Attend(nil, nil))
		}
		if err := folds(c, f, seed+1, all); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return nil
}

// folds tests some exchanges among the ranks that are present.
func folds(c mpi.Comm, f *mpi.Fold, seed uint64, present []bool) error {
	at, most := f.At, f.Most
	if most > 0 && !present[at] {
		return fmt.Errorf("rank %d folds, and is away", at)
	}
	for k := range 20 {
		plan := rand.New(rand.NewPCG(seed, uint64(k)))
		given, number := make([][]byte, c.Size()), 0
		for r := range given {
			n := plan.IntN(most + 1)
			if k%4 == 0 {
				n = most
			}
			if plan.IntN(3) > 0 && k%5 > 0 && most > 0 && present[r] {
				given[r], number = Pattern(n, seed+uint64(r)), number+1
			}
		}
		if data := given[c.Rank()]; data != nil {
			f.Head, f.Body = data[:len(data)/3], data[len(data)/3:]
		}
		if k%3 == 0 {
			Need(someExchange(c, 1, seed+uint64(k), present, k))
		}
		Need(someExchange(c, 0, seed+uint64(k), present, k))
		var want []byte
		if number > 0 {
			want = digests(given)
		}
		if got := f.Made; !bytes.Equal(got, want) {
			return fmt.Errorf("exchange %d: %d ranks have given something, folded to %x, want %x", k, number, got, want)
		}
	}
	return nil
}

// digests returns a digest of each rank's contribution, cut to the length of the longest, so that
// the result may be as long as a contribution.
func digests(given [][]byte) []byte {
	var all []byte
	most := 0
	for r, data := range given {
		h := fnv.New64a()
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(r)))
		h.Write(data)
		if data != nil {
			all, most = h.Sum(all), max(most, len(data))
		}
	}
	for len(all) < most {
		all = append(all, all...)
	}
	return all[:most]
}
