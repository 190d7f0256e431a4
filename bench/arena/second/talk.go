package second

import (
	"math"
	"math/bits"
)

// pattern is which processes send messages in a stage.
type pattern struct {
	name string
	draw func(d *draft) talk
}

// talk has the messages of each era of the run; eras are equally long.
type talk struct{ eras [][]link }

// most returns the largest number of messages in a stage.
func (t talk) most() (n int) {
	for _, era := range t.eras {
		n = max(n, len(era))
	}
	return n
}

var patterns = []pattern{
	{"silent", func(*draft) talk { return talk{[][]link{nil}} }},
	{"ring", ring},
	{"halo", halo},
	{"gather", func(d *draft) talk { return d.hubs(true, false) }},
	{"scatter", func(d *draft) talk { return d.hubs(false, true) }},
	{"hub", func(d *draft) talk { return d.hubs(true, true) }},
	{"exchange", exchange},
	{"graph", func(d *draft) talk { return talk{[][]link{d.graph()}} }},
	{"rewired", rewired},
	{"tree", tree},
	{"pipeline", pipeline},
	{"cliques", cliques},
	{"butterfly", butterfly},
}

// most returns how many messages a process sends at most in patterns with a choice.
func (d *draft) most() int { return max(1, mostMessages/d.procs) }

// once returns a talk with one era. It leaves out messages from a process to itself.
func once(d *draft, add func(send func(from, to int, weight float64))) talk {
	var all []link
	add(func(from, to int, weight float64) {
		if from != to {
			all = append(all, link{int32(from), int32(to), weight})
		}
	})
	return talk{[][]link{all}}
}

func ring(d *draft) talk {
	both := d.r.chance(0.5)
	return once(d, func(send func(from, to int, weight float64)) {
		for pid := range d.procs {
			send(pid, (pid+1)%d.procs, 1)
			if both {
				send(pid, (pid+d.procs-1)%d.procs, 1)
			}
		}
	})
}

// halo sends between neighbours in a grid.
func halo(d *draft) talk {
	columns := max(1, int(math.Sqrt(float64(d.procs))))
	if d.r.chance(0.3) {
		columns = d.r.whole(1, d.procs)
	}
	across := d.r.log(0.1, 10)
	return once(d, func(send func(from, to int, weight float64)) {
		for pid := range d.procs {
			if right := pid + 1; right%columns != 0 && right < d.procs {
				send(pid, right, across)
				send(right, pid, across)
			}
			if below := pid + columns; below < d.procs {
				send(pid, below, 1)
				send(below, pid, 1)
			}
		}
	})
}

// hubs draws one process, rarely several, which receives from all, sends to all, or both.
func (d *draft) hubs(in, out bool) talk {
	n := 1
	if d.r.chance(0.25) {
		n = min(d.procs, d.r.whole(2, 4))
	}
	hubs := d.r.Perm(d.procs)[:n]
	back := d.r.log(0.1, 10)
	return once(d, func(send func(from, to int, weight float64)) {
		for pid := range d.procs {
			hub := hubs[pid%n]
			if in {
				send(pid, hub, 1)
			}
			if out {
				send(hub, pid, back)
			}
		}
	})
}

// mostExchanging is the maximum number of processes that all send to each other.
const mostExchanging = 32

func exchange(d *draft) talk {
	some := d.r.Perm(d.procs)[:min(d.procs, mostExchanging)]
	return once(d, func(send func(from, to int, weight float64)) {
		for _, from := range some {
			for _, to := range some {
				send(from, to, 1)
			}
		}
	})
}

// graph returns random links, of weights that differ.
func (d *draft) graph() []link {
	degree, sigma := min(d.r.whole(1, 6), d.most()), d.r.between(0, 1.5)
	return once(d, func(send func(from, to int, weight float64)) {
		for pid := range d.procs {
			for range degree {
				send(pid, d.r.IntN(d.procs), d.r.factor(sigma))
			}
		}
	}).eras[0]
}

// rewired draws a new graph, or new cliques, several times during the run.
func rewired(d *draft) talk {
	var t talk
	next := d.graph
	if d.r.chance(0.5) {
		next = func() []link { return cliques(d).eras[0] }
	}
	for range d.r.whole(2, 8) {
		t.eras = append(t.eras, next())
	}
	return t
}

func tree(d *draft) talk {
	arity, down := d.r.whole(2, 8), d.r.chance(0.5)
	return once(d, func(send func(from, to int, weight float64)) {
		for pid := 1; pid < d.procs; pid++ {
			send(pid, (pid-1)/arity, 1)
			if down {
				send((pid-1)/arity, pid, 1)
			}
		}
	})
}

// pipeline sends from each process to a later one. The amount of data may grow or shrink on the way.
func pipeline(d *draft) talk {
	change, lanes := d.r.log(0.95, 1.05), d.r.whole(1, 4)
	return once(d, func(send func(from, to int, weight float64)) {
		weight := 1.0
		for pid := 0; pid+lanes < d.procs; pid++ {
			send(pid, pid+lanes, weight)
			weight = min(max(weight*change, 0.01), 100)
		}
	})
}

// cliques draws groups of processes that send to each other: neighbours or, in half of the cases, random ones.
func cliques(d *draft) talk {
	size := min(d.r.whole(2, min(12, d.procs)), d.most()+1)
	order := d.r.Perm(d.procs)
	if d.r.chance(0.5) {
		for i := range order {
			order[i] = i
		}
	}
	return once(d, func(send func(from, to int, weight float64)) {
		for first := 0; first < d.procs; first += size {
			for a := first; a < min(first+size, d.procs); a++ {
				for b := first; b < min(first+size, d.procs); b++ {
					send(order[a], order[b], 1)
				}
			}
		}
	})
}

// butterfly sends over distances that are powers of two, like a fast Fourier transform. With many
// processes it uses only the longest distances.
func butterfly(d *draft) talk {
	return once(d, func(send func(from, to int, weight float64)) {
		first := max(0, bits.Len(uint(d.procs-1))-d.most())
		for far := 1 << first; far < d.procs; far *= 2 {
			for pid := range d.procs {
				if pid^far < d.procs {
					send(pid, pid^far, 1)
				}
			}
		}
	})
}
