package randprog

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Shrink removes operations of a program while fails reports that it still fails, until the
// deadline.
func (p *Program) Shrink(deadline time.Time, fails func(*Program) bool) *Program {
	for part := 1 << 6; part > 0; part /= 2 {
		for s := range p.steps {
			for pid := range p.Procs {
				for at := len(p.steps[s].ops[pid]); at > 0 && time.Now().Before(deadline); at -= part {
					if q := p.without(s, pid, max(0, at-part), at); q != nil && fails(q) {
						p = q
					}
					at = min(at, len(p.steps[s].ops[pid])+part)
				}
			}
		}
	}
	return p
}

// without returns a copy of p without the ops lo to hi-1 that the process can
// leave out alone. It returns nil if it can leave out none of them.
func (p *Program) without(s, pid, lo, hi int) *Program {
	ops := slices.Clone(p.steps[s].ops[pid])
	kept := ops[:lo:lo]
	for i := lo; i < hi; i++ {
		if ops[i].what >= register {
			kept = append(kept, ops[i])
		}
	}
	if len(kept) == hi {
		return nil
	}
	q := *p
	q.steps = slices.Clone(p.steps)
	q.steps[s].ops = slices.Clone(p.steps[s].ops)
	q.steps[s].ops[pid] = append(kept, ops[hi:]...)
	return &q
}

// maxLines is the maximum number of lines of a listing.
const maxLines = 60

// Listing returns the end of a program: superstep last and the two before it,
// and the memory that they access.
func (p *Program) Listing(last int) string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	areas, blocks := make(map[int]bool), make(map[int]bool)
	for s := max(0, last-2); s <= last; s++ {
		st := &p.steps[s]
		for pid, ops := range st.ops {
			for _, o := range ops {
				if o.what >= register && pid > 0 {
					continue
				}
				say("superstep %d, process %d: %s", s, pid, &o)
				if o.usesArea() {
					areas[o.area], blocks[p.areas[o.area].block] = true, true
				}
				if o.what <= write && o.what != receive {
					blocks[o.block] = true
				}
			}
		}
		say("superstep %d ends with %s (root %d, n %d)", s, endingNames[st.end.what], st.end.root, st.end.n)
	}
	if len(lines) > maxLines {
		lines = append([]string{"..."}, lines[len(lines)-maxLines:]...)
	}
	for i, a := range p.areas {
		if areas[i] {
			say("area %d: block %d, from %v to %v", i, a.block, a.lo, a.hi)
		}
	}
	for i, b := range p.blocks {
		if blocks[i] {
			say("block %d: elements of %d bytes, counts %v, by Alloc: %v", i, kinds[b.kind].size(), b.count, b.fresh)
		}
	}
	return strings.Join(lines, "\n")
}

// usesArea reports whether the field area of an op has a meaning.
func (o *op) usesArea() bool {
	switch o.what {
	case put, hpPut, get, hpGet, keep, register, alloc, pop:
		return true
	}
	return false
}

func (o *op) String() string {
	name := verbNames[o.what]
	values := "new values"
	if o.block >= 0 {
		values = fmt.Sprintf("block %d from %d", o.block, o.local)
	}
	switch o.what {
	case ask:
		return fmt.Sprintf("asks in way %d, process %d, rank from %d", o.how, o.pid, o.fill)
	case keep:
		return fmt.Sprintf("Keep %d elements of area %d", o.n, o.area)
	case put, hpPut, get, hpGet:
		if o.each {
			name += " one by one"
		}
		return fmt.Sprintf("%s of %d elements at %d of process %d's area %d, %s", name, o.n, o.at, o.pid, o.area, values)
	case send:
		if o.each {
			name += " one by one"
		}
		return fmt.Sprintf("%s to process %d on queue %d of %d values", name, o.pid, o.queue, o.n)
	case receive:
		return fmt.Sprintf("%s %d messages of queue %d, way %d", name, o.n, o.queue, o.how)
	case write:
		return fmt.Sprintf("%s %d elements, %s", name, o.n, values)
	case makeQueue:
		return fmt.Sprintf("%s %d", name, o.queue)
	default:
		return fmt.Sprintf("%s area %d", name, o.area)
	}
}
