package driver

import (
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/placement"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file maps the processes of a run before its first superstep, as package placement decides.

// place sets the initial mapping, and creates the processes of this rank.
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

// decide lets rank 0 decide the initial mapping for all ranks. Ranks of equal capacity keep equal
// blocks, without an exchange, if no model of the run is available.
func (s *starter) decide(how string) *failure.Error {
	r := s.r
	if how == placement.Auto || how == placement.Speeds {
		if err := s.compareSpeeds(); err != nil {
			return err
		}
		if placement.Even(&r.Cluster.Platform) && !s.modelled(how) {
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
	hosts := r.Cluster.Hosts
	several := slices.ContainsFunc(hosts, func(host string) bool { return host != hosts[0] })
	if !s.places.MPI || s.places.Moves || s.places.Share == 0 || !several {
		return nil
	}
	speeds, err := probe.CompareSpeeds(r.Home.Comm, hosts)
	for rank, speed := range speeds {
		r.Cluster.Platform.Ranks[rank].Speed = speed
	}
	return r.engineError(err)
}

// decideAlone decides on rank 0. Programs in other languages have begun process 0 there, unless they
// resume from a checkpoint.
func (s *starter) decideAlone(how string, free []int64) (d decision) {
	m := placement.Machine{
		Platform: s.named(), Room: placement.Room{Free: free},
		Anchored: s.r.Home.Program.HasFixed() && (s.set.Checkpoint == nil || s.set.Checkpoint.From == nil),
	}
	if s.set.Start != nil {
		m.Room.Needed = s.set.Start.Memory
	}
	procs := len(s.r.Home.Where)
	if how == placement.Auto || how == placement.Speeds {
		d.Start = m.Decide(procs, s.set.Start, s.modelled(how))
		return d
	}
	var err error
	if d.Start, err = m.Read(how, procs); err != nil {
		d.Problem = err.Error()
	}
	return d
}

// modelled reports whether a model of the run decides, by the program's hints or a profile: the run
// is on several hosts, and the links between them are known, or hints of unequal work need no links on
// one host. All ranks return the same result.
func (s *starter) modelled(how string) bool {
	if how != placement.Auto {
		return false
	}
	hinted := s.set.Start != nil && s.set.Start.Work != nil
	hosts := s.r.Cluster.Hosts
	if several := slices.ContainsFunc(hosts, func(host string) bool { return host != hosts[0] }); !several {
		return hinted && len(s.set.Start.Work.Share) > 0
	}
	return s.r.Cluster.Links() != "assumed" && (s.set.Profile != nil || hinted)
}

// freeMemory returns the free memory of each rank's host, nil unless a model decides about the hosts of
// this machine.
func (s *starter) freeMemory(how string) ([]int64, *failure.Error) {
	if !s.places.MPI || !s.modelled(how) {
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

// adopt adopts a mapping, before the rank has processes.
func (s *starter) adopt(start *placement.Start) {
	r := s.r
	s.origin, r.calling.Modelled = start.Why, start.Modelled
	for pid, to := range start.Where {
		r.Home.Where[pid] = to
		r.Home.Stream.Out.Moved(pid, int(to))
	}
	r.collective.Moved()
}
