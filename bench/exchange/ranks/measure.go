//go:build mpi && cgo

package main

/*
#cgo linux CFLAGS: -O2
#cgo linux,amd64 CFLAGS: -I/usr/lib/x86_64-linux-gnu/openmpi/include -I/usr/include/openmpi-x86_64
#cgo linux,arm64 CFLAGS: -I/usr/lib/aarch64-linux-gnu/openmpi/include -I/usr/include/openmpi-aarch64
#cgo linux,amd64 LDFLAGS: -L/usr/lib/x86_64-linux-gnu/openmpi/lib -L/usr/lib64/openmpi/lib -lmpi
#cgo linux,arm64 LDFLAGS: -L/usr/lib/aarch64-linux-gnu/openmpi/lib -L/usr/lib64/openmpi/lib -lmpi
#include "byhand.h"
*/
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bench/exchange/ranks/report"
	"github.com/migbsp/migbsp/bench/exchange/traffic"
	"github.com/migbsp/migbsp/mpi"
)

// run measures with all ranks, and prints on rank 0.
func (s *settings) run() error {
	runtime.LockOSThread()
	c, err := mpi.Open(0)
	if err != nil {
		return err
	}
	if c == nil {
		return errors.New("this is for several ranks, under mpirun")
	}
	r := &ranks{settings: s, comm: c, lane: c.Lane(0)}
	if err := r.measure(); err != nil {
		return err
	}
	if c.Rank() == 0 {
		if err := json.NewEncoder(os.Stdout).Encode(r.found); err != nil {
			return err
		}
	}
	return c.Close()
}

// ranks is this rank's part in measuring.
type ranks struct {
	*settings
	comm  mpi.Comm
	lane  *mpi.Lane
	shape traffic.Shape
	found report.Report
}

// superstep is what is measured: times of it one after the other.
type superstep struct {
	name string
	do   func(times int) error
}

func (r *ranks) measure() error {
	nodes := 0
	for rank := range r.comm.Size() {
		nodes = max(nodes, r.comm.Node(rank)+1)
	}
	r.shape = traffic.Shape{Nodes: nodes, Ranks: r.comm.Size() / nodes}
	r.found = report.Report{Engine: r.comm.Engine(), Shape: r.shape, Times: make(map[string][]float64)}
	if r.shape.Size() != r.comm.Size() {
		return fmt.Errorf("the nodes have different numbers of ranks: %d on %d", r.comm.Size(), nodes)
	}
	if r.comm.Size() == 2 {
		var got C.loggp
		if err := failed(C.byhand_loggp(C.int(r.comm.Rank()), &got)); err != nil {
			return err
		}
		r.found.Message = report.Message{
			RoundTrip: float64(got.round_trip), Send: float64(got.send), Receive: float64(got.receive), Gap: float64(got.gap),
			PerByte: float64(got.per_byte), Copying: float64(got.copying),
			Byte: float64(got.send_long-got.send+got.receive_long-got.receive) / 2 / C.MEDIUM,
		}
	}
	all := r.supersteps()
	times := make([]int, len(all))
	for i, s := range all {
		n, err := r.enough(s)
		if err != nil {
			return err
		}
		times[i] = n
	}
	for range r.rounds {
		for i, s := range all {
			took, err := r.once(s, times[i])
			if err != nil {
				return err
			}
			r.found.Times[s.name] = append(r.found.Times[s.name], took)
		}
	}
	return nil
}

// supersteps are all that are measured, ours and by hand.
func (r *ranks) supersteps() []superstep {
	ours := func(p traffic.Pattern, bytes int) func(int) error {
		partners := r.shape.Partners(p, r.comm.Rank())
		return func(times int) error {
			for range times {
				for _, to := range partners {
					out := &r.lane.Out[to]
					out.Grow(bytes)
					out.Bytes = out.Bytes[:len(out.Bytes)+bytes]
				}
				if _, err := r.comm.Exchange(r.lane, 0); err != nil {
					return err
				}
			}
			return nil
		}
	}
	byHand := func(p traffic.Pattern, bytes int, barrier int) func(int) error {
		var partners []C.int
		for _, to := range r.shape.Partners(p, r.comm.Rank()) {
			partners = append(partners, C.int(to))
		}
		return func(times int) error {
			return failed(C.byhand_neighbours(C.int(times), C.int(barrier), C.int(len(partners)), unsafe.SliceData(partners), C.int(bytes)))
		}
	}
	return []superstep{
		{report.Empty, ours(traffic.Empty, 0)},
		{report.Barrier, func(times int) error { return failed(C.byhand_barriers(C.int(times))) }},
		{report.Halo, ours(traffic.Halo, r.halo)},
		{report.HaloByHand, byHand(traffic.Halo, r.halo, 0)},
		{report.HaloAndBarrier, byHand(traffic.Halo, r.halo, 1)},
		{report.AllToAll, ours(traffic.AllToAll, r.all)},
		{report.AllToAllByHand, byHand(traffic.AllToAll, r.all, 0)},
		{report.Turn, func(times int) error { return failed(C.byhand_turns(C.int(times))) }},
	}
}

// enough is how many of a superstep take about as long as -each says; the same on all ranks.
func (r *ranks) enough(s superstep) (int, error) {
	if _, err := r.once(s, 3); err != nil {
		return 0, err
	}
	took, err := r.once(s, 3)
	n := []int64{int64(float64(r.each.Microseconds()) / max(took, 0.01))}
	if err == nil {
		err = r.comm.Combine(mpi.Min, n)
	}
	return int(min(max(n[0], 3), 100_000)), err
}

// once is how long one of several takes, in microseconds, from when all have begun until the
// last one has ended.
func (r *ranks) once(s superstep, times int) (float64, error) {
	if _, err := r.comm.Exchange(r.lane, 0); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := s.do(times); err != nil {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	took := []int64{time.Since(start).Nanoseconds()}
	err := r.comm.Combine(mpi.Max, took)
	return float64(took[0]) / 1000 / float64(times), err
}

func failed(code C.int) error {
	if code != 0 {
		return fmt.Errorf("MPI has failed with code %d", code)
	}
	return nil
}
