package second

import (
	"math"
	"slices"
)

// shape is how work is distributed among processes and over stages. draw fills in the draft's work.
type shape struct {
	name string
	draw func(d *draft)
}

var shapes = []shape{
	{"even", func(d *draft) { d.fill(func(stage, pid int) float64 { return 1 }) }},
	{"uneven", uneven},
	{"stairs", stairs},
	{"alternating", alternating},
	{"growing", growing},
	{"shrinking", shrinking},
	{"front", front},
	{"refined", refined},
	{"farm", farm},
	{"bursts", bursts},
	{"drifting", drifting},
	{"tides", tides},
	{"stragglers", stragglers},
	{"lottery", lottery},
	{"handover", handover},
	{"regimes", regimes},
}

func (d *draft) fill(work func(stage, pid int) float64) {
	for stage, row := range d.work {
		for pid := range row {
			row[pid] = work(stage, pid)
		}
	}
}

// weights returns a log-normal weight of each process, sometimes in ascending order.
func (d *draft) weights() []float64 {
	sigma := d.r.between(0.1, 1.2)
	all := make([]float64, d.procs)
	for pid := range all {
		all[pid] = d.r.factor(sigma)
	}
	if d.r.chance(0.3) {
		slices.Sort(all)
	}
	return all
}

func uneven(d *draft) {
	all := d.weights()
	d.fill(func(_, pid int) float64 { return all[pid] })
}

// group returns some of the processes: neighbours, or random ones.
func (d *draft) group() []bool {
	if d.r.chance(0.5) {
		return d.r.subset(d.procs, d.r.log(0.02, 0.6))
	}
	in := make([]bool, d.procs)
	first, size := d.r.IntN(d.procs), max(1, int(d.r.log(0.02, 0.6)*float64(d.procs)))
	for k := range size {
		in[(first+k)%d.procs] = true
	}
	return in
}

// stairs multiplies the work of a group at one or several times, up or down.
func stairs(d *draft) {
	all := slices.Repeat([]float64{1}, d.procs)
	steps := make([]int, d.r.whole(1, 12))
	for i := range steps {
		steps[i] = d.r.IntN(d.stages)
	}
	slices.Sort(steps)
	same, group := d.r.chance(0.5), d.group()
	for stage, row := range d.work {
		for len(steps) > 0 && steps[0] == stage {
			steps = steps[1:]
			if !same {
				group = d.group()
			}
			factor := d.r.log(1.2, 8)
			if d.r.chance(0.4) {
				factor = 1 / factor
			}
			for pid, in := range group {
				if in {
					all[pid] = min(max(all[pid]*factor, 1e-2), 1e2)
				}
			}
		}
		copy(row, all)
	}
}

// alternating swaps the work of partners every k stages.
func alternating(d *draft) {
	every, heavy, apart := d.r.whole(1, max(1, d.stages/2)), d.r.log(1.2, 20), 1
	if d.r.chance(0.5) {
		apart = max(1, d.procs/2)
	}
	group := d.group()
	if d.r.chance(0.5) {
		group = slices.Repeat([]bool{true}, d.procs)
	}
	d.fill(func(stage, pid int) float64 {
		odd := pid/apart%2 == 1
		if group[pid] && odd == (stage/every%2 == 1) {
			return heavy
		}
		return 1
	})
}

// growing lets work of a group grow, linearly or by a factor in each stage.
func growing(d *draft) {
	group, most, factors, all := d.group(), d.r.log(2, 50), d.r.chance(0.5), d.r.chance(0.2)
	d.fill(func(stage, pid int) float64 {
		part := float64(stage) / float64(d.stages)
		switch {
		case !group[pid] && !all:
			return 1
		case factors:
			return math.Pow(most, part)
		}
		return 1 + (most-1)*part
	})
}

// shrinking takes processes out one after another, as eliminations do: columns in blocks or in turn.
func shrinking(d *draft) {
	turns, power, rest := d.r.chance(0.5), d.r.between(0, 2), d.r.between(0, 0.05)
	stride := max(1, d.r.whole(1, d.procs)/2)
	d.fill(func(stage, pid int) float64 {
		left := 1 - float64(stage)/float64(d.stages)
		at := pid
		if turns {
			at = pid%stride*(d.procs/stride) + pid/stride
		}
		if float64(at) < (1-left)*float64(d.procs) {
			return rest
		}
		return math.Pow(left, power) + rest
	})
}

// front is a pipeline: work passes through the processes, once or several times.
func front(d *draft) {
	passes, width, rest := float64(d.r.whole(1, 8)), d.r.between(0.03, 0.4), d.r.between(0, 0.3)
	d.fill(func(stage, pid int) float64 {
		at := passes * float64(stage) / float64(d.stages)
		off := math.Abs(at - math.Floor(at) - float64(pid)/float64(d.procs))
		if min(off, 1-off) < width/2 {
			return 1
		}
		return rest
	})
}

