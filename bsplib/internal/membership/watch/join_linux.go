package watch

import (
	crand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/mpi"
)

// task is what a watcher is given.
type task struct {
	Program   string
	Host      string
	Ranks     []int // of this node
	Node      int
	Nodes     int
	Parent    []string // where its parent's watcher may be reached, in order of preference
	Listeners int      // files that it is given
	Token     uint64   // that watchers of this run show each other
	Daemon    int      // of the launcher on this node, 0 if it is not known

	Launcher      int // that may be ended, 0 for none; and when it was started
	LauncherStart int64
}

// addresses is how many of a host's are told to others, and at how many it listens at most.
const addresses = 4

// A node's row in the table of nodes.
const (
	rowToken   = iota // the first node's counts
	rowNetwork        // that it is in, by which those of one machine know each other
	rowAddress
	rowLength = rowAddress + 2*addresses
)

// doorLength is what a listener takes in the table of doors: port and address.
const doorLength = 3

// Start has all ranks of a run watched, of which this is one; all of them call it. Lines
// that are printed begin with the program's name. A rank that cannot be watched is not, and
// nothing is said of that.
//
// Errors: those of c.
func Start(c mpi.Comm, program string) (*Watch, error) {
	if c == nil || c.Size() == 1 {
		return nil, nil
	}
	j := &join{comm: c, program: program, machines: make([]int64, c.Size())}
	j.machines[c.Rank()] = machine()
	if err := c.Combine(mpi.Sum, j.machines); err != nil {
		return nil, err
	}
	number := make(map[int64]int)
	for r, m := range j.machines {
		if _, known := number[m]; !known {
			number[m] = len(j.firsts)
			j.firsts = append(j.firsts, r)
		}
		if m == j.machines[c.Rank()] {
			j.ranks = append(j.ranks, r)
		}
	}
	j.node = number[j.machines[c.Rank()]]
	return j.join()
}

// join is a rank on its way to be watched. A node is here what sees the same processes and
// the same network, even if its ranks share no memory.
type join struct {
	comm     mpi.Comm
	program  string
	machines []int64 // by rank
	firsts   []int   // first rank, by node
	node     int
	ranks    []int // of this node

	file      *os.File // of the page, on the node's first rank
	page      *page
	listeners []*os.File
	told      io.WriteCloser // the watcher's standard input
}

func (j *join) join() (*Watch, error) {
	const columns = 3 // pid, file, key
	size, me := j.comm.Size(), j.comm.Rank()
	table := make([]int64, columns*size+rowLength*len(j.firsts))
	mine, nodes := table[columns*me:][:columns], table[columns*size:]
	mine[0], mine[1] = int64(os.Getpid()), -1
	leads := j.ranks[0] == me
	if leads && j.makePage() == nil {
		mine[1], mine[2] = int64(j.file.Fd()), int64(j.page.key)
		j.introduce(nodes[rowLength*j.node:][:rowLength])
	}
	if err := j.comm.Combine(mpi.Sum, table); err != nil {
		return nil, err
	}
	const row = doorLength * addresses
	doors := make([]int64, row*len(j.firsts))
	var watcher *exec.Cmd
	if leads && j.page != nil {
		j.listen(nodes, doors[row*j.node:][:row])
		watcher = j.begin()
	}
	if first := table[columns*j.ranks[0]:]; !leads && first[1] >= 0 {
		j.openPage(int(first[0]), int(first[1]), uint64(first[2]))
	}
	var w *Watch
	if j.page != nil {
		all := j.page.slots(len(j.ranks))
		s := &all[slices.Index(j.ranks, me)]
		s.started, s.pipe = startOf(os.Getpid()), int32(openPipe())
		s.pid = int64(os.Getpid())
		w = &Watch{page: j.page, slots: all, slot: s, lead: leads}
	}
	if err := j.comm.Combine(mpi.Sum, doors); err != nil { // by then all are in their pages
		return nil, err
	}
	if watcher != nil {
		go j.keep(watcher, j.task(nodes, doors))
		for end := time.Now().Add(beginning); atomic.LoadUint32(&j.page.ready) == 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
	return w, nil
}

// makePage makes the node's page. Without /proc, by which a rank is seen to end, there is
// none.
func (j *join) makePage() error {
	if startOf(os.Getpid()) == 0 {
		return errors.New("no /proc")
	}
	fd, err := unix.MemfdCreate("migbsp-watch", unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	size := pageBytes(len(j.ranks))
	file := os.NewFile(uintptr(fd), "page")
	if err := file.Truncate(int64(size)); err != nil {
		file.Close()
		return err
	}
	if j.page, err = mapPage(fd, size); err != nil {
		file.Close()
		return err
	}
	j.file = file
	j.page.key = rand.Uint64()>>1 | 1
	return nil
}

func mapPage(fd, size int) (*page, error) {
	mem, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*page)(unsafe.Pointer(unsafe.SliceData(mem))), nil
}

// openPage opens the page that the node's first rank has made. Who can, sees the pids that
// the watcher does.
func (j *join) openPage(pid, fd int, key uint64) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	size := pageBytes(len(j.ranks))
	if info, err := f.Stat(); err != nil || info.Size() != int64(size) {
		return
	}
	if p, err := mapPage(int(f.Fd()), size); err == nil && p.key == key {
		j.page = p
	}
}

