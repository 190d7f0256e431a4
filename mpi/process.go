//go:build mpi && cgo

package mpi

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/internal/idle"
	gompi "github.com/sbromberger/gompi"
)

// process is the state that all Comms of this process share: the nodes, the
// arenas of the node's ranks, and how to wait.
//
// A node shares memory if every rank of it could map the arenas of all others: the
// ranks agree on that once, at the start, and it holds for all Comms. The pages of an
// arena belong to its rank, others write to them through reach only.
type process struct {
	comm     *gompi.Communicator // all ranks
	on       Handle              // that
	lent     bool                // MPI is the program's own: this package ends it not
	rank     int
	library  string
	setting  setting
	arena    *arena
	blocks   *blocks // of the arena, nil if no other rank can address it
	unshared error   // why this node's ranks do not share memory
	wait     idle.Waiter
	engine   Engine // without Present
	machine  int    // ranks of this machine
	attached bool   // this node's ranks can copy from and to each other's ordinary memory
	pids     []int  // of processes, by rank in the run

	waitAmong func(absent int) idle.Waiter // with that many ranks of the machine away

	// By rank in the run:
	sharing []bool           // it shares memory with all others of its node
	reach   []unsafe.Pointer // start of its arena, nil if out of reach
	mapped  [][]byte         // the others' arenas
}

// newProcess finds the ranks of this node and connects their arenas. All
// processes call it.
func newProcess(on Handle, setting setting, quota float64) (*process, error) {
	place, err := findPlace(on, setting.nodes)
	if err != nil {
		return nil, err
	}
	leader, nodeRanks, cpus := int(place.leader), int(place.node_ranks), int(place.cpus)
	p := &process{
		comm:    communicatorOf(on),
		on:      on,
		library: Library(),
		setting: setting,
		engine:  Engine{Cores: cpus},
		machine: nodeRanks,
		waitAmong: func(absent int) idle.Waiter {
			return idle.New(setting.wait, max(1, nodeRanks-absent), cpus, quota)
		},
	}
	p.rank = p.comm.Rank()
	p.wait = p.waitAmong(0)
	if p.arena, err = newArena(nodeRanks); err != nil {
		return nil, err
	}
	p.connect(leader)
	return p, nil
}

// table gathers a row of integers from each rank. All processes call it.
func (p *process) table(mine ...int64) [][]int64 {
	size, n := p.comm.Size(), len(mine)
	row := make([]int64, size*n)
	copy(row[p.rank*n:], mine)
	all := make([]int64, size*n)
	p.comm.AllreduceInt64s(all, row, gompi.OpSum, 0)
	rows := make([][]int64, size)
	for r := range rows {
		rows[r] = all[r*n : (r+1)*n]
	}
	return rows
}

// Columns of the table that ranks use to map each other's arenas.
const (
	introLeader = iota
	introPid
	introFd
	introSize
	introKey
	introBase
)

// connect maps the arenas of this node's other ranks, and agrees on whether the node shares memory.
// If the node has no other rank, blocks is not used.
func (p *process) connect(leader int) {
	a := p.arena
	intro := p.table(int64(leader), int64(os.Getpid()), int64(a.fd), int64(len(a.mem)), int64(*a.key()), int64(uintptr(a.base)))
	p.numberNodes(intro)
	p.reach = make([]unsafe.Pointer, len(intro))
	failed := int64(0)
	if p.unshared = p.mapPeers(leader, intro); p.unshared != nil {
		failed = 1
	}
	apart := int64(0)
	if p.unshared != nil || !p.setting.attach || !p.attachesPeers(leader, intro) {
		apart = 1
	}
	bad := make(map[int]bool)
	p.attached = true
	for r, row := range p.table(failed, apart, int64(p.setting.direct)) {
		bad[p.engine.Nodes[r]] = bad[p.engine.Nodes[r]] || row[0] != 0
		p.attached = p.attached && (row[1] == 0 || p.engine.Nodes[r] != p.engine.Nodes[p.rank])
		if directMode(row[2]) == directOff {
			p.setting.direct = directOff
		}
	}
	p.sharing = make([]bool, len(intro))
	for r := range p.sharing {
		p.sharing[r] = !bad[p.engine.Nodes[r]]
	}
	if !p.sharing[p.rank] {
		if p.unshared == nil {
			p.unshared = errors.New("another rank of the node cannot")
		}
		clear(p.reach)
	}
	p.reach[p.rank] = a.base
	for r, base := range p.reach {
		if base != nil && r != p.rank {
			p.blocks = newBlocks(a)
			return
		}
	}
	closeFile(a.fd)
	a.fd = -1
}

