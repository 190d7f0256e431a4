package rebalancer

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// changing is a run of 1200 processes on four ranks, each with its own controller, next to a controller
// that reports all processes at each call.
type changing struct {
	parts  []*Controller
	step   int
	detail []Detail
}

const changingProcesses = 1200

func newChanging(t *testing.T, strategy string) *changing {
	spec := must.Get(Parse(strategy))(t)
	s := &changing{detail: make([]Detail, changingProcesses)}
	where := make([]int32, changingProcesses)
	for pid := range where {
		where[pid], s.detail[pid] = int32(pid%4), Detail{State: 1000, Request: -1}
	}
	for range 4 {
		s.parts = append(s.parts, New(Uniform(4, Link{Latency: 1e-4, PerByte: 1e-9}), where, spec))
	}
	return s
}

// observe runs supersteps of alternating classes.
func (s *changing) observe(steps, classes int, work func(pid, class int) float64) {
	for range steps {
		class := s.step % classes
		s.step++
		of := make([]Observation, len(s.parts))
		for pid, rank := range s.parts[0].where {
			m := Measure{Pid: pid, Time: work(pid, class), Received: []Traffic{{Pid: (pid + 1) % changingProcesses, Bytes: 100}}}
			of[rank].Processes = append(of[rank].Processes, m)
		}
		for rank, c := range s.parts {
			of[rank].Step, of[rank].Class = s.step, class
			c.Observe(of[rank])
		}
	}
}

// call makes a call on all ranks and adopts the first rank's decision. It returns the decision and the
// reported processes.
func (s *changing) call(t *testing.T) (Decision, []int) {
	t.Helper()
	var reports []Report
	var pids []int
	for rank, c := range s.parts {
		state := RankState{Rank: rank, Available: 1, Free: -1, Steps: 8, Elapsed: 8, Remaining: 1000}
		b, _ := c.Report([]RankState{state}, func(pid int) Detail { return s.detail[pid] }).AppendBinary(nil)
		var r Report
		must.Do(t, r.UnmarshalBinary(b))
		for _, p := range r.Processes {
			pids = append(pids, p.Pid)
		}
		reports = append([]Report{r}, reports...)
	}
	var first []byte
	var d Decision
	for rank, c := range s.parts {
		snapshot := must.Get(c.Merge(s.step, reports...))(t)
		decided := c.Decide(snapshot)
		b, _ := decided.AppendBinary(nil)
		if rank == 0 {
			first, d = b, decided
		} else if !bytes.Equal(b, first) {
			t.Fatalf("rank %d decides differently", rank)
		}
	}
	for _, c := range s.parts {
		c.Adopt(d)
	}
	for _, m := range d.Moves {
		s.parts[m.To].Arrive(m.Pid, s.parts[m.From].Depart(m.Pid))
	}
	slices.Sort(pids)
	return d, pids
}

// Only changed processes are reported, also if calls occur at different positions in the program.
func TestOnlyChangesAreReported(t *testing.T) {
	const still = "percent,moves=0"
	for classes, steps := range []int{1: 20, 2: 81, 3: 61} {
		if classes == 0 {
			continue
		}
		s, heavy := newChanging(t, still), 0.0
		work := func(pid, class int) float64 {
			if pid == 17 {
				return 0.1 + heavy
			}
			return 0.001 * float64(1+pid%7) * float64(class+1)
		}
		s.observe(steps, classes, work)
		if _, pids := s.call(t); len(pids) != changingProcesses {
			t.Fatalf("%d processes are reported at first, want all", len(pids))
		}
		s.observe(steps+1, classes, work)
		s.call(t) // regularities have reached their limits
		s.observe(steps, classes, work)
		if _, pids := s.call(t); len(pids) != 0 {
			t.Errorf("%d classes: %d processes are reported that have not changed: %v", classes, len(pids), pids[:min(9, len(pids))])
		}
		// Each change is below the threshold of a report; their sum is above it.
		reported := 0
		for range 6 {
			heavy += 0.0015
			s.observe(steps, classes, work)
			_, pids := s.call(t)
			if len(pids) > 0 && !slices.Equal(pids, []int{17}) {
				t.Fatalf("%d classes: %d are reported, only process 17 has changed", classes, len(pids))
			}
			reported += len(pids)
		}
		if reported < 2 || reported > 4 {
			t.Errorf("%d classes: process 17 is reported at %d of 6 calls, want every second or third", classes, reported)
		}
		for _, c := range s.parts {
			c.Forget()
		}
		s.observe(steps, classes, work)
		if _, pids := s.call(t); len(pids) != changingProcesses {
			t.Errorf("%d processes are reported to new managers, want all", len(pids))
		}
	}
}

