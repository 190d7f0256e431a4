package survey

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Plan has the parameters of a survey. Rank 0's count, except Tolerance.
type Plan struct {
	Watch time.Duration // time of watching load and network
	Links time.Duration // approximate time of measuring links; 0: they are not measured
	// Tolerance is the maximum delay of a rank with an answer.
	Tolerance time.Duration
	// Group puts the ranks into Sets. Only rank 0 calls it.
	Group func([]hostfile.Task) (*hostfile.Grouping, error)
}

// ErrElsewhere is the error of the other ranks if Group has failed on rank 0.
var ErrElsewhere = errors.New("rank 0 has said what is wrong")

// Take measures on all ranks of a run, and returns the result on rank 0; on the others it is nil.
// All ranks call it. They first wait without computing, for Plan.Watch, so that the load of other
// programs shows; then all compute at the same time for about a quarter of a second, so that ranks
// that share a core show; then messages go over the links.
//
// Survey.Missing names figures that single ranks cannot find. Errors: the error of Group,
// ErrElsewhere, a *probe.SilentError on a rank that has waited too long for another, the error of
// ctx, or of the Comm. After the last three only Abort of the Comm may be called, and a goroutine
// that waits for others may be left behind.
func Take(ctx context.Context, comm mpi.Comm, plan Plan) (*Survey, error) {
	s := &surveyor{ctx: ctx, comm: comm, plan: plan}
	var survey *Survey
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		survey, failure = s.run()
	}()
	if err := s.watchdog.Watch(ctx, done); err != nil {
		return nil, err
	}
	return survey, failure
}

// surveyor is one rank's part in a survey.
type surveyor struct {
	ctx      context.Context
	comm     mpi.Comm
	plan     Plan
	watchdog probe.Watchdog
}

// presence is the first message of a rank, with its host and addresses.
type presence struct {
	hostfile.Task
	Addresses []string
}

// orders are sent by rank 0 to all others.
type orders struct {
	Refused   bool
	Watch     time.Duration
	Links     time.Duration
	Hosts     []string // by rank
	Place     []int    // host by rank
	Sets      []int    // by rank
	Managers  []int    // rank by Set
	Toward    []string // by host, the destination of its route; "": none
	Addresses [][]string
}

// run makes this rank's part of the survey.
func (s *surveyor) run() (*Survey, error) {
	me := presence{Task: probe.ThisTask(), Addresses: ownAddresses()}
	all, err := gather(s, me, "name its host", s.plan.Tolerance)
	if err != nil {
		return nil, err
	}
	var o orders
	var grouping *hostfile.Grouping
	var refusal error
	if s.comm.Rank() == 0 {
		o, grouping, refusal = s.ordersFor(all)
	}
	if err := broadcast(s, &o, "say what to do", 2*s.plan.Tolerance); err != nil {
		return nil, err
	}
	switch {
	case refusal != nil:
		return nil, refusal
	case o.Refused:
		return nil, ErrElsewhere
	}
	s.watchdog.Introduce(o.Hosts)
	found, err := s.measure(&o)
	if err != nil {
		return nil, err
	}
	everything, err := gather(s, found, "say what it has measured", s.plan.Tolerance+computing)
	if err != nil {
		return nil, err
	}
	ways, err := s.links(&o)
	if err != nil || s.comm.Rank() != 0 {
		return nil, err
	}
	return newSurvey(s.comm.Engine().Text, grouping, &o, everything, ways), nil
}

// ordersFor makes rank 0's orders for all ranks.
func (s *surveyor) ordersFor(all []presence) (orders, *hostfile.Grouping, error) {
	s.watchdog.Work()
	tasks := make([]hostfile.Task, len(all))
	for rank, p := range all {
		tasks[rank] = p.Task
	}
	g, err := s.plan.Group(tasks)
	if err != nil {
		return orders{Refused: true}, nil, err
	}
	o := orders{Watch: s.plan.Watch, Links: s.plan.Links, Place: g.Place, Managers: g.Managers}
	for rank, place := range g.Place {
		o.Hosts = append(o.Hosts, tasks[rank].Host)
		o.Sets = append(o.Sets, g.File.Hosts[place].Set)
	}
	o.Toward, o.Addresses = destinations(g, all)
	return o, g, nil
}

// destinations returns, by host, the destination of its route and that host's addresses: the
// manager of the next Set, or the next host if the run has a single Set.
func destinations(g *hostfile.Grouping, all []presence) (toward []string, addresses [][]string) {
	first := make([]int, len(g.File.Hosts)) // rank by host
	for rank := len(g.Place) - 1; rank >= 0; rank-- {
		first[g.Place[rank]] = rank
	}
	toward, addresses = make([]string, len(first)), make([][]string, len(first))
	for host, h := range g.File.Hosts {
		to := first[(host+1)%len(first)]
		if sets := len(g.Managers); sets > 1 {
			to = g.Managers[(h.Set+1)%sets]
		}
		if g.Place[to] != host {
			toward[host], addresses[host] = all[to].Host, all[to].Addresses
		}
	}
	return toward, addresses
}

