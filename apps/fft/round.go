package main

// round is the part of a transform between two redistributions, for one process. Groups of
// size processes transform a vector of length numbers each; member i has the numbers i,
// i+size, i+2*size and so on.
//
// It first transforms its own numbers, which gives a Y(k) for each k < local. If it is not
// alone, a transform of size numbers is left for each k, one from each member, and the
// group splits up so that each k has the processes it needs: another round. Numbers come
// out in the order in which they went in, cyclically over the processes.
type round struct {
	length, size int
	member       int // of the group, that this process is
	base, stride int // member i is process base + i*stride
	local        int // numbers that are transformed at once
	columns      int // and how often
}

// rounds are all of a process's, for a vector of n numbers over parts processes.
func rounds(n, parts, pid int) (all []round) {
	r := round{length: n, size: parts, member: pid, stride: 1, local: n / parts, columns: 1}
	for {
		all = append(all, r)
		if r.size == 1 {
			return all
		}
		r = r.next()
	}
}

// shares returns the number of processes of each k in the next round, and each the number
// of k of a process: one of them is 1.
func (r round) shares() int { return max(1, r.size/r.local) }
func (r round) each() int   { return max(1, r.local/r.size) }

func (r round) next() round {
	n := round{length: r.size, size: r.shares(), columns: r.each(), base: r.base, stride: r.stride, member: r.member}
	n.local = n.length / n.size
	if n.size > 1 {
		n.base += r.member % r.local * r.stride
		n.stride *= r.local
		n.member = r.member / r.local
		return n
	}
	n.base, n.member = r.base+r.member*r.stride, 0
	return n
}

// target is the process that gets packet i, which has each() numbers, and at is their index
// there.
func (r round) target(i int) int {
	return r.base + r.stride*(i+r.local*(r.member%r.shares()))
}

func (r round) at() int { return r.member / r.shares() * r.each() }

// packets is how many there are.
func (r round) packets() int { return min(r.size, r.local) }
