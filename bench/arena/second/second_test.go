package second

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// The same seed draws the same case, with the names that Names returns; another seed draws another.
func TestSeedsDecide(t *testing.T) {
	for seed := range uint64(60) {
		first := must.Get(Draw(seed))(t)
		again := must.Get(Draw(seed))(t)
		other := must.Get(Draw(seed + 1))(t)
		if !reflect.DeepEqual(fixed(first), fixed(again)) {
			t.Errorf("seed %d draws another case the next time", seed)
		}
		if reflect.DeepEqual(first.Config.Workload, other.Config.Workload) {
			t.Errorf("seeds %d and %d draw the same load", seed, seed+1)
		}
		if load, platform := Names(seed); load != first.Load || platform != first.Platform {
			t.Errorf("seed %d draws %s on %s, Names returns %s on %s", seed, first.Load, first.Platform, load, platform)
		}
	}
}

// fixed returns a case without the routes of its platform, in which pointers are keys.
func fixed(c *Case) []any {
	all := []any{c.Load, c.Platform, c.Config.Workload, c.Config.Where, c.Config.Barrier, c.Config.Platform.Links}
	for _, h := range c.Config.Platform.Hosts {
		all = append(all, h.Name, h.Speed, h.Declared, h.Cores, h.Set, h.Share)
	}
	return all
}

// Each shape, pattern and family is drawn, and so are small and large figures of all kinds.
func TestRange(t *testing.T) {
	names := make(map[string]bool)
	all := append(Loads(), Platforms()...)
	if unique := slices.Compact(slices.Sorted(slices.Values(all))); len(unique) != len(all) {
		t.Errorf("names are not unique: %v", all)
	}
	found := make(map[string]bool)
	for seed := range uint64(600) {
		c := must.Get(Draw(seed))(t)
		for _, name := range append(strings.Split(c.Load, Separator), c.Platform) {
			names[name] = true
		}
		for name, holds := range extremes(c) {
			found[name] = found[name] || holds
		}
	}
	for _, name := range all {
		if !names[name] {
			t.Errorf("no case has %s", name)
		}
	}
	if len(names) != len(all) {
		t.Errorf("cases have the names %v", names)
	}
	for name, holds := range found {
		if !holds {
			t.Errorf("no case with %s", name)
		}
	}
}

// extremes reports which properties a case has.
func extremes(c *Case) map[string]bool {
	l, p := c.Config.Workload.(*load), c.Config.Platform
	steps, procs, hosts := l.Steps(), float64(len(c.Config.Where)), float64(len(p.Hosts))
	slowest, latest := math.Inf(1), 0.0
	for _, link := range p.Links {
		slowest, latest = min(slowest, link.Rate), max(latest, link.Latency)
	}
	any := func(holds func(h sim.Host) bool) bool { return slices.ContainsFunc(p.Hosts, holds) }
	return map[string]bool{
		"few supersteps":     steps <= 8,
		"many supersteps":    steps >= 3000,
		"one process a host": procs == hosts,
		"crowded hosts":      procs >= 200*hosts,
		"one host":           hosts == 1,
		"forty hosts":        hosts >= 35,
		"states of 1 MB":     slices.Max(l.state) <= 2e6,
		"states of 1 GB":     slices.Max(l.state) >= 9e8,
		"states that grow":   l.growth > 1,
		"slow links":         slowest < 1e7/8,
		"long latencies":     latest > 2e-2,
		"wrong speeds":       any(func(h sim.Host) bool { return h.Declared > 0 && math.Abs(h.Declared/h.Speed-1) > 0.3 }),
		"shares that change": any(func(h sim.Host) bool { return len(h.Share) > 0 }),
		"several classes":    len(l.classes) == 4,
		"many cores":         any(func(h sim.Host) bool { return h.Cores >= 24 }),
	}
}

// All cases are valid, and their cost is limited.
func TestCasesAreValid(t *testing.T) {
	for seed := range uint64(200) {
		c := must.Get(Draw(seed))(t)
		valid(t, seed, c)
	}
}

func valid(t *testing.T, seed uint64, c *Case) {
	w, procs := c.Config.Workload, len(c.Config.Where)
	positive := func(name string, values ...float64) {
		for _, x := range values {
			if !(x > 0) || math.IsInf(x, 0) {
				t.Fatalf("seed %d, %s on %s: %s is %g", seed, c.Load, c.Platform, name, x)
			}
		}
	}
	if w.Processes() != procs || w.Steps() < leastSteps || w.Steps() > 4003 {
		t.Errorf("seed %d: %d processes, %d placed, %d supersteps", seed, w.Processes(), procs, w.Steps())
	}
	for pid, host := range c.Config.Where {
		positive("state", w.State(pid))
		if host < 0 || int(host) >= len(c.Config.Platform.Hosts) {
			t.Fatalf("seed %d: process %d is on host %d", seed, pid, host)
		}
	}
	all, sharing := 0.0, 0.0
	for step := range w.Steps() {
		s := sim.Step{Work: make([]float64, procs)}
		must.Do(t, w.Fill(step, &s))
		for _, x := range s.Work {
			if !(x >= 0) || math.IsInf(x, 0) {
				t.Fatalf("seed %d: work of %g operations", seed, x)
			}
			all += x
		}
		for _, m := range s.Messages {
			positive("a message", m.Bytes)
			if int(m.From) >= procs || int(m.To) >= procs || m.From < 0 || m.To < 0 || m.From == m.To && m.From != 0 {
				t.Fatalf("seed %d: a message from %d to %d", seed, m.From, m.To)
			}
		}
		positive("state", s.State...)
		sharing += float64(len(s.Messages)) * float64(len(s.Messages))
	}
	positive("work", all)
	if steps := w.Steps(); steps > 2*leastSteps && (steps*procs > mostWork || sharing > mostSharing) {
		t.Errorf("seed %d: %d supersteps of %d processes, %g squared messages", seed, steps, procs, sharing)
	}
}

// Cases run to their end, with and without rescheduling, and both compute the same.
func TestCasesRun(t *testing.T) {
	cases := 40
	if testing.Short() {
		cases = 8
	}
	auto := must.Get(rebalancer.Parse("auto"))(t)
	for seed := range uint64(cases) {
		c := must.Get(Draw(seed))(t)
		var sums [2]float64
		for i, balance := range []rebalancer.Spec{{}, auto} {
			c.Config.Balance = balance
			r := must.Get(sim.Run(t.Context(), &c.Config, sim.Report{Step: func(s *sim.StepRecord) {
				for _, w := range s.Step.Work {
					sums[i] += w
				}
			}}))(t)
			if !(r.Time > 0) || math.IsInf(r.Time, 0) || len(r.Where) != len(c.Config.Where) {
				t.Errorf("seed %d with %s: %+v", seed, balance, r)
			}
		}
		if sums[0] != sums[1] {
			t.Errorf("seed %d: %g operations, %g with rescheduling", seed, sums[0], sums[1])
		}
	}
}
