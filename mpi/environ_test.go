//go:build mpi && cgo

package mpi

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/internal/idle"
	"github.com/migbsp/migbsp/mpi/rounds"
)

func TestSettingFromEnv(t *testing.T) {
	auto := directOn
	if hasAdapter() {
		auto = directPieces
	}
	usual := setting{nodes: maxMembers, direct: auto, attach: true}
	with := func(change func(*setting)) setting {
		s := usual
		change(&s)
		return s
	}
	for _, c := range []struct {
		environ string // of words NAME=VALUE, without MIGBSP_
		want    setting
		wrong   string
	}{
		{"", usual, ""},
		{"DIRECT=auto ATTACH=on SHM=on WAIT=auto RADIX=auto", usual, ""},
		{"DIRECT=on ATTACH=off", with(func(s *setting) { s.direct, s.attach = directOn, false }), ""},
		{"DIRECT=pieces", with(func(s *setting) { s.direct = directPieces }), ""},
		{"DIRECT=off", with(func(s *setting) { s.direct = directOff }), ""},
		{"DIRECT=yes", usual, `MIGBSP_DIRECT is "yes", want auto, on, pieces or off`},
		{"ATTACH=no", usual, `MIGBSP_ATTACH is "no", want on or off`},
		{"SHM=off NODE_SIZE=3", with(func(s *setting) { s.nodes, s.apart = 1, "MIGBSP_SHM=off" }), ""},
		{"SHM=no", usual, `MIGBSP_SHM is "no", want on or off`},
		{"NODE_SIZE=3", with(func(s *setting) { s.nodes, s.apart = 3, "MIGBSP_NODE_SIZE=3" }), ""},
		{"NODE_SIZE=100000", with(func(s *setting) { s.apart = "MIGBSP_NODE_SIZE=100000" }), ""},
		{"NODE_SIZE=0", usual, `MIGBSP_NODE_SIZE is "0", want a number of ranks`},
		{"NODE_SIZE=x", usual, `MIGBSP_NODE_SIZE is "x", want a number of ranks`},
		{"WAIT=spin", with(func(s *setting) { s.wait = idle.Spin }), ""},
		{"WAIT=yield", with(func(s *setting) { s.wait = idle.Yielding }), ""},
		{"WAIT=nap", with(func(s *setting) { s.wait = idle.Napping }), ""},
		{"WAIT=long", usual, `MIGBSP_WAIT is "long", want auto, spin, yield or nap`},
		{"RADIX=2", with(func(s *setting) { s.radix = 2 }), ""},
		{"RADIX=16", with(func(s *setting) { s.radix = 16 }), ""},
		{"RADIX=1", usual, `MIGBSP_RADIX is "1", want auto or a number from 2 on`},
		{"RADIX=x", usual, `MIGBSP_RADIX is "x", want auto or a number from 2 on`},
	} {
		for _, name := range []string{"SHM", "NODE_SIZE", "WAIT", "DIRECT", "ATTACH", "RADIX"} {
			t.Setenv("MIGBSP_"+name, "")
		}
		for _, word := range strings.Fields(c.environ) {
			name, value, _ := strings.Cut(word, "=")
			t.Setenv("MIGBSP_"+name, value)
		}
		got, err := settingFromEnv()
		switch {
		case c.wrong == "" && (err != nil || got != c.want):
			t.Errorf("%s: got %v, %v, want %v", c.environ, got, err, c.want)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%s: error %v, want one with %s", c.environ, err, c.wrong)
		}
	}
}

func TestRoundCost(t *testing.T) {
	for _, c := range []struct {
		what  string
		lines []lineCost
		want  int
	}{
		{"nothing is known", nil, rounds.UsualCost},
		{"the loopback", []lineCost{{5000, 4500}, {4000, 4000}}, 1},
		{"a fast network", []lineCost{{400, 1700}, {390, 1760}}, 4},
		{"TCP", []lineCost{{6000, 27_000}}, 4},
		{"lines of a millisecond", []lineCost{{30_000, 1_040_000}, {28_000, 1_000_000}}, 32},
		{"one long line", []lineCost{{6000, 27_000}, {6000, 500_000}}, 64},
		{"a slow look at a short line", []lineCost{{500, 40_000}}, rounds.LongCost},
	} {
		if got := roundCost(c.lines); got != c.want {
			t.Errorf("%s: a round costs %d messages, want %d", c.what, got, c.want)
		}
	}
}

func TestRadixAboveTheNumberOfNodes(t *testing.T) {
	for _, nodes := range []int{2, 3, 9} {
		if p := (radixRule{radix: 5}).plan(nodes); p.Radix != min(5, nodes) {
			t.Errorf("%d nodes have radix %d", nodes, p.Radix)
		}
	}
}

