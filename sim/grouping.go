package sim

import (
	"slices"
)

// grouping groups messages that may slow each other down.
type grouping struct {
	p      *Platform
	joined []int32 // by link, a message that it connects to others, or -1
	seen   []int32 // links with an entry in joined
	parent []int32 // by message, another of the same group
	number []int32 // by message, of its group
	order  []int32 // messages, by group
	begins []int32 // by group, in order
	all    []int32 // messages
	turn   int     // of join
	many   int     // messages that share a scarce link
	bounds bounds
}

func newGrouping(p *Platform) grouping {
	g := grouping{p: p, joined: make([]int32, len(p.Links)), many: manyMessages, bounds: bounds{p: p, sums: make(map[int32]float64)}}
	for i := range g.joined {
		g.joined[i] = -1
	}
	return g
}

// manyMessages is the number of messages from which bounds pay off: they find more pairs of messages
// that cannot slow each other down.
const manyMessages = 1 << 12

// each calls do for all groups of messages, in the order of their first messages; messages
// of a group are in order. most is the rate that each link may have to carry.
func (g *grouping) each(ways []*way, most []float64, do func(group []int32)) {
	for i := len(g.all); i < len(ways); i++ {
		g.all = append(g.all, int32(i))
	}
	all := g.all[:len(ways)]
	g.parent = slices.Grow(g.parent[:0], len(ways))[:len(ways)]
	g.number = slices.Grow(g.number[:0], len(ways))[:len(ways)]
	g.join(all, ways, most)
	var large [][]int32
	g.split(all, func(group []int32) {
		if len(group) > g.many {
			large = append(large, slices.Clone(group))
		} else {
			do(group)
		}
	})
	for _, group := range large {
		g.join(group, ways, g.bounds.find(group, ways, most))
		g.split(group, do)
	}
}

// join connects messages on links that may have to carry more than they can.
func (g *grouping) join(messages []int32, ways []*way, most []float64) {
	for _, link := range g.seen {
		g.joined[link] = -1
	}
	g.seen = g.seen[:0]
	for _, i := range messages {
		g.parent[i] = i
	}
	g.turn++
	for _, i := range messages {
		w := ways[i]
		if w == nil {
			continue
		}
		if w.turn == g.turn {
			if w.leader >= 0 {
				g.parent[i] = w.leader
			}
			continue
		}
		w.turn, w.leader = g.turn, -1
		for _, link := range w.links {
			if l := &g.p.Links[link]; most[link] <= l.Rate && len(l.Share) == 0 {
				continue
			}
			w.leader = i
			if g.joined[link] < 0 {
				g.joined[link] = i
				g.seen = append(g.seen, link)
			} else {
				g.parent[g.top(i)] = g.top(g.joined[link])
			}
		}
	}
}

// split calls do for all groups of these messages. do may use the slice only until it
// returns.
func (g *grouping) split(messages []int32, do func(group []int32)) {
	g.begins = g.begins[:0]
	for _, i := range messages {
		g.number[i] = -1
	}
	for _, i := range messages {
		top := g.top(i)
		if g.number[top] < 0 {
			g.number[top] = int32(len(g.begins))
			g.begins = append(g.begins, 0)
		}
		g.begins[g.number[top]]++
	}
	at := int32(0)
	for k, n := range g.begins {
		g.begins[k], at = at, at+n
	}
	g.order = slices.Grow(g.order[:0], len(messages))[:len(messages)]
	for _, i := range messages {
		k := g.number[g.top(i)]
		g.order[g.begins[k]] = i
		g.begins[k]++
	}
	from := int32(0)
	for _, to := range g.begins {
		do(g.order[from:to])
		from = to
	}
}

// top returns the message that represents the group of a message.
func (g *grouping) top(i int32) int32 {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

// bounds limits the rates that links may have to carry by the first and the last link of
// each message's route: all messages of one host together are not faster than its link.
type bounds struct {
	p     *Platform
	most  []float64         // by link
	part  []float64         // by link: the rate through the first or last links that are being added up
	parts []int32           // links with a part
	sums  map[int32]float64 // by link: of the parts
	ends  []bool            // by link: it is the first or the last for some message
	seen  []int32           // links at ends
	last  []int32           // by link: where its messages end in order
	order []int32           // messages, by the link at the end
}

// find returns the maximum rate that each link may have to carry for a group of at least two
// messages, which contains every message of each scarce link. Links at ends of routes keep their
// figures; otherwise each of two links could count as wide enough because of the other.
func (b *bounds) find(group []int32, ways []*way, most []float64) []float64 {
	if n := len(most); b.most == nil {
		b.most, b.part, b.ends, b.last = make([]float64, n), make([]float64, n), make([]bool, n), make([]int32, n)
	}
	copy(b.most, most)
	clear(b.ends)
	first := func(links []int32) int32 { return links[0] }
	last := func(links []int32) int32 { return links[len(links)-1] }
	for _, i := range group {
		b.ends[first(ways[i].links)], b.ends[last(ways[i].links)] = true, true
	}
	b.tighten(group, ways, first)
	b.tighten(group, ways, last)
	return b.most
}

// tighten lowers figures to the rate that the links at one end of all routes let through.
func (b *bounds) tighten(group []int32, ways []*way, end func(links []int32) int32) {
	clear(b.sums)
	b.sort(group, ways, end)
	from := int32(0)
	for _, link := range b.seen {
		to := b.last[link]
		for _, i := range b.order[from:to] {
			b.add(ways[i])
		}
		for _, inner := range b.parts {
			through := b.part[inner]
			if len(b.p.Links[link].Share) == 0 {
				through = min(through, b.p.Links[link].Rate)
			}
			b.sums[inner] += through
			b.part[inner] = 0
		}
		b.last[link], b.parts, from = 0, b.parts[:0], to
	}
	for inner, sum := range b.sums {
		b.most[inner] = min(b.most[inner], sum)
	}
}

// sort orders messages by the link at the end. last then has, by link, where its messages
// end in order.
func (b *bounds) sort(group []int32, ways []*way, end func(links []int32) int32) {
	b.seen = b.seen[:0]
	for _, i := range group {
		link := end(ways[i].links)
		if b.last[link] == 0 {
			b.seen = append(b.seen, link)
		}
		b.last[link]++
	}
	at := int32(0)
	for _, link := range b.seen {
		b.last[link], at = at, at+b.last[link]
	}
	b.order = slices.Grow(b.order[:0], len(group))[:len(group)]
	for _, i := range group {
		link := end(ways[i].links)
		b.order[b.last[link]] = i
		b.last[link]++
	}
}

// add counts a message on the inner links of its route.
func (b *bounds) add(w *way) {
	for _, link := range w.links {
		if b.ends[link] {
			continue
		}
		if b.part[link] == 0 {
			b.parts = append(b.parts, link)
		}
		b.part[link] += w.rate
	}
}
