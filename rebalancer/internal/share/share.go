// Package share decides how much work goes from one Set of ranks to another, from classes of
// processes alone.
//
// A class is the processes of a Set that are alike: their work lies between the same two powers
// of 2^(1/4), 19 % apart, and they hear most from the same Set. Let W(s) be the work in
// Set s, C(s) the sum of its ranks' rates, and T = sum W / sum C, below which no mapping
// computes. A Set gives what it has beyond T C(s) and takes what it lacks, so that each can
// reach T by itself; a difference of less than Even is none.
//
// That is the transportation problem with classes as goods. It is solved greedily: the Set
// that would be done last gives first, to Sets near it first, and from classes that hear most
// from the Set where they go. Within these, classes with most work for the bytes that move
// go first: the fewest moves.
//
// Cost: of n Sets with k classes, about k log k for each pair of Sets that gives and takes,
// of which there are less than n as long as all ways are alike.
package share

import (
	"cmp"
	"math"
	"slices"
)

// Even is the part of its work by which a Set may be ahead or behind. A Set's own
// imbalance is of this order; with four times as much, the Set that is last decides.
const Even = 0.004

// Class is processes that are alike.
type Class struct {
	Size    int // of their work, see SizeOf
	Partner int // Set that they receive most from, -1 if they receive nothing
	Count   int
	Work    float64 // of all of them
	Bytes   float64 // of all of them, to move
}

// Set is what a Set has to do, and can.
type Set struct {
	Work    float64 // per superstep, that of processes that cannot move too
	Rate    float64 // of all of its ranks: work per second
	Fastest float64 // rate of its fastest rank
	Classes []Class // of processes that can move
}

// Flow is processes of one class that go from one Set to another.
type Flow struct {
	From, To int
	Class    int // in the Classes of From
	Count    int
}

// SizeOf is the class of a process by its work.
func SizeOf(work float64) int {
	if !(work > 0) {
		return math.MinInt16
	}
	return int(math.Floor(4 * math.Log2(work)))
}

// Time is what a superstep takes that is shared out evenly.
func Time(sets []Set) float64 {
	work, rate := 0.0, 0.0
	for _, s := range sets {
		work, rate = work+s.Work, rate+s.Rate
	}
	if rate <= 0 {
		return 0
	}
	return work / rate
}

// Slowest is what it takes if every Set does what it has.
func Slowest(sets []Set) (slowest float64) {
	for _, s := range sets {
		if s.Rate > 0 {
			slowest = max(slowest, s.Work/s.Rate)
		}
	}
	return slowest
}

// Out returns what goes where. way is how far it is from one Set to another.
func Out(sets []Set, way func(from, to int) float64) []Flow {
	o := sharing{sets: sets, time: Time(sets), spare: make([]float64, len(sets)), left: make([][]int, len(sets))}
	var givers, takers []int
	for i, s := range sets {
		o.spare[i] = o.time*s.Rate - s.Work
		switch even := Even * o.time * s.Rate; {
		case o.spare[i] < -even:
			givers = append(givers, i)
			for _, class := range s.Classes {
				o.left[i] = append(o.left[i], class.Count)
			}
		case o.spare[i] > 0:
			takers = append(takers, i)
		}
	}
	// The one that has most to do beside its rate gives first.
	slices.SortStableFunc(givers, func(a, b int) int { return cmp.Compare(o.spare[a]/sets[a].Rate, o.spare[b]/sets[b].Rate) })
	for _, from := range givers {
		near := slices.Clone(takers)
		slices.SortStableFunc(near, func(a, b int) int {
			return cmp.Or(cmp.Compare(way(from, a), way(from, b)), cmp.Compare(o.spare[b], o.spare[a]))
		})
		for _, to := range near {
			if o.spare[from] >= 0 {
				break
			}
			o.give(from, to)
		}
		takers = slices.DeleteFunc(takers, func(to int) bool { return o.spare[to] <= 0 })
	}
	return o.flows
}

// sharing is a solution in the making.
type sharing struct {
	sets  []Set
	time  float64
	spare []float64 // by Set: work that it could still take; negative if it has too much
	left  [][]int   // by Set that gives, by class: processes that have not gone
	flows []Flow
}

// give has one Set give another what it has too much of, and that can take.
func (o *sharing) give(from, to int) {
	classes := o.sets[from].Classes
	order := make([]int, len(classes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &classes[a], &classes[b]
		return cmp.Or(cmp.Compare(far(x, from, to), far(y, from, to)), cmp.Compare(y.Work*x.Bytes, x.Work*y.Bytes), cmp.Compare(y.Size, x.Size))
	})
	for _, class := range order {
		is := &classes[class]
		mean := is.Work / float64(is.Count)
		if mean <= 0 || mean/o.sets[to].Fastest > o.time {
			continue // one of them alone would be the last there
		}
		n := min(o.left[from][class], int(min(-o.spare[from], o.spare[to])/mean))
		if n <= 0 {
			continue
		}
		o.left[from][class] -= n
		o.spare[from] += float64(n) * mean
		o.spare[to] -= float64(n) * mean
		o.flows = append(o.flows, Flow{From: from, To: to, Class: class, Count: n})
	}
}

// far is how much worse it is for the messages of a class to go from one Set to another.
func far(c *Class, from, to int) int {
	switch c.Partner {
	case to:
		return 0
	case from:
		return 2
	}
	return 1
}
