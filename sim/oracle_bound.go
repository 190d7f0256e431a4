package sim

import (
	"cmp"
	"math"
	"slices"
)

// Bound returns a lower bound of the time of the supersteps after the first few in any run of the
// workload, for any mapping in each of them: moves and messages count as free, and hosts have their
// largest share.
//
// For each superstep it is the largest of several bounds: the work of the k largest processes over
// the k fastest cores; the time in which hosts can finish k processes as large as the k-th; and, if
// barriers depend on the mapping, the least sum of that time and of the barrier with the processes
// that are then far from process 0. For processes of equal work it is the optimum.
func Bound(p *Platform, w Workload, barrier Barrier, after int) (float64, error) {
	b := newOracle(p, barrier)
	var step Step
	sum := 0.0
	for k := range w.Steps() {
		step.clear(w.Processes())
		if err := w.Fill(k, &step); err != nil {
			return 0, err
		}
		if k >= after {
			sum += p.Fixed + step.Over + b.superstep(step.Work)
		}
	}
	return sum, nil
}

// hostKind is hosts that are alike.
type hostKind struct {
	speed    float64 // of a core
	cores    int
	count    int
	district *zone
}

// oracle contains the figures of a platform that bounds need.
type oracle struct {
	barrier   Barrier
	kinds     []hostKind
	districts []*zone
	fastest   []float64 // sums of the speeds of the fastest cores, from none on
	work      []float64
}

func newOracle(p *Platform, barrier Barrier) *oracle {
	b := &oracle{barrier: barrier, fastest: []float64{0}}
	at := make(map[hostKind]int)
	var cores []float64
	for i := range p.Hosts {
		h := &p.Hosts[i]
		kind := hostKind{speed: h.Speed * h.Share.most(), cores: h.Cores, district: p.district(i)}
		if kind.speed == 0 {
			continue
		}
		if _, known := at[kind]; !known {
			at[kind] = len(b.kinds)
			b.kinds = append(b.kinds, kind)
			if !slices.Contains(b.districts, kind.district) {
				b.districts = append(b.districts, kind.district)
			}
		}
		b.kinds[at[kind]].count++
		cores = append(cores, slices.Repeat([]float64{kind.speed}, h.Cores)...)
	}
	slices.SortFunc(cores, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, speed := range cores {
		b.fastest = append(b.fastest, b.fastest[len(b.fastest)-1]+speed)
	}
	return b
}

// most returns the largest value that shares ever have.
func (s Shares) most() float64 {
	most := 1.0
	for _, p := range s {
		most *= slices.Max(p.values)
	}
	return most
}

// superstep bounds the time of one superstep, without its fixed part.
func (b *oracle) superstep(work []float64) float64 {
	b.work = append(b.work[:0], work...)
	slices.SortFunc(b.work, func(x, y float64) int { return cmp.Compare(y, x) })
	least, sum, working := 0.0, 0.0, 0
	for i, w := range b.work {
		if w <= 0 {
			break
		}
		working = i + 1
		sum += w
		least = max(least, sum/b.fastest[min(i+1, len(b.fastest)-1)])
	}
	apart := b.barrier.Far > b.barrier.Near
	bound := least + float64(len(work)-1)*min(b.barrier.Near, b.barrier.Far)
	for _, k := range []int{working, (working + 1) / 2, (working + 3) / 4} {
		if k == 0 {
			continue
		}
		time := max(least, b.finish(k, b.work[k-1], nil))
		if apart {
			time = b.together(k, len(work), time)
		} else {
			time += float64(len(work)-1) * min(b.barrier.Near, b.barrier.Far)
		}
		bound = max(bound, time)
	}
	return bound
}

// room returns the number of processes of the given work that the hosts of a district can
// finish within a time; without a district, all hosts.
func (b *oracle) room(time, work float64, district *zone) int {
	room := 0
	for _, kind := range b.kinds {
		if district != nil && kind.district != district || time*kind.speed < work*(1-roomRounding) {
			continue
		}
		each := max(float64(kind.cores), math.Floor(time*kind.speed*float64(kind.cores)/work+roomRounding))
		room += kind.count * int(min(each, mostProcesses))
	}
	return room
}

// roomRounding is the part of a process by which a host may have less room than computed, because
// times are rounded.
const roomRounding = 1e-9

// finish returns the time in which hosts can finish count processes of the given work.
func (b *oracle) finish(count int, work float64, district *zone) float64 {
	low, high := 0.0, math.Inf(1)
	for _, kind := range b.kinds {
		high = min(high, work/kind.speed)
	}
	if math.IsInf(high, 1) {
		return high
	}
	for b.room(high, work, district) < count {
		high *= 2
		if math.IsInf(high, 1) {
			return high
		}
	}
	for range 60 {
		if middle := (low + high) / 2; b.room(middle, work, district) < count {
			low = middle
		} else {
			high = middle
		}
	}
	return high * (1 - 2*roomRounding)
}

// together returns the least sum of a time, not below from, and of the barrier of n
// processes: of the k largest processes, the ones that the hosts of one district cannot
// finish by then are far from process 0 or from the others.
func (b *oracle) together(k, n int, from float64) float64 {
	work, best := b.work[k-1], math.Inf(1)
	for _, district := range b.districts {
		for time := from; ; {
			near := b.room(time*(1+4*roomRounding), work, district)
			far := max(0, k-near)
			best = min(best, time+float64(n-1-min(far, n-1))*b.barrier.Near+float64(min(far, n-1))*b.barrier.Far)
			if far == 0 {
				break
			}
			next := b.finish(near+1, work, district)
			if math.IsInf(next, 1) || next >= best {
				break
			}
			time = max(next, math.Nextafter(time, math.Inf(1)))
		}
	}
	return best
}
