//go:build mpi && cgo

package mpi

import (
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/rounds"
)

// TestMemoryOfTheExchange computes what a rank of 4096 takes for exchanges, from what its
// tables are made of, on nodes of various sizes.
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

// exchangeTables is what a rank has from the beginning, its node's leader most.
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

// slotsOf is what messages of the rounds take: those that come on each lane, and those sent.
func slotsOf(p *rounds.Plan) int { return len(p.Steps) * p.SlotBytes * (Lanes + 1) }

// exchangeBuffers is what its outgoing buffers take when each has carried a little: two for
// a member, one for others, in parts that the arena counts.
func exchangeBuffers(ranks, members int) int {
	part := roundUp(blockHead+leastBuffer, lineBytes) + 4*int(unsafe.Sizeof(int(0)))
	return Lanes * part * (ranks + members)
}
