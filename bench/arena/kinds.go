package main

import (
	"math"
	"math/rand/v2"

	"github.com/migbsp/migbsp/sim"
)

// draft is a case under construction: a kind sets its characteristic fields.
type draft struct {
	random *rand.Rand
	p      *sim.Platform
	procs  int
	steps  int
	grain  float64 // operations of a process in a superstep, typically

	// work has the operations of each process in each superstep of the program's loop,
	// relative to grain.
	work func(step, pid int) float64
	// bytes go to the neighbours on both sides in each superstep.
	bytes float64
	// far is how far in pids those neighbours are; 1 is next to it.
	far    int
	state  float64
	reduce bool // each step has a second superstep without computation

	// messages are the messages of each superstep; if set, they replace those between neighbours.
	messages []sim.Message
}

// kind is a method of drawing a load.
type kind struct {
	name   string
	about  string
	steady bool
	draw   func(d *draft)
}

// steady marks kinds whose load does not change, except for noise: measurements predict it.
const steady = true

// kinds are the kinds of loads. By default, processes have 100 kB of state, send
// some bytes to their neighbours and take about 20 ms for a superstep on a host of speed 1.
var kinds = []kind{
	{"equal", "all processes work the same: nothing to gain but from unequal hosts", steady, func(d *draft) {
		d.work = func(int, int) float64 { return 1 }
	}},
	{"noise", "the same on average, at random from superstep to superstep", steady, func(d *draft) {
		spread, noise := between(d.random, 0.05, 0.5), d.table()
		d.work = func(step, pid int) float64 { return max(0, 1+spread*noise(step, pid)) }
	}},
	{"skew", "some processes work more than others, all the time", steady, func(d *draft) {
		w := d.skew(between(d.random, 0.4, 1.2))
		d.work = func(_, pid int) float64 { return w[pid] }
	}},
	{"allreduce", "the same, with a second superstep in which nothing is computed", steady, func(d *draft) {
		w := d.skew(between(d.random, 0.4, 1.2))
		d.work, d.reduce = func(_, pid int) float64 { return w[pid] }, true
	}},
	{"ramp", "differences that grow, or work that shrinks from one end", !steady, func(d *draft) {
		w, shrinks := d.skew(between(d.random, 0.5, 1)), d.random.IntN(2) == 0
		d.work = func(step, pid int) float64 {
			at := float64(step) / float64(d.steps)
			if shrinks {
				return max(0.02, 1-max(0, at*1.2-float64(pid)/float64(d.procs)))
			}
			return 1 + at*4*(w[pid]-1)*boolean(w[pid] > 1)
		}
	}},
	{"wander", "a smooth bump of work that wanders over the processes, and around", !steady, func(d *draft) {
		high, width, speed := between(d.random, 2, 8), between(d.random, 0.03, 0.2), between(d.random, 0.2, 6)
		if d.random.IntN(2) == 0 {
			speed = -speed
		}
		d.work = func(step, pid int) float64 {
			front := speed * float64(step) / float64(d.steps)
			return 1 + high*bump((float64(pid)/float64(d.procs)-front), width)
		}
	}},
	{"reflect", "a bump that goes to and fro", !steady, func(d *draft) {
		high, width, turns := between(d.random, 2, 8), between(d.random, 0.03, 0.2), between(d.random, 0.5, 8)
		d.work = func(step, pid int) float64 {
			at := math.Abs(math.Mod(turns*float64(step)/float64(d.steps), 2) - 1)
			x := (float64(pid)/float64(d.procs) - at) / width
			return 1 + high*math.Exp(-x*x)
		}
	}},
	{"periodic", "each process swings, with a phase of its own", !steady, func(d *draft) {
		period, phase, swing := between(d.random, 6, 120), d.skew(1), between(d.random, 0.4, 0.95)
		d.work = func(step, pid int) float64 {
			return 1 + swing*math.Sin(2*math.Pi*(float64(step)/period+phase[pid]))
		}
	}},
	{"on-off", "processes are at work for a while, then hardly", !steady, func(d *draft) {
		mean := between(d.random, 10, 100)
		on := d.states(mean, mean)
		d.work = func(step, pid int) float64 { return 0.1 + 2*boolean(on(step, pid)) }
	}},
	{"phases", "a few phases in turn, each with its own busy processes", !steady, func(d *draft) {
		n, length := 2+d.random.IntN(3), 8+d.random.IntN(max(8, d.steps/4))
		var all [][]float64
		for range n {
			all = append(all, d.skew(between(d.random, 0.5, 1.3)))
		}
		d.work = func(step, pid int) float64 { return all[step/length%n][pid] }
	}},
	{"bursts", "now and then a process has much to do for a while", !steady, func(d *draft) {
		high, often := between(d.random, 4, 12), between(d.random, 80, 400)
		on := d.states(12, often)
		d.work = func(step, pid int) float64 { return 1 + high*boolean(on(step, pid)) }
	}},
	{"wavefront", "a front passes over the processes once; behind and before it there is nothing to do", !steady, func(d *draft) {
		width := between(d.random, 0.1, 0.6)
		d.work = func(step, pid int) float64 {
			front := (1 + width) * float64(step) / float64(d.steps)
			x := float64(pid) / float64(d.procs)
			return 0.01 + 2*boolean(x <= front && x > front-width)
		}
	}},
	{"mesh", "an adaptive mesh: cells are refined around a circle that grows and moves", !steady, func(d *draft) {
		side := int(math.Ceil(math.Sqrt(float64(d.procs))))
		x0, y0, vx := d.random.Float64(), d.random.Float64(), between(d.random, -0.5, 0.5)
		thick, factor := between(d.random, 0.08, 0.25), between(d.random, 3, 15)
		d.work = func(step, pid int) float64 {
			at := float64(step) / float64(d.steps)
			x, y := (0.5+float64(pid%side))/float64(side), (0.5+float64(pid/side))/float64(side)
			off := math.Abs(math.Hypot(x-x0-vx*at, y-y0)-at) / thick
			return 1 + factor*boolean(off < 1)
		}
	}},
	{"walk", "each process's work walks at random", !steady, func(d *draft) {
		pace := between(d.random, 0.01, 0.08)
		log := make([]float64, d.procs)
		var all [][]float64
		for range d.steps {
			row := make([]float64, d.procs)
			for pid := range row {
				log[pid] = max(-2, min(2, log[pid]+pace*d.random.NormFloat64()))
				row[pid] = math.Exp(log[pid])
			}
			all = append(all, row)
		}
		d.work = func(step, pid int) float64 { return all[step][pid] }
	}},
	{"hot spot", "some neighbouring processes have much to do; the spot jumps now and then", !steady, func(d *draft) {
		high, width, jumps := between(d.random, 3, 10), 1+d.random.IntN(max(1, d.procs/8)), 1+d.random.IntN(8)
		at := make([]int, jumps)
		for i := range at {
			at[i] = d.random.IntN(d.procs)
		}
		d.work = func(step, pid int) float64 {
			from := at[step*jumps/d.steps]
			return 1 + high*boolean((pid-from+d.procs)%d.procs < width)
		}
	}},
	{"jump", "the work of half of the processes doubles or more, once", !steady, func(d *draft) {
		when, w := d.random.IntN(d.steps), d.skew(between(d.random, 0.5, 1.2))
		d.work = func(step, pid int) float64 {
			if step < when {
				return 1
			}
			return w[pid]
		}
	}},
	{"host slowed", "a host gets slow in mid-run, and in some cases fast again", !steady, func(d *draft) {
		d.work = func(int, int) float64 { return 1 }
		share := sim.NewProfile(1)
		share.Set(d.seconds()*between(d.random, 0.05, 0.7), between(d.random, 0.1, 0.6))
		if d.random.IntN(2) == 0 {
			share.Set(d.seconds()*between(d.random, 0.75, 1.2), 1)
		}
		d.p.Hosts[d.random.IntN(len(d.p.Hosts))].Share = sim.Shares{share}
	}},
	{"hosts alternate", "speeds of some hosts go up and down", !steady, func(d *draft) {
		d.work = func(int, int) float64 { return 1 }
		for i := range d.p.Hosts {
			if i%2 == 0 || d.random.IntN(3) == 0 {
				d.p.Hosts[i].Share = sim.Shares{d.alternating(d.seconds() / between(d.random, 4, 60))}
			}
		}
	}},
	{"link throttled", "links to a host get slow in mid-run, while all talk", !steady, func(d *draft) {
		d.work = func(int, int) float64 { return 1 }
		d.bytes = between(d.random, 1e5, 2e6)
		share := sim.NewProfile(1)
		share.Set(d.seconds()*between(d.random, 0.1, 0.6), between(d.random, 0.02, 0.3))
		first := 2 * d.random.IntN(len(d.p.Hosts))
		for i := first; i < first+2; i++ {
			d.p.Links[i].Share = sim.Shares{share}
		}
	}},
	{"big states", "large states in a short run", steady, func(d *draft) {
		w := d.skew(between(d.random, 0.4, 1.2))
		d.steps = 30 + d.random.IntN(90)
		d.work, d.state = func(_, pid int) float64 { return w[pid] }, math.Exp(between(d.random, math.Log(1e7), math.Log(4e8)))
	}},
	{"talk", "communication takes longer than computing, with partners that are far", steady, func(d *draft) {
		d.grain /= 10
		d.work, d.bytes = func(int, int) float64 { return 1 }, between(d.random, 1e5, 1e6)
		d.far = 1 + d.random.IntN(max(1, d.procs/2))
	}},
	{"states", "states of 1 MB to 1 GB, in runs of any length", steady, func(d *draft) {
		w := d.skew(between(d.random, 0.4, 1.2))
		d.work, d.state = func(_, pid int) float64 { return w[pid] }, math.Exp(between(d.random, math.Log(1e6), math.Log(1e9)))
	}},
	{"hub", "one process exchanges heavy messages with all others", steady, func(d *draft) {
		w, hub, bytes := d.skew(between(d.random, 0.2, 0.8)), d.random.IntN(d.procs), between(d.random, 1e4, 5e5)
		d.work = func(_, pid int) float64 { return w[pid] }
		for pid := range d.procs {
			if pid != hub {
				d.exchange(pid, hub, bytes)
			}
		}
	}},
	{"stencil", "a grid of processes, each with heavy messages to four neighbours", steady, func(d *draft) {
		w, bytes := d.skew(between(d.random, 0.2, 0.8)), between(d.random, 1e5, 3e6)
		d.work = func(_, pid int) float64 { return w[pid] }
		side := int(math.Ceil(math.Sqrt(float64(d.procs))))
		for pid := range d.procs {
			if (pid+1)%side != 0 && pid+1 < d.procs {
				d.exchange(pid, pid+1, bytes)
			}
			if pid+side < d.procs {
				d.exchange(pid, pid+side, bytes)
			}
		}
	}},
	{"pulses", "some processes have much to do in one to three supersteps, now and then", !steady, func(d *draft) {
		high, often := between(d.random, 5, 30), between(d.random, 15, 200)
		on := d.states(2, often)
		d.work = func(step, pid int) float64 { return 1 + high*boolean(on(step, pid)) }
	}},
	{"rare", "a few supersteps are huge, for a few processes each", !steady, func(d *draft) {
		high, often, seed := between(d.random, 20, 200), between(d.random, 15, 100), d.random.Uint64()
		d.work = func(step, pid int) float64 {
			r := rand.New(rand.NewPCG(seed, uint64(step)))
			if r.Float64() >= 1/often {
				return 1
			}
			return 1 + high*boolean(pid%max(1, d.procs/3) == r.IntN(max(1, d.procs/3)))
		}
	}},
	{"heavy tails", "work with a heavy tail, drawn anew for each process and superstep", !steady, func(d *draft) {
		tail, seed := between(d.random, 1.2, 2.5), d.random.Uint64()
		d.work = func(step, pid int) float64 {
			r := rand.New(rand.NewPCG(seed, uint64(step)<<32|uint64(pid)))
			return min(100, math.Pow(1-r.Float64(), -1/tail))
		}
	}},
	{"neighbours", "other programs come to hosts and go, each for a while", !steady, func(d *draft) {
		d.work = func(int, int) float64 { return 1 }
		stay, away := d.seconds()/between(d.random, 10, 200), d.seconds()/between(d.random, 3, 50)
		for i := range d.p.Hosts {
			d.p.Hosts[i].Share = sim.Shares{d.visited(stay, away)}
		}
	}},
	{"one each", "one process on each host", steady, func(d *draft) {
		d.procs = len(d.p.Hosts)
		w := d.skew(between(d.random, 0.4, 1.2))
		d.work = func(_, pid int) float64 { return w[pid] }
	}},
	{"many each", "hundreds of processes on each host", steady, func(d *draft) {
		d.procs = min(mostProcs, len(d.p.Hosts)*(200+d.random.IntN(201)))
		d.steps, d.grain, d.bytes = 60+d.random.IntN(100), d.grain/100, d.bytes/100
		w := d.skew(between(d.random, 0.4, 1.2))
		d.work = func(_, pid int) float64 { return w[pid] }
	}},
	{"few supersteps", "a few supersteps that take long", steady, func(d *draft) {
		d.steps, d.grain = 8+d.random.IntN(32), d.grain*between(d.random, 3, 30)
		w := d.skew(between(d.random, 0.4, 1.2))
		d.work = func(_, pid int) float64 { return w[pid] }
	}},
	{"many supersteps", "a thousand short supersteps and more", steady, func(d *draft) {
		d.steps, d.grain, d.bytes = 1000+d.random.IntN(1000), d.grain/between(d.random, 5, 50), d.bytes/20
		w := d.skew(between(d.random, 0.4, 1.2))
		d.work = func(_, pid int) float64 { return w[pid] }
	}},
	{"declared wrong", "hosts of other speeds than declared", steady, func(d *draft) {
		w := d.skew(between(d.random, 0.1, 0.6))
		d.work = func(_, pid int) float64 { return w[pid] }
		d.declareWrong(between(d.random, 0.1, 0.6))
	}},
}