// openPipe opens a pipe that the kernel closes when this process ends, and returns where the
// reading end is. The kernel closes a process's files before others can see that it has
// ended, those with the highest numbers first: so the watcher learns of it before a launcher
// that listens to a connection does, which may then kill the other ranks. The order in which
// processes have ended does not tell which was the first: they have many threads.
func openPipe() int {
	const high = 200
	var ends [2]int
	if unix.Pipe2(ends[:], unix.O_CLOEXEC) != nil {
		return -1
	}
	if fd, err := unix.FcntlInt(uintptr(ends[1]), unix.F_DUPFD_CLOEXEC, high); err == nil {
		unix.Close(ends[1])
		ends[1] = fd
	}
	return ends[0]
}

// machine names what this process sees of a machine: its kernel, processes and network.
func machine() int64 {
	h := fnv.New64a()
	h.Write([]byte(network()))
	space, _ := os.Readlink("/proc/self/ns/pid")
	h.Write([]byte(space))
	return int64(h.Sum64() >> 1)
}

// network names the network that this process sees: two with the same reach each other by
// loopback.
func network() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/net")
	return string(boot) + space
}

// introduce says in this node's row of the table what the other nodes need to know of it.
func (j *join) introduce(row []int64) {
	var token [8]byte
	crand.Read(token[:])
	row[rowToken] = int64(binary.BigEndian.Uint64(token[:]) >> 1)
	h := fnv.New64a()
	h.Write([]byte(network()))
	row[rowNetwork] = int64(h.Sum64() >> 1)
	own := hostAddresses()
	for i, a := range own[:min(len(own), addresses)] {
		row[rowAddress+2*i], row[rowAddress+2*i+1] = halves(a.Addr())
	}
}

// An address in a table is two numbers.
func halves(a netip.Addr) (high, low int64) {
	b := a.As16()
	return int64(binary.BigEndian.Uint64(b[:8])), int64(binary.BigEndian.Uint64(b[8:]))
}

// addressOf returns the address of two numbers, which is not valid if they are 0.
func addressOf(high, low int64) netip.Addr {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(high))
	binary.BigEndian.PutUint64(b[8:], uint64(low))
	if b == [16]byte{} {
		return netip.Addr{}
	}
	return netip.AddrFrom16(b).Unmap()
}