func (p *process) mapPeers(leader int, intro [][]int64) error {
	for r, other := range intro {
		if r == p.rank || int(other[introLeader]) != leader {
			continue
		}
		mem, err := mapPeer(int(other[introPid]), int(other[introFd]), int(other[introSize]))
		if err != nil {
			return err
		}
		p.mapped = append(p.mapped, mem)
		p.reach[r] = unsafe.Pointer(unsafe.SliceData(mem))
		if *(*uint64)(p.reach[r]) != uint64(other[introKey]) {
			return errors.New("the processes of this node do not see each other")
		}
	}
	return nil
}

// attachesPeers reports whether the kernel lets this process copy from and to the memory of the
// node's others.
func (p *process) attachesPeers(leader int, intro [][]int64) bool {
	for r, other := range intro {
		if r == p.rank || int(other[introLeader]) != leader {
			continue
		}
		if !attachable(int(other[introPid]), uintptr(other[introBase]), uint64(other[introKey])) {
			return false
		}
	}
	return true
}

func (p *process) numberNodes(intro [][]int64) {
	number := make(map[int64]int)
	p.pids = make([]int, len(intro))
	p.engine.Nodes = make([]int, len(intro))
	for r, row := range intro {
		n, known := number[row[introLeader]]
		if !known {
			n = len(number)
			number[row[introLeader]] = n
		}
		p.engine.Nodes[r], p.pids[r] = n, int(row[introPid])
	}
}

// finishLimit is the time that the library may take to end after all ranks are done with it. Some
// versions hang there.
const finishLimit = 30 * time.Second

// finish ends the use of MPI by all processes.
func (p *process) finish() error {
	p.comm.Barrier()
	if p.lent {
		return p.leave()
	}
	done := make(chan struct{})
	go func() {
		gompi.Stop()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(finishLimit):
		return fmt.Errorf("mpi: all work is done, but %s did not end within %v", p.library, finishLimit)
	}
}

// nodes groups the ranks of the run.
func (p *process) nodes() nodeTable {
	t := nodeTable{of: make([]int, len(p.engine.Nodes))}
	number := make(map[int]int)
	for r, node := range p.engine.Nodes {
		n, known := number[node]
		if !known || !p.sharing[r] {
			n = len(t.leaders)
			number[node] = n
			t.leaders, t.alone = append(t.leaders, r), append(t.alone, true)
		} else {
			t.alone[n] = false
		}
		t.of[r] = n
	}
	t.me = t.of[p.rank]
	return t
}

// sendable reports whether the library may access that memory directly. The library is informed
// when memory of the arena is given back, including the memory of blocks.
func (p *process) sendable(mem []byte) bool {
	if p.setting.direct == directOn {
		return true
	}
	at := unsafe.Pointer(unsafe.SliceData(mem))
	if _, inside := p.arena.place(at); inside {
		return true
	}
	if p.blocks == nil {
		return false
	}
	_, inside := p.blocks.place(at)
	return inside
}

// attachable reports whether this process can copy from and to the memory of another one,
// whose arena begins at that address there, with that key.
func attachable(pid int, address uintptr, key uint64) bool {
	mine := make([]byte, unsafe.Sizeof(key))
	if attachCopy(false, pid, address, mine) != nil || *(*uint64)(unsafe.Pointer(&mine[0])) != key {
		return false
	}
	return attachCopy(true, pid, address, mine) == nil
}

// findRadix makes the rule for these nodes, the same on all ranks, which all call it.
func (p *process) findRadix(m *mesh, nodes nodeTable) (err error) {
	radix, crowded := p.setting.radix, 0
	if p.wait.Crowded {
		crowded = 1
	}
	for _, row := range p.table(int64(radix), int64(crowded)) {
		radix, crowded = max(radix, int(row[0])), crowded|int(row[1])
	}
	measure := false
	m.rule, measure = ruleOf(radix, crowded > 0, p.machine == p.comm.Size())
	if measure && len(nodes.leaders) >= choiceFrom {
		if m.rule.cost, err = p.measureLines(m, nodes); err != nil {
			return err
		}
	}
	m.attend(nodes)
	return nil
}

// measureLines returns the cost of a round between these nodes.
func (p *process) measureLines(m *mesh, nodes nodeTable) (cost int, err error) {
	var own lineCost
	if nodes.leaders[nodes.me] == p.rank {
		if own, err = m.measure(nodes); err != nil {
			return 0, err
		}
	}
	var lines []lineCost
	for _, row := range p.table(own.post, own.way) {
		if row[0] > 0 {
			lines = append(lines, lineCost{row[0], row[1]})
		}
	}
	return roundCost(lines), nil
}
