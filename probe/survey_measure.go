package probe

import (
	"context"
	"fmt"
	"slices"
	"time"
)

const (
	// settle is how long ranks stay quiet after they have watched: others of the
	// host may look a little later.
	settle = 20 * time.Millisecond
	// lookUp bounds the search for the address of a host.
	lookUp = 2 * time.Second
	// computing is more than it takes to measure speed on a slow core.
	computing = 30 * time.Second
	// gracePeriod lets the ranks that know whom they wait for speak first.
	gracePeriod = 2 * time.Second
)

// found is what a rank has measured.
type found struct {
	Machine Machine
	Allowed string
	Route   *Route
}

// measure does this rank's part. The lowest rank of a host looks at what belongs
// to the host as a whole.
func (s *surveyor) measure(o *orders) (found, error) {
	root := Root()
	f := found{Machine: machineOf(root), Allowed: allowedList(root)}
	m, host := &f.Machine, o.Place[s.comm.Rank()]
	m.Name = o.Hosts[s.comm.Rank()]
	leads := slices.Index(o.Place, host) == s.comm.Rank()
	if leads {
		m.Memory = ThisMemory(root)
		f.Route = m.routeTo(s.ctx, o.Toward[host], o.Addresses[host])
	}
	quiet := func() { m.watchLoad(s.ctx, root, o.Watch) }
	if err := s.together("look at its files", s.plan.Silence+lookUp); err != nil {
		return f, err
	}
	s.vigil.work()
	if leads {
		m.watchNetwork(root, quiet)
	} else {
		quiet()
	}
	time.Sleep(settle)
	if err := s.together("watch load and network", s.plan.Silence+o.Watch); err != nil {
		return f, err
	}
	s.vigil.work()
	m.compute(s.ctx, root)
	return f, s.ctx.Err()
}

// together waits for all ranks, so that they begin at the same time. Rank 0 asks
// one by one, and knows who does not come.
func (s *surveyor) together(what string, limit time.Duration) error {
	if _, err := gather(s, true, what, limit); err != nil {
		return err
	}
	if s.comm.Rank() != 0 {
		s.vigil.await(0, "go on after all ranks have come", 2*limit)
	} else {
		s.vigil.await(-1, what, limit+gracePeriod)
	}
	_, err := s.comm.Exchange(s.comm.Lane(0), 0)
	return err
}

// routeTo asks for the route to a host, if there is one to ask for.
func (m *Machine) routeTo(ctx context.Context, host string, told []string) *Route {
	if host == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookUp)
	defer cancel()
	what := "route to " + host
	to, err := addressOf(ctx, host, told)
	if err != nil {
		m.note(what, err)
		return nil
	}
	route, err := RouteTo(to)
	m.note(what, err)
	if route.Interface == "" {
		return nil
	}
	route.Host = host
	return &route
}

// links measures the ways between Sets, if that is asked for.
func (s *surveyor) links(o *orders) ([][]Way, error) {
	if o.Links <= 0 || s.comm.Size() < 2 {
		return nil, nil
	}
	meter := NewLinkMeter(s.comm, o.Sets, o.Managers)
	stop := make(chan struct{})
	defer close(stop)
	rounds := len(meter.rounds)
	go s.followPartners(meter, rounds, 2*o.Links/time.Duration(rounds)+s.plan.Silence, stop)
	ways, err := meter.Measure(o.Links)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	return ways, nil
}

// followPartners waits anew each time the meter goes on to another rank. A rank
// without one waits for all rounds of the others.
func (s *surveyor) followPartners(meter *LinkMeter, rounds int, limit time.Duration, stop <-chan struct{}) {
	tick := time.NewTicker(often / 10)
	defer tick.Stop()
	last := -2
	for {
		if now := meter.Partner(); now != last {
			last = now
			if now >= 0 {
				s.vigil.await(now, "measure their link", limit)
			} else {
				s.vigil.await(-1, "measure links", time.Duration(rounds)*limit+gracePeriod)
			}
		}
		select {
		case <-stop:
			return
		case <-tick.C:
		}
	}
}
