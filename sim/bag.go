package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Bag is a workload of tasks that do not depend on each other. It has no supersteps: a
// master gives chunks of tasks to workers that ask for them, see RunBag.
type Bag struct {
	Tasks   int
	Bytes   float64   // bytes of a task, sent to a worker
	Reply   float64   // bytes of a task's result
	Cost    float64   // seconds during which each chunk occupies the master, besides its transfer
	Workers int       // 0: one on each core but the master's host
	done    []float64 // operations of all tasks before each, and of all
}

var bagKind = kind{
	name: "bag", about: "independent tasks that a master gives out in chunks",
	parameters: []parameter{
		{name: "n", value: 10000, least: 1, whole: true, about: "tasks"},
		{name: "flops", value: 5e8, least: 0, about: "operations of a task, in the mean"},
		{name: "kb", value: 1, least: 0, about: "thousands of bytes that go out with each task"},
		{name: "reply", value: 0, least: 0, about: "thousands of bytes that come back with each task"},
		{name: "cost", value: 0, least: 0, about: "seconds that the master takes for each chunk, beside its way"},
		{name: "workers", value: 0, least: 0, whole: true, about: "of them (default: on each core but the master's host)"},
		{name: "spread", value: 0, least: 0, most: 1, about: "tasks take 1-spread to 1+spread of the mean"},
		{name: "tail", value: 0, least: 0, about: "above 1: tasks follow Pareto's distribution of this exponent"},
		{name: "seed", value: 1, least: 0, whole: true, about: "of what is random in it"},
	},
}

// IsBag reports whether a text names a workload of the kind bag.
func IsBag(text string) bool {
	name, _, _ := strings.Cut(text, ":")
	return name == bagKind.name
}

// ParseBag makes a bag of its figures: bag:n=10000,flops=5e8,kb=1.
func ParseBag(text string) (*Bag, error) {
	name, rest, _ := strings.Cut(text, ":")
	if name != bagKind.name {
		return nil, fmt.Errorf("%q is no bag; expected bag:n=10000,flops=5e8,kb=1", text)
	}
	v, err := bagKind.read(rest)
	if err == nil && v["spread"] > 0 && v["tail"] > 0 {
		err = fmt.Errorf("spread=%g and tail=%g: expected one of them", v["spread"], v["tail"])
	}
	if err == nil && v["tail"] > 0 && !(v["tail"] > 1) {
		err = fmt.Errorf("tail=%g: expected a number above 1, for below the tasks have no mean", v["tail"])
	}
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", text, err)
	}
	random := rand.New(rand.NewPCG(uint64(v["seed"]), 0))
	flops, spread, tail := v["flops"], v["spread"], v["tail"]
	b := NewBag(int(v["n"]), func(int) float64 {
		switch {
		case spread > 0:
			return flops * (1 + spread*(2*random.Float64()-1))
		case tail > 0:
			return flops * (tail - 1) / tail * math.Pow(1-random.Float64(), -1/tail)
		}
		return flops
	})
	b.Bytes, b.Reply, b.Cost, b.Workers = 1e3*v["kb"], 1e3*v["reply"], v["cost"], int(v["workers"])
	return b, nil
}

// NewBag makes a bag of tasks; work returns the operations of a task.
func NewBag(tasks int, work func(task int) float64) *Bag {
	b := &Bag{Tasks: tasks, done: make([]float64, tasks+1)}
	for t := range tasks {
		b.done[t+1] = b.done[t] + work(t)
	}
	return b
}

// Work returns the operations of all tasks.
func (b *Bag) Work() float64 { return b.done[b.Tasks] }

// longest returns the operations of the longest task.
func (b *Bag) longest() float64 {
	most := 0.0
	for t := range b.Tasks {
		most = max(most, b.done[t+1]-b.done[t])
	}
	return most
}

// Place assigns the workers of the bag to the cores of the platform's hosts, in the order of a
// mapping. It leaves out the master's host if the platform has others.
func (b *Bag) Place(p *Platform, master int, mapping string) ([]int32, error) {
	if mapping == "cpu" {
		return nil, fmt.Errorf("mapping cpu puts several processes on a core; workers have one each: expected contiguous, ascending, descending or round-robin")
	}
	order, err := p.Place(len(p.Hosts), mapping)
	if err != nil {
		return nil, err
	}
	var cores []int32
	for _, host := range order {
		if int(host) == master && len(p.Hosts) > 1 {
			continue
		}
		cores = append(cores, slices.Repeat([]int32{host}, p.Hosts[host].Cores)...)
	}
	if b.Workers > len(cores) {
		return nil, fmt.Errorf("workers=%d: the platform has %d cores beside the master's host", b.Workers, len(cores))
	}
	if b.Workers > 0 {
		cores = cores[:b.Workers]
	}
	return cores, nil
}

// Bound returns a time that no distribution of the tasks beats: all workers compute from
// the beginning to the end, and the longest task runs on the fastest worker.
func (b *Bag) Bound(p *Platform, where []int32) float64 {
	gives := func(until float64) (sum float64) {
		for _, host := range where {
			h := &p.Hosts[host]
			sum += until * h.Share.Mean(0, until) * h.Speed
		}
		return sum
	}
	return max(reaches(gives, b.Work()), b.longestTask(p, where))
}

// longestTask returns the least time that the longest task takes.
func (b *Bag) longestTask(p *Platform, where []int32) float64 {
	least, most := math.Inf(1), b.longest()
	for _, host := range where {
		least = min(least, p.Hosts[host].Share.End(0, most/p.Hosts[host].Speed))
	}
	return least
}

// reaches returns the time at which a non-decreasing function reaches an amount.
func reaches(gives func(until float64) float64, amount float64) float64 {
	if amount == 0 {
		return 0
	}
	low, high := 0.0, 1.0
	for gives(high) < amount {
		if low, high = high, 2*high; high > never {
			return math.Inf(1)
		}
	}
	for range 100 {
		if middle := (low + high) / 2; gives(middle) < amount {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