// declareWrong has all hosts' speeds declared wrong, with such a deviation of the logarithm.
func (d *draft) declareWrong(deviation float64) {
	for i := range d.p.Hosts {
		h := &d.p.Hosts[i]
		h.Declared = h.Speed * math.Exp(deviation*d.random.NormFloat64())
	}
}

// mostProcs bounds the processes of a case.
const mostProcs = 1500

// exchange has two processes send each other so many bytes in each superstep.
func (d *draft) exchange(a, b int, bytes float64) {
	d.messages = append(d.messages, sim.Message{From: int32(a), To: int32(b), Bytes: bytes}, sim.Message{From: int32(b), To: int32(a), Bytes: bytes})
}

// visited returns the share of a host that another program uses at intervals, with these mean
// durations of presence and absence.
func (d *draft) visited(stay, away float64) *sim.Profile {
	p, now, left := sim.NewProfile(1), 0.0, between(d.random, 0.3, 0.7)
	for range 200 {
		now += away * d.random.ExpFloat64()
		p.Set(now, left)
		now += stay * d.random.ExpFloat64()
		p.Set(now, 1)
	}
	return p
}

// skew is a work of each process around 1, the larger spread the more uneven: at random, or
// rising with the pid.
func (d *draft) skew(spread float64) []float64 {
	w := make([]float64, d.procs)
	rising := d.random.IntN(3) == 0
	for pid := range w {
		w[pid] = math.Exp(spread * d.random.NormFloat64())
		if rising {
			w[pid] = 1 + spread*3*float64(pid)/float64(d.procs)
		}
	}
	return w
}

