package main

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bench/exchange/traffic"
	"github.com/migbsp/migbsp/mpi/rounds"
)

// round has figures with which one can compute.
var round = network{L: 10, O: 2, R: 3, W: 1}

func took(n network, s traffic.Shape, fold bool, w way) float64 {
	return newMachine(n, s, fold, 6, w).run()
}

func same(a, b float64) bool { return math.Abs(a-b) < 1e-6*max(1, math.Abs(a)) }

// Each by hand: o, L, o_recv are 2, 10 and 3.
func TestByHand(t *testing.T) {
	with := func(change func(n *network)) network {
		n := round
		change(&n)
		return n
	}
	long := with(func(n *network) { n.G = 0.001 })
	shape := func(nodes, ranks int) traffic.Shape { return traffic.Shape{Nodes: nodes, Ranks: ranks} }
	ours := func(nodes, ranks, radix int, p traffic.Pattern, bytes int) way {
		return newLevels(rounds.WithRadix(nodes, radix), shape(nodes, ranks), p, bytes)
	}
	for _, c := range []struct {
		name  string
		n     network
		shape traffic.Shape
		way   way
		want  float64
	}{
		{"a message there and one back at once", round, shape(2, 1), ours(2, 1, 2, traffic.Empty, 0), 2 + 10 + 3},
		// Sent at 2, 4, 6; there at 12, 14, 16; received from 12 to 15, to 18, to 21.
		{"three messages at once", round, shape(4, 1), ours(4, 1, 4, traffic.Empty, 0), 21},
		{"two rounds of one message", round, shape(4, 1), ours(4, 1, 2, traffic.Empty, 0), 30},
		{"a slow card", with(func(n *network) { n.W = 7 }), shape(4, 1), ours(4, 1, 4, traffic.Empty, 0), 2 + 7 + 7 + 10 + 3},
		// The leader reads one word before its message; its member one that it goes on, and one
		// that the leader had come.
		{"a node of two ranks", with(func(n *network) { n.M = 1 }), shape(2, 2), ours(2, 2, 2, traffic.Empty, 0), 1 + 15 + 2},
		{"nothing to send", with(func(n *network) { n.M = 1 }), shape(1, 3), ours(1, 3, 2, traffic.AllToAll, 8), 2 + 1 + 2},
		// Head, label, record and 100 bytes: 16 + 16 + 128.
		{"a small parcel goes along", long, shape(2, 1), ours(2, 1, 2, traffic.AllToAll, 100), 15 + 0.159},
		{"and is copied by both processors", with(func(n *network) { n.B = 0.01; n.E = 100 }), shape(2, 1), ours(2, 1, 2, traffic.AllToAll, 100), 15 + 2},
		{"and is copied in memory", with(func(n *network) { n.C = 0.01 }), shape(2, 1), ours(2, 1, 2, traffic.AllToAll, 100), 15 + 1.44},
		// 40 000 bytes and a record leave at 4, after the announcement, are there from 14 to 54.015.
		{"a long one by itself", long, shape(2, 1), ours(2, 1, 2, traffic.AllToAll, 40000), 54.015 + 3},
		// From each member 40 000 bytes for both of the other node, twice for one of these, leave
		// before the announcement does, and are there from 12 on, one after the other. The leader
		// receives the last, then that.
		{"long pieces go straight", with(func(n *network) { n.G = 0.001; n.W = 0 }), shape(2, 2), newLevels(rounds.For(2), shape(2, 2), traffic.Halo, 40000), 12 + 2*(79.999+39.999) + 3 + 3},
		{"a barrier by dissemination", round, shape(5, 1), newByHand(shape(5, 1), traffic.Empty, 0, dissemination), 3 * 15},
		{"a barrier by recursive doubling", round, shape(8, 1), newByHand(shape(8, 1), traffic.Empty, 0, doubling), 3 * 15},
		// Node 4 tells node 0, which tells node 1, and that node 3.
		{"one beyond a power of two", round, shape(5, 1), newByHand(shape(5, 1), traffic.Empty, 0, doubling), 3 * 15},
		// Four messages leave at 2, 4, 6, 8 and take 1 more; received from 13 on.
		{"neighbours", with(func(n *network) { n.G = 0.01 }), shape(9, 1), newByHand(shape(9, 1), traffic.Halo, 101, none), 13 + 4*3},
		{"neighbours and a barrier", with(func(n *network) { n.G = 0.01 }), shape(9, 1), newByHand(shape(9, 1), traffic.Halo, 101, dissemination), 25 + 4*15},
		// The message of the rounds has 16 + 16 + 128 bytes.
		{"partners that are remembered", with(func(n *network) { n.G = 0.01 }), shape(2, 1), &levels{plan: rounds.For(2), partners: true, parcels: []parcel{{dst: 1, bytes: 116}}, near: []int{1}, members: make([]pieces, 1)}, 15 + 1.59},
		// Both nodes of a switch send 1001 bytes through an uplink that takes as long as a card:
		// half a message of each passes at once.
		{"an uplink", with(func(n *network) { n.G = 0.01; n.Leaf = 2; n.Taper = 2 }), shape(4, 1), newByHand(shape(4, 1), traffic.Empty, 0, dissemination), 30},
	} {
		if got := took(c.n, c.shape, false, c.way); !same(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

var patterns = []traffic.Pattern{traffic.Empty, traffic.Halo, traffic.AllToAll}

// ways are all of them for a superstep.
func ways(s traffic.Shape, p traffic.Pattern, bytes int) map[string]way {
	remembered := newLevels(rounds.For(s.Nodes), s, p, bytes)
	remembered.partners = true
	return map[string]way{
		"rounds":                    newLevels(rounds.For(s.Nodes), s, p, bytes),
		"radix 2":                   newLevels(rounds.WithRadix(s.Nodes, 2), s, p, bytes),
		"radix 3":                   newLevels(rounds.WithRadix(s.Nodes, 3), s, p, bytes),
		"direct":                    newLevels(rounds.WithRadix(s.Nodes, max(2, s.Nodes)), s, p, bytes),
		"remembered":                remembered,
		"by hand":                   newByHand(s, p, bytes, none),
		"by hand and dissemination": newByHand(s, p, bytes, dissemination),
		"by hand and doubling":      newByHand(s, p, bytes, doubling),
	}
}

var figures = network{L: 3.3, O: 1.1, R: 1.3, B: 0.0001, E: 4096, W: 0.9, G: 0.0005, M: 0.08, C: 0.0001}

// One node stands for all.
func TestFold(t *testing.T) {
	for _, s := range []traffic.Shape{{Nodes: 2, Ranks: 1}, {Nodes: 5, Ranks: 1}, {Nodes: 16, Ranks: 1}, {Nodes: 4, Ranks: 6}, {Nodes: 16, Ranks: 2}} {
		for _, p := range patterns {
			for _, bytes := range []int{8, 3000, 50_000} {
				for name, w := range ways(s, p, bytes) {
					if name == "by hand and doubling" && s.Nodes == 5 {
						continue // nodes are not alike
					}
					all, one := newMachine(figures, s, false, 6, w), newMachine(figures, s, true, 6, w)
					if a, b := all.run(), one.run(); !same(a, b) {
						t.Errorf("%v, %v of %d bytes, %s: %v, with one node for all %v", s, p, bytes, name, a, b)
					}
					sent, carried := all.perNode()
					if m, b := one.perNode(); m != sent || b != carried {
						t.Errorf("%v, %v of %d bytes, %s: %v messages of %v bytes, with one node for all %v of %v", s, p, bytes, name, sent, carried, m, b)
					}
				}
			}
		}
	}
}

// All nodes hear of all, and each gets each parcel once, also where ranks share cores and
// where nodes share uplinks.
func TestNothingIsLost(t *testing.T) {
	crowded, tapered := figures, figures
	crowded.Cores, crowded.Turn = 2, 0.7
	tapered.Leaf, tapered.Taper = 3, 4
	for _, n := range []network{figures, crowded, tapered} {
		for _, s := range []traffic.Shape{{Nodes: 1, Ranks: 3}, {Nodes: 2, Ranks: 1}, {Nodes: 5, Ranks: 3}, {Nodes: 17, Ranks: 1}} {
			for _, p := range patterns {
				for _, bytes := range []int{8, 3000, 50_000} {
					for _, radix := range []int{2, 3, rounds.Radix(s.Nodes), max(2, s.Nodes)} {
						w := newLevels(rounds.WithRadix(s.Nodes, radix), s, p, bytes)
						w.check = &received{nodes: s.Nodes}
						m := newMachine(n, s, false, 4, w)
						m.run()
						about := fmt.Sprintf("%v, %v of %d bytes, radix %d", s, p, bytes, radix)
						if len(w.check.flags) != 4*s.Nodes {
							t.Fatalf("%s: %d nodes have ended 4 supersteps", about, len(w.check.flags))
						}
						for k, flags := range w.check.flags {
							if flags != s.Nodes {
								t.Fatalf("%s: a node has heard of %d", about, flags)
							}
							if got := w.check.parcels[k]; !once(got, w.parcels, s.Nodes) {
								t.Fatalf("%s: a node has got %+v of %+v", about, got, w.parcels)
							}
						}
						want := float64(len(w.plan.Steps))
						for _, pc := range w.parcels {
							if pc.bytes > w.plan.InlineBytes {
								want++
							}
						}
						for _, member := range w.members {
							want += float64(len(member.long))
						}
						if sent, _ := m.perNode(); sent != want {
							t.Errorf("%s: a node sends %v messages, want %v", about, sent, want)
						}
					}
				}
			}
		}
	}
}

// once tells whether a node has got one parcel from each that has one for it.
func once(got, each []parcel, nodes int) bool {
	var have, want []string
	for _, p := range got {
		have = append(have, fmt.Sprint((p.dst-p.src+nodes)%nodes, " ", p.bytes))
	}
	for _, p := range each {
		want = append(want, fmt.Sprint(p.dst, " ", p.bytes))
	}
	slices.Sort(have)
	slices.Sort(want)
	return slices.Equal(have, want)
}

// What costs more takes no less.
func TestMonotone(t *testing.T) {
	s := traffic.Shape{Nodes: 10, Ranks: 3}
	for name, more := range map[string]func(n *network){
		"L": func(n *network) { n.L *= 2 }, "o": func(n *network) { n.O *= 2 }, "o_recv": func(n *network) { n.R *= 2 },
		"g": func(n *network) { n.W *= 3 }, "G": func(n *network) { n.G *= 2 }, "line": func(n *network) { n.M *= 2 },
		"copying": func(n *network) { n.C *= 2 }, "uplinks": func(n *network) { n.Leaf, n.Taper = 4, 8 },
		"bytes": func(n *network) { n.B *= 3 }, "a core of each node": func(n *network) { n.Cores, n.PerNode, n.Turn = 1, true, 0.1 },
		"cores": func(n *network) { n.Cores, n.Turn = 4, 0.1 },
	} {
		n := figures
		more(&n)
		for _, p := range patterns {
			for which, w := range ways(s, p, 1000) {
				less, more := took(figures, s, false, w), took(n, s, false, w)
				if more < less*0.99 { // who is late with one thing may find another one first
					t.Errorf("more for %s: %v by %s takes %v instead of %v", name, p, which, more, less)
				}
			}
		}
	}
	for _, p := range patterns[1:] {
		last := 0.0
		for _, bytes := range []int{8, 100, 1000, 10_000, 50_000} {
			if now := took(figures, s, true, newLevels(rounds.For(10), s, p, bytes)); now < last {
				t.Errorf("%v of %d bytes takes %v, of fewer %v", p, bytes, now, last)
			} else {
				last = now
			}
		}
	}
	last := 0.0
	for nodes := 2; nodes <= 4096; nodes *= 2 {
		s := traffic.Shape{Nodes: nodes, Ranks: 4}
		if now := took(figures, s, true, newLevels(rounds.WithRadix(nodes, 2), s, traffic.Empty, 0)); now < last {
			t.Errorf("%d nodes take %v, half of them %v", nodes, now, last)
		} else {
			last = now
		}
	}
}

// Two ranks share a core. In its turn each finds two messages, for it has got one before it
// had sent its own: it receives one, sends, receives, sends, and passes the core on.
func TestTurns(t *testing.T) {
	n, s := round, traffic.Shape{Nodes: 2, Ranks: 1}
	n.L, n.Cores, n.Turn = 0, 1, 1
	m := newMachine(n, s, false, 40, newLevels(rounds.For(2), s, traffic.Empty, 0))
	m.run()
	if ended := m.ranks[0].ended; !same(ended[38]-ended[18], 20*(2*(3+2)+1)) {
		t.Errorf("20 supersteps take %v, want 220", ended[38]-ended[18])
	}
	n.Cores = 2
	if got := took(n, s, false, newLevels(rounds.For(2), s, traffic.Empty, 0)); got < 5 || got > 7 {
		t.Errorf("%v on two cores", got)
	}
}