const (
	// settle is the time for which ranks stay quiet after they have watched: others of the
	// host may begin a little later.
	settle = 20 * time.Millisecond
	// computing is more than it takes to measure speed on a slow core.
	computing = 30 * time.Second
)

// found are the measurements of a rank.
type found struct {
	Machine Machine
	Allowed string
	Route   *Route
}

// measure makes this rank's measurements. The lowest rank of a host also measures the figures that
// belong to the host as a whole.
func (s *surveyor) measure(o *orders) (found, error) {
	l := lookAt(probe.Root())
	var route *Route
	allowed, host := kernel.AllowedCores(l.root), o.Place[s.comm.Rank()]
	l.machine.Name = o.Hosts[s.comm.Rank()]
	leads := slices.Index(o.Place, host) == s.comm.Rank()
	if leads {
		l.machine.Memory = probe.ThisMemory(l.root)
		route = l.route(s.ctx, o.Toward[host], o.Addresses[host])
	}
	quiet := func() { l.load(s.ctx, o.Watch) }
	if err := s.together("look at its files", s.plan.Tolerance+lookUp); err != nil {
		return found{}, err
	}
	s.watchdog.Work()
	if leads {
		l.network(quiet)
	} else {
		quiet()
	}
	time.Sleep(settle)
	if err := s.together("watch load and network", s.plan.Tolerance+o.Watch); err != nil {
		return found{}, err
	}
	s.watchdog.Work()
	l.compute(s.ctx)
	return found{l.machine, allowed, route}, s.ctx.Err()
}

// together waits for all ranks, so that they begin at the same time. Rank 0 asks them one by one,
// and can so report the rank that does not come.
func (s *surveyor) together(task string, limit time.Duration) error {
	if _, err := gather(s, true, task, limit); err != nil {
		return err
	}
	if s.comm.Rank() != 0 {
		s.watchdog.Await(0, "go on after all ranks have come", 2*limit)
	} else {
		s.watchdog.Await(-1, task, limit)
	}
	_, err := s.comm.Exchange(s.comm.Lane(0), 0)
	return err
}

// links measures the links between Sets, if the plan asks for it.
func (s *surveyor) links(o *orders) ([][]probe.Way, error) {
	if o.Links <= 0 || s.comm.Size() < 2 {
		return nil, nil
	}
	meter := probe.NewLinkMeter(s.comm, o.Sets, o.Managers, &s.watchdog, s.plan.Tolerance)
	ways, err := meter.Measure(o.Links)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	return ways, nil
}

// longestValue bounds the bytes that a rank announces: more is a sign that ranks are
// out of step.
const longestValue = 1 << 28

// send sends a value to a rank that receives it.
func (s *surveyor) send(to int, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := mpi.Send(s.comm, to, binary.LittleEndian.AppendUint64(nil, uint64(len(text)))); err != nil {
		return err
	}
	return mpi.Send(s.comm, to, text)
}

// receive waits for a value of a rank, which first has a task, for at most limit.
func (s *surveyor) receive(from int, value any, task string, limit time.Duration) error {
	s.watchdog.Await(from, task, limit)
	length := make([]byte, 8)
	if err := mpi.Recv(s.comm, from, length); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(length)
	if n > longestValue {
		return fmt.Errorf("rank %d announces %d bytes", from, n)
	}
	text := make([]byte, n)
	if err := mpi.Recv(s.comm, from, text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("what rank %d says: %w", from, err)
	}
	return nil
}

// gather sends a value of each rank to rank 0, where it returns them by rank. Rank 0 waits for each
// up to limit, the others longer, so that rank 0 reports the late rank.
func gather[T any](s *surveyor, mine T, task string, limit time.Duration) ([]T, error) {
	if s.comm.Rank() != 0 {
		s.watchdog.Await(0, task, 2*limit)
		return nil, s.send(0, mine)
	}
	all := make([]T, s.comm.Size())
	all[0] = mine
	for rank := 1; rank < len(all); rank++ {
		if err := s.receive(rank, &all[rank], task, limit); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// broadcast gives all ranks rank 0's value.
func broadcast[T any](s *surveyor, value *T, task string, limit time.Duration) error {
	if s.comm.Rank() != 0 {
		return s.receive(0, value, task, limit)
	}
	for rank := 1; rank < s.comm.Size(); rank++ {
		if err := s.send(rank, value); err != nil {
			return err
		}
	}
	return nil
}