// table is noise of mean 0 and deviation 1, the same each time that it is asked for.
func (d *draft) table() func(step, pid int) float64 {
	seed := d.random.Uint64()
	return func(step, pid int) float64 {
		return rand.New(rand.NewPCG(seed, uint64(step)<<32|uint64(pid))).NormFloat64()
	}
}

// states is whether each process is on, where it stays on or off for so many supersteps on
// average.
func (d *draft) states(stays, away float64) func(step, pid int) bool {
	all := make([]bool, d.steps*d.procs)
	for pid := range d.procs {
		on := d.random.IntN(2) == 0
		for step := range d.steps {
			mean := away
			if on {
				mean = stays
			}
			if d.random.Float64() < 1/mean {
				on = !on
			}
			all[step*d.procs+pid] = on
		}
	}
	return func(step, pid int) bool { return all[step*d.procs+pid] }
}

// alternating is a share that is low every other half of a period.
func (d *draft) alternating(period float64) *sim.Profile {
	low, p := between(d.random, 0.2, 0.7), sim.NewProfile(1)
	begin := period * d.random.Float64()
	for k := range 400 {
		p.Set(begin+float64(k)*period, low)
		p.Set(begin+(float64(k)+0.5)*period, 1)
	}
	return p
}

// seconds returns the approximate duration of the run.
func (d *draft) seconds() float64 {
	speed := 0.0
	for _, h := range d.p.Hosts {
		speed += h.Speed / float64(len(d.p.Hosts))
	}
	return float64(d.steps) * d.grain * float64(d.procs) / float64(len(d.p.Hosts)) / speed
}

// bump is 1 at 0 and almost 0 further away than width, on a ring of length 1.
func bump(x, width float64) float64 {
	x -= math.Round(x)
	return math.Exp(-x * x / width / width)
}

func boolean(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
