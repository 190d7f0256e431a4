package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// hostile is a load generated during the run by an adversary that sees the mapping. It
// records the result, so that the same load can run without moves.
type hostile struct {
	sim.Workload // the load without the reaction
	random       *rand.Rand
	react        reaction
	hosts        int
	where        []int32 // of each process, as the rescheduling of the run has it
	home         []int32 // of each process at first
	calls        int     // that moved something
	pick         [2]int  // small numbers, for occasional events
	done         []sim.Step
}

// reaction is a hostile strategy: a factor on the work of a process in a superstep.
type reaction struct {
	name string
	sees bool // it depends on the mapping
	work func(h *hostile, step, pid int) float64
}

// reactions are all of them. The first is none.
var reactions = []reaction{
	{"none", false, func(*hostile, int, int) float64 { return 1 }},
	{"noise", false, func(h *hostile, _, _ int) float64 { return h.random.Float64() }},
	{"rare", false, func(h *hostile, _, _ int) float64 { return 0.1 + 10*math.Floor(h.random.Float64()+0.05) }},
	{"travels", false, func(h *hostile, step, pid int) float64 { return 0.5 + 5*boolean(step%h.Processes() == pid) }},
	{"travels slowly", false, func(h *hostile, step, pid int) float64 { return 0.5 + 5*boolean(step/7%h.Processes() == pid) }},
	{"alternates", false, func(h *hostile, step, pid int) float64 {
		return 0.3 + 3*boolean((step/h.pick[0]%2 == 0) == (h.home[pid]%2 == 0))
	}},
	{"a trap: steady, then the reverse", false, func(h *hostile, step, pid int) float64 {
		return 0.2 + 3*boolean((h.home[pid] == 0) == (step < h.pick[1]))
	}},
	{"ends early", false, func(h *hostile, step, pid int) float64 {
		return (0.2 + 3*boolean(h.home[pid] == 0)) * (0.01 + boolean(step < h.pick[1]))
	}},
	{"follows processes to where most are", true, func(h *hostile, _, pid int) float64 {
		return 0.2 + 3*boolean(int(h.where[pid]) == h.fullest())
	}},
	{"punishes those who moved", true, func(h *hostile, _, pid int) float64 { return 0.5 + 3*boolean(h.where[pid] != h.home[pid]) }},
	{"runs away from those who moved", true, func(h *hostile, _, pid int) float64 { return 0.5 + 3*boolean(h.where[pid] == h.home[pid]) }},
	{"one of each home on a host", true, func(h *hostile, _, pid int) float64 {
		host := h.fullest()
		for other := range pid {
			if int(h.where[other]) == host && h.home[other] == h.home[pid] {
				return 0.1
			}
		}
		return 0.1 + 4*boolean(int(h.where[pid]) == host)
	}},
	{"changes after all moves", true, func(h *hostile, _, pid int) float64 {
		return 0.2 + 3*boolean((pid*7+h.calls*h.pick[1])%h.Processes() < max(1, h.Processes()/4))
	}},
}

// fullest is the host with the most processes that did not begin there.
func (h *hostile) fullest() (host int) {
	guests := make([]int, h.hosts)
	for pid, at := range h.where {
		if at != h.home[pid] {
			guests[at]++
		}
	}
	for i, n := range guests {
		if n > guests[host] {
			host = i
		}
	}
	return host
}

// Fill fills in the workload's step, with the work multiplied by the reaction.
func (h *hostile) Fill(step int, s *sim.Step) error {
	if err := h.Workload.Fill(step, s); err != nil {
		return err
	}
	for pid := range s.Work {
		if s.Work[pid] > 0 {
			s.Work[pid] *= h.react.work(h, step, pid)
		}
	}
	h.done = append(h.done, sim.Step{Work: slices.Clone(s.Work), Messages: slices.Clone(s.Messages), Site: s.Site})
	return nil
}

// moved updates the load's mapping.
func (h *hostile) moved(moves []rebalancer.Move) {
	for _, m := range moves {
		h.where[m.Pid] = int32(m.To)
	}
	if len(moves) > 0 {
		h.calls++
	}
}

// replay is the recorded result of a hostile load.
type replay struct {
	sim.Workload
	done []sim.Step
}

func (r replay) Fill(step int, s *sim.Step) error {
	copy(s.Work, r.done[step].Work)
	s.Messages, s.Site = append(s.Messages, r.done[step].Messages...), r.done[step].Site
	return nil
}