// TestChoiceOfPlan checks the choice of plan by the machines, the cost of a round over their lines,
// and the number of nodes.
func TestChoiceOfPlan(t *testing.T) {
	for _, c := range []struct {
		what                string
		radix               int
		crowded, oneMachine bool
		cost                int // measured, 0 if it is not
		nodes               int
		tree                bool
		want                int // radix
	}{
		{"the loopback", 0, false, true, 1, 16, false, 2},
		{"a fast network, few nodes", 0, false, false, 4, 8, false, 8},
		{"a fast network", 0, false, false, 4, 16, false, 4},
		{"a fast network, many nodes", 0, false, false, 4, 1024, false, 4},
		{"lines of a millisecond", 0, false, false, 32, 16, false, 16},
		{"cores of several machines are shared", 0, true, false, 0, 16, false, 4},
		{"the cores of one machine are shared", 0, true, true, 0, 16, true, 0},
		{"by few nodes", 0, true, true, 0, choiceFrom, true, 0},
		{"by nodes that have no choice", 0, true, true, 0, choiceFrom - 1, false, 3},
		{"by many nodes", 0, true, true, 0, rounds.MostTree, true, 0},
		{"by more than a tree has slots for", 0, true, true, 0, rounds.MostTree + 1, false, 3},
		{"MIGBSP_RADIX", 3, true, true, 0, 16, false, 3},
		{"MIGBSP_RADIX, above the number of nodes", 30, false, false, 0, 16, false, 16},
	} {
		rule, measure := ruleOf(c.radix, c.crowded, c.oneMachine)
		if measure != (c.cost > 0) {
			t.Errorf("%s: lines are measured: %v", c.what, measure)
		}
		if measure {
			rule.cost = c.cost
		}
		tree, plan := rule.tree(c.nodes), rule.plan(c.nodes)
		if (tree != nil) != c.tree || !c.tree && plan.Radix != c.want {
			t.Errorf("%s, %d nodes: tree %v, radix %d, want tree %v, radix %d", c.what, c.nodes, tree != nil, plan.Radix, c.tree, c.want)
		}
	}
}

// TestMemoryOfTheExchange computes the memory that one rank of 4096 takes for exchanges, from the
// sizes of its tables, on nodes of various sizes.
func TestMemoryOfTheExchange(t *testing.T) {
	const ranks, most = 4096, 16 << 20
	for _, node := range []int{1, 2, 16, 64, 256, maxMembers} {
		members, nodes := min(node, ranks), (ranks+node-1)/node
		tables := exchangeTables(ranks, members, nodes)
		buffers := exchangeBuffers(ranks, members)
		t.Logf("nodes of %d: %d kB of tables, %d kB of buffers if all have sent to all", node, tables>>10, buffers>>10)
		if total := tables + buffers; total > most {
			t.Errorf("nodes of %d ranks: a rank of %d takes %d bytes, more than %d", node, ranks, total, most)
		}
	}
}

// exchangeTables returns the size of a rank's initial tables; its node's leader has the largest.
func exchangeTables(ranks, members, nodes int) int {
	word := int(unsafe.Sizeof(uintptr(0)))
	lane := ranks*(int(unsafe.Sizeof(Buffer{}))+int(unsafe.Sizeof([]byte(nil)))+int(unsafe.Sizeof(outgoing{}))+word) + members
	world := ranks*word*5 + members*(2*word+int(unsafe.Sizeof(peer{})+unsafe.Sizeof(&slot{}))) // world, node, member, reach, remote
	mail := int(channels) * 2 * members * word
	relay := ranks*(word+1) + members*2*word + nodes*(int(unsafe.Sizeof(load{})+unsafe.Sizeof(parcel{}))+2*word)
	slots := slotsOf(rounds.For(nodes))
	if dense := rounds.ForDense(nodes, rounds.For(nodes)); dense != nil {
		slots = max(slots, slotsOf(dense))
	}
	return Lanes*lane + world + mail + boardBytes(members) + relay + slots
}

// slotsOf returns the size of the message slots of the rounds: received on each lane, and sent.
func slotsOf(p *rounds.Plan) int { return len(p.Steps) * p.SlotBytes * (Lanes + 1) }

// exchangeBuffers returns the size of the outgoing buffers when each has carried a little: two for
// a member, one for others, in parts that the arena counts.
func exchangeBuffers(ranks, members int) int {
	part := roundUp(blockHead+leastBuffer, lineBytes) + 4*int(unsafe.Sizeof(int(0)))
	return Lanes * part * (ranks + members)
}
