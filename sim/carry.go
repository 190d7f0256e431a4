package sim

import "slices"

// message is on its way from one host to another.
type message struct {
	from, to   int
	bytes      float64
	begin, end float64
}

// network carries messages of one time, which share links: each link gives all
// messages on it the same rate, but for those that other links keep from using theirs,
// whose rest the others share (max-min fairness). A message uses links from the time on
// that its route's latency is over.
type network struct {
	p      *Platform
	routes routes
	ways   []*way    // by message, nil on a host
	used   []int32   // links
	most   []float64 // by link, the rates that all messages could have at once
	groups grouping
	flows  []flow
	next   []int32 // by message, another of the same flow, -1 if there is none
	share  sharing
	lively *lively // nil until there are very many
}

func newNetwork(p *Platform) *network {
	return &network{
		p: p, routes: newRoutes(p), most: make([]float64, len(p.Links)),
		groups: newGrouping(p), share: newSharing(p),
	}
}

// carry finds when each message has arrived.
func (n *network) carry(messages []message) error {
	if err := n.prepare(messages); err != nil {
		return err
	}
	n.next = slices.Grow(n.next[:0], len(messages))[:len(messages)]
	n.groups.each(n.ways, n.most, func(group []int32) {
		if len(group) > 1 || !alone(&messages[group[0]], n.ways[group[0]]) {
			n.together(messages, group)
		}
	})
	return nil
}

// prepare finds the ways of messages and what each link would carry if nothing else
// limited them.
func (n *network) prepare(messages []message) error {
	for _, link := range n.used {
		n.most[link] = 0
	}
	n.used = n.used[:0]
	known := len(n.ways)
	n.ways = slices.Grow(n.ways, max(0, len(messages)-known))[:len(messages)]
	for i := range messages {
		m := &messages[i]
		if m.from == m.to {
			n.ways[i] = nil
			continue
		}
		w := n.ways[i]
		if i >= known || w == nil || w.from != int32(m.from) || w.to != int32(m.to) {
			var err error
			if w, err = n.routes.way(m.from, m.to); err != nil {
				n.ways = n.ways[:0]
				return err
			}
			n.ways[i] = w
		}
		for _, link := range w.links {
			if n.most[link] == 0 {
				n.used = append(n.used, link)
			}
			n.most[link] += w.rate
		}
	}
	return nil
}

// alone finishes a message that shares nothing, unless its links change over time.
func alone(m *message, w *way) bool {
	switch {
	case w == nil:
		m.end = m.begin
	case w.varies:
		return false
	case m.bytes > 0:
		m.end = m.begin + w.latency + m.bytes/w.rate
	default:
		m.end = m.begin + w.latency
	}
	return true
}

// together carries messages that may slow each other down. Those that do the same at
// the same time are one flow.
func (n *network) together(messages []message, group []int32) {
	n.flows = n.flows[:0]
	for _, i := range group {
		m, w := &messages[i], n.ways[i]
		begin := m.begin + w.latency
		n.next[i] = -1
		if at := int(w.flow); at < len(n.flows) && w.bundles() {
			if f := &n.flows[at]; f.way == w && f.left == m.bytes && f.begin == begin {
				n.next[i], f.message = f.message, i
				f.many++
				continue
			}
		}
		w.flow = int32(len(n.flows))
		n.flows = append(n.flows, flow{way: w, many: 1, left: m.bytes, begin: begin, message: i})
	}
	if len(n.flows) > n.groups.many && !slices.ContainsFunc(n.flows, func(f flow) bool { return f.way.varies }) {
		if n.lively == nil {
			n.lively = newLively(n.p, &n.share)
		}
		n.lively.run(n.flows)
	} else {
		n.share.run(n.flows)
	}
	for k := range n.flows {
		for i := n.flows[k].message; i >= 0; i = n.next[i] {
			messages[i].end = n.flows[k].end
		}
	}
}
