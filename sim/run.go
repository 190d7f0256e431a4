package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// Config describes a simulated run.
type Config struct {
	Platform *Platform
	Workload Workload
	Where    []int32 // host of each process at first
	Barrier  Barrier
	Balance  rebalancer.Spec
}

// Report contains functions that Run calls after each superstep and each rescheduling call, in order.
// They may be nil.
type Report struct {
	Step func(*StepRecord)
	Call func(*CallRecord)
}

// StepRecord is one superstep. Times are in seconds. It is valid until the next one.
type StepRecord struct {
	Number  int     // from 1
	At      float64 // when it began
	Total   float64 // of Compute, Comm and Barrier
	Compute float64 // until the last process had computed
	Comm    float64 // from then until the last message had arrived
	Barrier float64
	Work    []float64 // seconds of each host's cores
	Step    *Step
}

// CallRecord is one rescheduling call.
type CallRecord struct {
	Decision    rebalancer.Decision
	At          float64
	Took, Moved float64 // seconds to decide, and to move
	Deciding    float64 // part of Deciding during which managers compute
	Messages    int
	Bytes       float64 // of these messages
	// Of the messages, the largest number, and bytes, of one host: a manager of a Set.
	BusiestMessages int
	BusiestBytes    float64
}

// Result sums up a simulated run. Times are in seconds.
type Result struct {
	Time     float64
	Deciding float64 // part of Time
	Moving   float64 // part of Time
	Calls    int
	Moves    int
	Where    []int32 // of each process in the end
}

// Run simulates a run of the workload. Times are seconds of the platform; the same
// configuration gives the same results, bit for bit.
func Run(ctx context.Context, c *Config, report Report) (*Result, error) {
	s := &simulation{
		Config: c, report: report, m: newMachine(c.Platform, slices.Clone(c.Where), c.Barrier),
		record: StepRecord{Work: make([]float64, len(c.Platform.Hosts))},
	}
	if n := c.Workload.Processes(); n != len(c.Where) {
		return nil, fmt.Errorf("the workload has %d processes, %d are placed", n, len(c.Where))
	}
	if !c.Balance.Off() {
		platform, err := c.Platform.Seen(c.Barrier)
		if err != nil {
			return nil, err
		}
		s.balance = newBalance(platform, c)
	}
	for k := range c.Workload.Steps() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.superstep(k); err != nil {
			return nil, fmt.Errorf("superstep %d: %w", k+1, err)
		}
	}
	s.result.Time, s.result.Where = s.m.now, s.m.where
	return &s.result, nil
}

// simulation is the state of a run.
type simulation struct {
	*Config
	report  Report
	m       *machine
	step    Step
	record  StepRecord
	balance *balance
	result  Result
}

func (s *simulation) superstep(k int) error {
	s.step.clear(s.Workload.Processes())
	if err := s.Workload.Fill(k, &s.step); err != nil {
		return err
	}
	for pid, work := range s.step.Work {
		if !(work >= 0) || math.IsInf(work, 0) {
			return fmt.Errorf("process %d computes %g operations; expected a number from 0 on", pid, work)
		}
	}
	r := &s.record
	r.Number, r.At, r.Step = k+1, s.m.now, &s.step
	if s.balance != nil {
		s.vote(k + 1)
	}
	t, err := s.m.superstep(&s.step)
	if err != nil {
		return err
	}
	r.Total, r.Compute, r.Comm, r.Barrier = t.total, t.compute, t.comm, t.barrier
	if s.report.Step != nil {
		s.m.works(r.Work)
		s.report.Step(r)
	}
	if len(s.step.Moves) > 0 {
		if s.balance != nil {
			return errors.New("the workload moves processes itself; expected one that leaves that to rescheduling, or a run without it")
		}
		took, err := s.m.move(s.step.Moves)
		if err != nil {
			return err
		}
		s.result.Moving += took
		s.result.Moves += len(s.step.Moves)
	}
	if s.balance != nil {
		return s.reschedule(k + 1)
	}
	return nil
}

// works fills in the seconds that each host's cores would take for its jobs at full share.
func (m *machine) works(all []float64) {
	clear(all)
	for _, host := range m.busy {
		h := &m.p.Hosts[host]
		for _, j := range m.jobs[host] {
			all[host] += j.work / h.Speed
		}
	}
}