// listen opens where the watchers of this node's children call its own: at the addresses by
// which they reach it, and no others. It says in the node's row of doors where that is.
func (j *join) listen(nodes, row []int64) {
	rowOf := func(node int) []int64 { return nodes[rowLength*node:][:rowLength] }
	own := hostAddresses()
	var open []netip.Addr
	for child := fanOut*j.node + 1; child <= fanOut*(j.node+1) && child < len(j.firsts) && len(open) < addresses; child++ {
		at, of := loopback, rowOf(child)
		if of[rowNetwork] != rowOf(j.node)[rowNetwork] {
			var peer []netip.Addr
			for i := range addresses {
				if a := addressOf(of[rowAddress+2*i], of[rowAddress+2*i+1]); a.IsValid() {
					peer = append(peer, a)
				}
			}
			at = reachedBy(own, peer, routedBy)
		}
		if !at.IsValid() || slices.Contains(open, at) {
			continue
		}
		l, err := net.Listen("tcp", netip.AddrPortFrom(at, 0).String())
		if err != nil {
			continue
		}
		if file, err := l.(*net.TCPListener).File(); err == nil {
			door := row[doorLength*len(open):][:doorLength]
			door[0] = int64(l.Addr().(*net.TCPAddr).Port)
			door[1], door[2] = halves(at)
			open, j.listeners = append(open, at), append(j.listeners, file)
		}
		l.Close() // the file stays open
	}
}

// task is what this node's watcher is given, of the tables of nodes and of their doors.
func (j *join) task(nodes, doors []int64) *task {
	t := &task{
		Program: j.program, Ranks: j.ranks, Node: j.node, Nodes: len(j.firsts), Listeners: len(j.listeners),
		Token: uint64(nodes[rowToken]), Daemon: daemonOf(os.Getpid()),
	}
	if t.Launcher = launcherOf(os.Getpid()); t.Launcher != 0 {
		t.LauncherStart = startOf(t.Launcher)
	}
	t.Host, _ = os.Hostname()
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		t.Host = name
	}
	if t.Node == 0 {
		return t
	}
	parent := parentOf(t.Node)
	near := nodes[rowLength*parent+rowNetwork] == nodes[rowLength*t.Node+rowNetwork]
	for i := range addresses {
		door := doors[doorLength*(addresses*parent+i):][:doorLength]
		// The loopback of another network is another one.
		if at := addressOf(door[1], door[2]); at.IsValid() && at.IsLoopback() == near {
			t.Parent = append(t.Parent, netip.AddrPortFrom(at, uint16(door[0])).String())
		}
	}
	return t
}

// daemons are the processes of launchers that start ranks.
var daemons = []string{"orted", "prted", "mpirun", "prterun", "hydra_pmi_proxy", "slurmstepd", "pmi_proxy", "palsd"}

// daemonOf returns the launcher's process among those above this one, 0 if it is none that
// is known.
func daemonOf(pid int) int {
	for range 16 {
		fields, _ := statOf(pid)
		if len(fields) < 3 {
			return 0
		}
		if slices.ContainsFunc(daemons, func(name string) bool { return strings.HasPrefix(fields[0], name) }) {
			return pid
		}
		pid, _ = strconv.Atoi(fields[2])
	}
	return 0
}

// beginning bounds how long a rank waits for its node's watcher to watch.
const beginning = 5 * time.Second

// What a watcher is as a process: its name, and the files that it is given.
const (
	watcherName  = "migbsp-watch"
	pageFile     = 3
	listenerFile = 4 // the first of them
	lastFile     = listenerFile + addresses - 1
	restarts     = 3 // watchers of a node, each after something has ended the one before
)

// begin starts the watcher, which waits for its task: both come to life at the same time.
// The result is nil if there is none.
func (j *join) begin() *exec.Cmd {
	c := exec.Command("/proc/self/exe", j.program)
	c.Args[0] = watcherName
	c.Stderr = os.Stderr
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	c.ExtraFiles = append([]*os.File{j.file}, j.listeners...)
	for nothing, _ := os.Open(os.DevNull); len(c.ExtraFiles) <= addresses; { // so that none is what the rank has left open
		c.ExtraFiles = append(c.ExtraFiles, nothing)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var err error
	if j.told, err = c.StdinPipe(); err != nil || c.Start() != nil {
		return nil
	}
	return c
}

// keep gives the watcher its task and waits for its end, which comes when all ranks of the
// node have ended. If something else has ended it, there is another one.
func (j *join) keep(watcher *exec.Cmd, t *task) {
	text, _ := json.Marshal(t)
	for range restarts {
		if watcher == nil {
			return
		}
		j.told.Write(text)
		j.told.Close()
		watcher.Wait()
		time.Sleep(100 * time.Millisecond)
		watcher = j.begin()
	}
}
