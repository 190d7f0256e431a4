package driver

import (
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/placement"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file places the processes of a run before its first superstep: package placement decides.

// place decides the initial mapping, and makes the processes of this rank.
func (s *starter) place() *failure.Error {
	r := s.r
	s.origin = placement.Blocks
	if how := s.set.Start.For(s.set.Balance); how != placement.Blocks && !r.Home.Program.Here {
		if err := s.decide(how); err != nil {
			return err
		}
	}
	r.crew.set(r.newProcesses())
	return nil
}

// decision is the initial mapping that rank 0 has decided.
type decision struct {
	Start   placement.Start
	Problem string // of a mapping file
}

// decide has rank 0 decide the initial mapping and all ranks adopt it. Ranks of equal capacity keep
// equal blocks, without an exchange.
func (s *starter) decide(how string) *failure.Error {
	r := s.r
	file := how != placement.Auto && how != placement.Speeds
	if !file {
		if err := s.compareSpeeds(); err != nil {
			return err
		}
		if placement.Even(&r.Cluster.Platform) && !s.hinted(how) {
			return nil
		}
	}
	free, err := s.freeMemory(how)
	if err != nil {
		return err
	}
	var d decision
	if r.Home.Comm.Rank() == 0 {
		d = s.decideAlone(how, free)
		if s.shared != nil && d.Problem == "" {
			s.shared.StartFrom(d.Start.Where)
		}
	}
	if err := control.Broadcast(r.control, 0, &d); err != nil {
		return r.engineError(err)
	}
	if d.Problem != "" {
		e := &failure.Unplaced{Text: d.Problem}
		return r.agree(&failure.Error{Pid: -1, Superstep: r.Now.Step, Text: "the initial mapping: " + e.Text, Err: e}, nil)
	}
	s.adopt(&d.Start)
	return nil
}

// compareSpeeds measures the speeds of ranks on several hosts, unless calibrate has measured them.
func (s *starter) compareSpeeds() *failure.Error {
	r := s.r
	if !s.places.MPI || s.places.Moves || s.places.Share == 0 || !s.severalHosts() {
		return nil
	}
	speeds, err := probe.CompareSpeeds(r.Home.Comm, r.Cluster.Hosts)
	for rank, speed := range speeds {
		r.Cluster.Platform.Ranks[rank].Speed = speed
	}
	return r.engineError(err)
}

// decideAlone decides on rank 0. Programs in other languages have begun process 0 there, unless
// they go on from a checkpoint.
func (s *starter) decideAlone(how string, free []int64) (d decision) {
	r, procs, platform := s.r, len(s.r.Home.Where), s.named()
	switch {
	case s.hinted(how):
		d.Start = placement.ByHints(procs, platform, s.set.Start.Work, s.set.Start.Memory, free)
	case how == placement.Auto || how == placement.Speeds:
		d.Start = placement.BySpeeds(procs, platform)
	default:
		var err error
		if d.Start, err = placement.Read(how, procs, platform); err != nil {
			d.Problem = err.Error()
			return d
		}
	}
	if r.Home.Program.HasFixed() && (s.set.Checkpoint == nil || s.set.Checkpoint.From == nil) {
		d.Start.Anchor()
	}
	return d
}

// hinted reports whether the program's hints decide: the run is on several hosts, and the links
// between them are known.
func (s *starter) hinted(how string) bool {
	known := s.r.Cluster.Links() != "assumed"
	return how == placement.Auto && known && s.set.Start != nil && s.set.Start.Work != nil && s.severalHosts()
}

func (s *starter) severalHosts() bool {
	hosts := s.r.Cluster.Hosts
	return slices.ContainsFunc(hosts, func(host string) bool { return host != hosts[0] })
}

// freeMemory returns the free memory of each rank's host, nil unless hints decide about the hosts of
// this machine.
func (s *starter) freeMemory(how string) ([]int64, *failure.Error) {
	if !s.places.MPI || !s.hinted(how) {
		return nil, nil
	}
	mine := struct{ Free int64 }{probe.AvailableMemory()}
	all, err := control.Allgather(s.r.control, &mine)
	var free []int64
	for _, its := range all {
		free = append(free, its.Free)
	}
	return free, s.r.engineError(err)
}

// named returns the platform with the names of all hosts: decisions about moves need none within one
// process.
func (s *starter) named() *rebalancer.Platform {
	p := s.r.Cluster.Platform
	p.Ranks = slices.Clone(p.Ranks)
	for rank, host := range s.r.Cluster.Hosts {
		p.Ranks[rank].Host = host
	}
	return &p
}

// adopt makes a mapping the rank's, before it has processes.
func (s *starter) adopt(start *placement.Start) {
	r := s.r
	s.origin = start.Why
	for pid, to := range start.Where {
		r.Home.Where[pid] = to
		r.Home.Stream.Out.Moved(pid, int(to))
	}
	r.collective.Moved()
}
