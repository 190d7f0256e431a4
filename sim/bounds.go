package sim

import "slices"

// bounds says what links may have to carry if the first and the last link of each
// message's way are looked at: however many messages come from one host, together they
// do not have more than its link.
type bounds struct {
	p     *Platform
	most  []float64         // by link
	part  []float64         // by link: what comes by the first or last link that is looked at
	parts []int32           // links with a part
	sums  map[int32]float64 // by link: of the parts
	ends  []bool            // by link: it is the first or the last for some message
	seen  []int32           // links at ends
	last  []int32           // by link: where its messages end in order
	order []int32           // messages, by the link at the end
}

func newBounds(p *Platform) bounds { return bounds{p: p, sums: make(map[int32]float64)} }

// find is what links may have to carry for a group of two messages or more that has
// all those which a scarce link carries. Links at ends of ways keep their figures, so
// that no two links are each taken to be wide enough because of the other.
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

// tighten lowers figures by what the links at one end of all ways let through.
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

// sort puts messages in order that have the same link at the end. last then has where
// those of a link end.
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

// add counts a message on the inner links of its way.
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
