package probe

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/mpi"
)

// Plan says what a survey does. That of rank 0 counts, but for Silence.
type Plan struct {
	Watch time.Duration // how long load and network are watched
	Links time.Duration // about how long links are measured; 0: not at all
	// Silence is how long a rank may be late with an answer.
	Silence time.Duration
	// Group says which rank is in which Set. Only rank 0 calls it.
	Group func([]hostfile.Task) (*hostfile.Grouping, error)
}

// ErrElsewhere is what the other ranks get where Group has failed on rank 0.
var ErrElsewhere = errors.New("rank 0 has said what is wrong")

// TakeSurvey measures on all ranks of a run, and brings the result to rank 0; on
// the others it is nil. All ranks call it. They first wait without computing, for
// Plan.Watch, so that what others do shows; then all compute at the same time for
// about a quarter of a second, so that it shows who shares a core; then messages
// go over the links.
//
// What single ranks cannot find out is in Survey.Missing. Errors: what Group
// says, ErrElsewhere, a *SilentError on a rank that has waited too long for
// another, that of ctx, or of the Comm. After these last three the Comm is good
// for Abort only, and a goroutine that waits for others may be left behind.
func TakeSurvey(ctx context.Context, comm mpi.Comm, plan Plan) (*Survey, error) {
	s := &surveyor{ctx: ctx, comm: comm, plan: plan}
	s.vigil.work()
	type outcome struct {
		survey *Survey
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		survey, err := s.run()
		done <- outcome{survey, err}
	}()
	for look := time.Now(); ; {
		gap := time.Since(look) - often
		look = look.Add(gap + often)
		if gap > longGap {
			s.vigil.forgive(gap)
		}
		if err := s.vigil.overdue(); err != nil {
			return nil, err
		}
		select {
		case o := <-done:
			return o.survey, o.err
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(often):
		}
	}
}

const (
	// often is after how long a wait is looked at again.
	often = 50 * time.Millisecond
	// longGap between looks says that this process was stopped meanwhile.
	longGap = time.Second
)

// surveyor is one rank's part in a survey.
type surveyor struct {
	ctx   context.Context
	comm  mpi.Comm
	plan  Plan
	vigil vigil
}

// presence is how a rank introduces itself.
type presence struct {
	hostfile.Task
	Addresses []string
}

// orders are what rank 0 tells the others to do.
type orders struct {
	Refused   bool
	Watch     time.Duration
	Links     time.Duration
	Hosts     []string // by rank
	Place     []int    // host by rank
	Sets      []int    // by rank
	Managers  []int    // rank by Set
	Toward    []string // by host, that to which its route is asked for; "": none
	Addresses [][]string
}

// run does all of it on this rank.
func (s *surveyor) run() (*Survey, error) {
	me := presence{Task: hostfile.Task{Host: hostName(), Topology: os.Getenv("SLURM_TOPOLOGY_ADDR")}, Addresses: ownAddresses()}
	all, err := gather(s, me, "name its host", s.plan.Silence)
	if err != nil {
		return nil, err
	}
	var o orders
	var grouping *hostfile.Grouping
	var refusal error
	if s.comm.Rank() == 0 {
		o, grouping, refusal = s.ordersFor(all)
	}
	if err := tell(s, &o, "say what to do", 2*s.plan.Silence); err != nil {
		return nil, err
	}
	switch {
	case refusal != nil:
		return nil, refusal
	case o.Refused:
		return nil, ErrElsewhere
	}
	s.vigil.introduce(o.Hosts)
	found, err := s.measure(&o)
	if err != nil {
		return nil, err
	}
	everything, err := gather(s, found, "say what it has measured", s.plan.Silence+computing)
	if err != nil {
		return nil, err
	}
	ways, err := s.links(&o)
	if err != nil || s.comm.Rank() != 0 {
		return nil, err
	}
	return newSurvey(s.comm.Engine(), grouping, &o, everything, ways), nil
}

// hostName is this node's name as its users know it.
func hostName() string {
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		return name
	}
	name, _ := os.Hostname()
	return name
}

// ordersFor decides on rank 0 what all do.
func (s *surveyor) ordersFor(all []presence) (orders, *hostfile.Grouping, error) {
	s.vigil.work()
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

// destinations are by host the one to which its route is asked for, and that
// one's addresses: the manager of the next Set, or the next host if there is one
// Set.
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