// refined has regions in which each level has several times the work. They jump now and then.
func refined(d *draft) {
	factor, levels, jumps := d.r.between(2, 5), d.r.whole(1, 3), d.r.log(1, 30)
	centers := make([]float64, d.r.whole(1, 4))
	radius, speed := d.r.log(0.03, 0.3), 0.0
	if d.r.chance(0.5) {
		speed = d.r.NormFloat64() / float64(d.stages)
	}
	for i := range centers {
		centers[i] = d.r.Float64()
	}
	for stage, row := range d.work {
		for i := range centers {
			centers[i] += speed
			if stage > 0 && d.r.chance(jumps/float64(d.stages)) {
				centers[i] = d.r.Float64()
			}
		}
		for pid := range row {
			row[pid] = 1
			for _, c := range centers {
				off := math.Abs(math.Mod(math.Abs(c-float64(pid)/float64(d.procs)), 1))
				off = min(off, 1-off)
				for level := range levels {
					if off < radius/float64(level+1) {
						row[pid] = max(row[pid], math.Pow(factor, float64(level+1)))
					}
				}
			}
		}
	}
}

// farm is a master with little work and workers that draw tasks, which last some stages.
func farm(d *draft) {
	sigma, lasts, master := d.r.between(0.3, 1.5), d.r.log(1, 50), d.r.log(0.05, 3)
	for stage, row := range d.work {
		for pid := range row {
			if stage == 0 || d.r.chance(1/lasts) {
				row[pid] = d.r.factor(sigma)
			} else {
				row[pid] = d.work[stage-1][pid]
			}
		}
		row[0] = master
	}
}

// bursts are rare stages in which some processes have much to do.
func bursts(d *draft) {
	rate, heavy, same := d.r.log(0.01, 0.3), d.r.log(3, 50), d.group()
	fixed := d.r.chance(0.5)
	for _, row := range d.work {
		group := same
		burst := d.r.chance(rate)
		if burst && !fixed {
			group = d.group()
		}
		for pid := range row {
			row[pid] = 1
			if burst && group[pid] {
				row[pid] = heavy
			}
		}
	}
}

// drifting is a random walk of each process's work.
func drifting(d *draft) {
	sigma := d.r.log(0.3, 3) / math.Sqrt(float64(d.stages))
	logs := make([]float64, d.procs)
	for _, row := range d.work {
		for pid := range row {
			logs[pid] = min(max(logs[pid]+sigma*d.r.NormFloat64(), -4), 4)
			row[pid] = math.Exp(logs[pid])
		}
	}
}

// tides is periodic work with a phase of each process.
func tides(d *draft) {
	period, height := float64(d.stages)/d.r.log(0.5, 50), d.r.between(0.2, 0.95)
	phases := make([]float64, d.procs)
	together := d.r.chance(0.3)
	for pid := range phases {
		phases[pid] = d.r.Float64()
		if together {
			phases[pid] = float64(pid) / float64(d.procs)
		}
	}
	d.fill(func(stage, pid int) float64 {
		return 1 + height*math.Sin(2*math.Pi*(float64(stage)/period+phases[pid]))
	})
}

// stragglers are single processes that have more to do for some time.
func stragglers(d *draft) {
	d.fill(func(int, int) float64 { return 1 })
	for range d.r.whole(1, 12) {
		pid, heavy := d.r.IntN(d.procs), d.r.log(2, 30)
		first := d.r.IntN(d.stages)
		last := min(d.stages, first+1+int(d.r.log(0.01, 1)*float64(d.stages)))
		for stage := first; stage < last; stage++ {
			d.work[stage][pid] *= heavy
		}
	}
}

// lottery draws all work anew in each stage.
func lottery(d *draft) {
	tail := d.r.between(1.2, 4)
	d.fill(func(int, int) float64 { return min(math.Pow(1-d.r.Float64(), -1/tail), 1e3) })
}

// handover moves work gradually from some processes to all others.
func handover(d *draft) {
	group, begin := d.group(), d.r.between(0, 0.7)
	length, heavy := d.r.between(0.01, 0.6), d.r.log(1.5, 20)
	d.fill(func(stage, pid int) float64 {
		done := min(max((float64(stage)/float64(d.stages)-begin)/length, 0), 1)
		if !group[pid] {
			done = 1 - done
		}
		return 1 + (heavy-1)*(1-done)
	})
}

// regimes switches between distributions after random times.
func regimes(d *draft) {
	all := make([][]float64, d.r.whole(2, 5))
	for i := range all {
		all[i] = d.weights()
	}
	dwell, at := d.r.log(0.01, 0.5)*float64(d.stages), 0
	for _, row := range d.work {
		copy(row, all[at])
		if d.r.chance(1 / max(1, dwell)) {
			at = d.r.IntN(len(all))
		}
	}
}