// A process that moved is reported by its new rank, and a process that requests a move immediately.
func TestMovedProcessesAreReported(t *testing.T) {
	s := newChanging(t, "percent,moves=0")
	even := func(pid, _ int) float64 { return 0.001 }
	for range 3 {
		s.observe(40, 1, even)
		s.call(t)
	}
	s.detail[8].Request = 3
	s.observe(40, 1, even)
	d, pids := s.call(t)
	if !slices.Equal(pids, []int{8}) || len(d.Moves) != 1 || d.Moves[0].Pid != 8 || d.Moves[0].To != 3 {
		t.Fatalf("%v are reported and %+v move", pids, d.Moves)
	}
	s.detail[8].Request = -1
	// Process 7 receives its messages from process 8, which is farther away than before.
	for call, want := range [][]int{{7, 8}, nil} {
		s.observe(40, 1, even)
		if _, pids := s.call(t); !slices.Equal(pids, want) {
			t.Errorf("call %d after the move: %v are reported, want %v", call+1, pids, want)
		}
	}
}

// Decisions from changes alone are as good as decisions from complete reports: the resulting loads
// differ by at most the omitted differences.
func TestDecisionsFromChanges(t *testing.T) {
	slowest := func(forget bool) float64 {
		s := newChanging(t, "auto,guard=0")
		random := rand.New(rand.NewPCG(1, 1))
		own := make([]float64, changingProcesses)
		for pid := range own {
			own[pid] = 0.001 * (1 + 3*random.Float64())
		}
		work := func(pid, _ int) float64 { return own[pid] * (1 + 0.005*random.Float64()) }
		for range 4 {
			s.observe(40, 1, work)
			if forget {
				for _, c := range s.parts {
					c.Forget()
				}
			}
			_, pids := s.call(t)
			if forget && len(pids) != changingProcesses {
				t.Fatal("changes alone are reported")
			}
			for pid := 0; pid < changingProcesses; pid += 100 {
				own[pid] *= 1.5
			}
		}
		var loads [4]float64
		for pid, rank := range s.parts[0].where {
			loads[rank] += own[pid]
		}
		return slices.Max(loads[:])
	}
	if whole, changes := slowest(true), slowest(false); changes > 1.01*whole {
		t.Errorf("from changes the slowest rank takes %v, from whole reports %v", changes, whole)
	}
}

// A process without an earlier report must not be omitted.
func TestUnknownProcessesAreMissed(t *testing.T) {
	s := newChanging(t, "percent,moves=0")
	s.observe(8, 1, func(int, int) float64 { return 1 })
	var all []Report
	for rank, c := range s.parts {
		r := c.Report([]RankState{{Rank: rank, Available: 1}}, func(int) Detail { return Detail{Request: -1} })
		r.Processes = slices.DeleteFunc(r.Processes, func(p Process) bool { return p.Pid == 5 })
		all = append(all, r)
	}
	if _, err := s.parts[0].Merge(8, all...); err == nil {
		t.Error("process 5 is missed by nobody")
	}
	all[0].Processes[0].Pid = changingProcesses
	if _, err := s.parts[0].Merge(8, all...); err == nil {
		t.Error("a process that there is not is reported")
	}
}
