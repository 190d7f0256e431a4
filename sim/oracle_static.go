package sim

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// staticSamples is the number of supersteps that represent all while mappings are compared.
const staticSamples = 48

// BestStatic searches the mapping with the shortest run without moves: it begins with the
// given mappings and with some made for the workload, and changes single processes. The
// result is the best mapping found in the given number of tries, not always the best of
// all, but no worse than the first given one. It returns the mapping and its time.
//
// Mappings are compared by some of the supersteps, drawn at random from equal parts of the
// run, with hosts and links as they are at that time of it. The first mapping and the best
// one are then simulated completely, because samples can miss short phases.
func BestStatic(ctx context.Context, c *Config, starts [][]int32, tries int) ([]int32, float64, error) {
	s, err := newStatic(c)
	if err != nil {
		return nil, 0, err
	}
	starts = append(slices.Clone(starts), s.greedy(nil))
	if c.Barrier != (Barrier{}) {
		for _, district := range newOracle(c.Platform, c.Barrier).districts {
			starts = append(starts, s.greedy(district))
		}
	}
	whole, err := runWith(ctx, c, starts[0])
	if err != nil {
		return nil, 0, err
	}
	s.whole = whole
	best, least := starts[0], math.Inf(1)
	for _, start := range starts {
		if time := s.time(start); time < least {
			best, least = start, time
		}
	}
	if best, err = s.climb(ctx, slices.Clone(best), least, tries); err != nil {
		return nil, 0, err
	}
	time, err := runWith(ctx, c, best)
	if err != nil || time > whole {
		return starts[0], whole, err
	}
	return best, time, nil
}

// BestHost returns the host with the shortest time for all processes together, without moves, and
// that time. Rescheduling should save more, or advise to use one host.
func BestHost(ctx context.Context, c *Config) (host int, time float64, err error) {
	type kind struct{ speed, cores float64 }
	seen := make(map[kind]bool)
	time = math.Inf(1)
	for i := range c.Platform.Hosts {
		h := &c.Platform.Hosts[i]
		if is := (kind{h.Speed, float64(h.Cores)}); h.Share == nil && c.Barrier == (Barrier{}) {
			if seen[is] {
				continue
			}
			seen[is] = true
		}
		alone, err := runWith(ctx, c, slices.Repeat([]int32{int32(i)}, len(c.Where)))
		if err != nil {
			return 0, 0, err
		}
		if alone < time {
			host, time = i, alone
		}
	}
	return host, time, nil
}

// runWith is the time of the whole run without moves.
func runWith(ctx context.Context, c *Config, where []int32) (float64, error) {
	off := *c
	off.Where, off.Balance = where, rebalancer.Spec{}
	r, err := Run(ctx, &off, Report{})
	if err != nil {
		return 0, err
	}
	return r.Time, nil
}

// static compares mappings by some of a workload's supersteps.
type static struct {
	c      *Config
	m      *machine
	steps  []Step
	at     []float64 // by sample: the part of the supersteps that come before it
	whole  float64   // seconds of a whole run, about
	weight float64   // supersteps that each stands for
	total  []float64
	last   []int32 // by sample: a process on the host that was last
}

func newStatic(c *Config) (*static, error) {
	s := &static{c: c, m: newMachine(c.Platform, nil, c.Barrier), total: make([]float64, c.Workload.Processes())}
	s.m.done = make([]float64, len(s.total))
	all := c.Workload.Steps()
	samples := min(all, staticSamples)
	s.weight = float64(all) / float64(max(1, samples))
	random := rand.New(rand.NewPCG(3, 4))
	var step Step
	drawn := 0
	for k, next := 0, 0; k < all && next < samples; k++ {
		step.clear(len(s.total))
		if err := c.Workload.Fill(k, &step); err != nil {
			return nil, err
		}
		if from, to := next*all/samples, (next+1)*all/samples; k == from {
			drawn = from + random.IntN(to-from)
		}
		if k != drawn {
			continue
		}
		next++
		s.at = append(s.at, float64(k)/float64(all))
		s.steps = append(s.steps, Step{Work: slices.Clone(step.Work), Messages: slices.Clone(step.Messages), Over: step.Over})
		for pid, work := range step.Work {
			s.total[pid] += work
		}
	}
	s.last = make([]int32, len(s.steps))
	return s, nil
}

// time returns the time of the supersteps with a mapping, +Inf if they do not end.
func (s *static) time(where []int32) float64 {
	s.m.where = where
	sum := 0.0
	for i := range s.steps {
		s.m.now = s.at[i] * s.whole
		t, err := s.m.superstep(&s.steps[i])
		if err != nil {
			return math.Inf(1)
		}
		sum += t.total
		latest := 0.0
		for pid, done := range s.m.done {
			if done > latest {
				s.last[i], latest = int32(pid), done
			}
		}
	}
	return sum * s.weight
}

// greedy places one process after another, by decreasing work, on the host where the longest
// computing of all supersteps grows least. If district is not nil, only its hosts are used.
func (s *static) greedy(district *zone) []int32 {
	p := s.c.Platform
	where, order := make([]int32, len(s.total)), make([]int32, len(s.total))
	for pid := range order {
		order[pid] = int32(pid)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(s.total[b], s.total[a]) })
	samples := len(s.steps)
	loads, longest := make([]float64, len(p.Hosts)*samples), make([]float64, samples)
	for _, pid := range order {
		best, least, fewest := -1, 0.0, 0.0
		for host := range p.Hosts {
			h := &p.Hosts[host]
			if share, _ := h.Share.At(0); share == 0 || district != nil && p.district(host) != district {
				continue
			}
			sum, own := 0.0, 0.0
			for i := range samples {
				work := s.steps[i].Work[pid]
				time := longest[i]
				if work > 0 {
					mine := (loads[host*samples+i] + work) / h.whole()
					time = max(time, mine, work/h.Speed)
					own += mine
				}
				sum += time
			}
			if best < 0 || sum < least*(1-1e-12) || sum <= least*(1+1e-12) && own < fewest {
				best, least, fewest = host, sum, own
			}
		}
		best = max(best, 0)
		where[pid] = int32(best)
		h := &p.Hosts[best]
		for i := range samples {
			if work := s.steps[i].Work[pid]; work > 0 {
				loads[best*samples+i] += work
				longest[i] = max(longest[i], loads[best*samples+i]/h.whole(), work/h.Speed)
			}
		}
	}
	return where
}

// climb tries a number of changes of a mapping, and keeps each that makes it no worse.
func (s *static) climb(ctx context.Context, where []int32, least float64, tries int) ([]int32, error) {
	if len(where) == 0 || len(s.steps) == 0 {
		return where, nil
	}
	random := rand.New(rand.NewPCG(1, 2))
	changed := make([]int32, len(where))
	for range tries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		copy(changed, where)
		s.change(changed, random)
		for random.IntN(3) == 0 {
			s.change(changed, random)
		}
		if time := s.time(changed); time <= least {
			least = time
			copy(where, changed)
		}
	}
	return where, nil
}

// change moves a process, usually one that delays others, to another host, or swaps it with a process
// of another host.
func (s *static) change(where []int32, random *rand.Rand) {
	pid := int(s.last[random.IntN(len(s.last))])
	if random.IntN(4) == 0 {
		pid = random.IntN(len(where))
	}
	if random.IntN(2) == 0 {
		where[pid] = int32(random.IntN(len(s.c.Platform.Hosts)))
		return
	}
	other := random.IntN(len(where))
	where[pid], where[other] = where[other], where[pid]
}
