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

	"github.com/migbsp/migbsp/bsplib/internal/control"
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

// intro is what a rank tells all others of itself. Those of the first rank of each node count
// for the node.
type intro struct {
	Pid       int
	PageFile  int    // of the node's page, -1 if there is none
	Key       uint64 // of the page
	Token     uint64
	Network   uint64 // that it is in, by which those of one machine know each other
	Addresses []netip.Addr
}

// Start has all ranks of a run watched, of which this is one; all of them call it. Lines
// that are printed begin with the program's name. A rank that cannot be watched is not, and
// nothing is said of that.
//
// Errors: those of c.
func Start(c mpi.Comm, program string) (*Watch, error) {
	if c == nil || c.Size() == 1 {
		return nil, nil
	}
	channel, mine := control.New(c), machine()
	machines, err := control.Allgather(channel, &mine)
	if err != nil {
		return nil, err
	}
	j := &join{program: program}
	number := make(map[uint64]int)
	for r, m := range machines {
		if _, known := number[m]; !known {
			number[m] = len(j.firsts)
			j.firsts = append(j.firsts, r)
		}
		if m == mine {
			j.ranks = append(j.ranks, r)
		}
	}
	j.node = number[mine]
	return j.join(channel, c.Rank())
}

// join is a rank on its way to be watched. A node is here what sees the same processes and
// the same network, even if its ranks share no memory.
type join struct {
	program string
	firsts  []int // first rank, by node
	node    int
	ranks   []int // of this node

	file      *os.File // of the page, on the node's first rank
	page      *page
	listeners []*os.File
	told      io.WriteCloser // the watcher's standard input
}

func (j *join) join(channel *control.Channel, me int) (*Watch, error) {
	mine, leads := intro{Pid: os.Getpid(), PageFile: -1}, j.ranks[0] == me
	if leads && j.makePage() == nil {
		mine = j.introduce()
	}
	ranks, err := control.Allgather(channel, &mine)
	if err != nil {
		return nil, err
	}
	nodes := make([]intro, len(j.firsts))
	for node, first := range j.firsts {
		nodes[node] = ranks[first]
	}
	var doors []netip.AddrPort
	var watcher *exec.Cmd
	if leads && j.page != nil {
		doors = j.listen(nodes)
		watcher = j.begin()
	}
	if first := &nodes[j.node]; !leads && first.PageFile >= 0 {
		j.openPage(first)
	}
	var w *Watch
	if j.page != nil {
		all := j.page.slots(len(j.ranks))
		s := &all[slices.Index(j.ranks, me)]
		s.started, s.pipe = startOf(os.Getpid()), int32(openPipe())
		s.pid = int64(os.Getpid())
		w = &Watch{page: j.page, slots: all, slot: s, lead: leads}
	}
	all, err := control.Allgather(channel, &doors) // then all are in their pages
	if err != nil {
		return nil, err
	}
	if watcher != nil {
		var parent []netip.AddrPort
		if j.node > 0 {
			parent = all[j.firsts[parentOf(j.node)]]
		}
		go j.keep(watcher, j.task(nodes, parent))
		for end := time.Now().Add(leaving); atomic.LoadUint32(&j.page.ready) == 0 && time.Now().Before(end); {
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
func (j *join) openPage(first *intro) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", first.Pid, first.PageFile), os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	size := pageBytes(len(j.ranks))
	if info, err := f.Stat(); err != nil || info.Size() != int64(size) {
		return
	}
	if p, err := mapPage(int(f.Fd()), size); err == nil && p.key == first.Key {
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
func machine() uint64 {
	space, _ := os.Readlink("/proc/self/ns/pid")
	return hashOf(network() + space)
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, text)
	return h.Sum64()
}

// network names the network that this process sees: two with the same reach each other by
// loopback.
func network() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/net")
	return string(boot) + space
}

// introduce is what the node's first rank tells of itself and the node.
func (j *join) introduce() intro {
	var token [8]byte
	crand.Read(token[:])
	i := intro{
		Pid: os.Getpid(), PageFile: int(j.file.Fd()), Key: j.page.key,
		Token: binary.BigEndian.Uint64(token[:]), Network: hashOf(network()),
	}
	for _, a := range hostAddresses() {
		if len(i.Addresses) < addresses {
			i.Addresses = append(i.Addresses, a.Addr())
		}
	}
	return i
}

// listen opens where the watchers of this node's children call its own: at the addresses by
// which they reach it, and no others. It returns where that is.
func (j *join) listen(nodes []intro) (doors []netip.AddrPort) {
	own := hostAddresses()
	for child := fanOut*j.node + 1; child <= fanOut*(j.node+1) && child < len(nodes) && len(doors) < addresses; child++ {
		at, of := loopback, &nodes[child]
		if of.Network != nodes[j.node].Network {
			at = reachedBy(own, of.Addresses, routedBy)
		}
		if !at.IsValid() || slices.ContainsFunc(doors, func(d netip.AddrPort) bool { return d.Addr() == at }) {
			continue
		}
		l, err := net.Listen("tcp", netip.AddrPortFrom(at, 0).String())
		if err != nil {
			continue
		}
		if file, err := l.(*net.TCPListener).File(); err == nil {
			doors = append(doors, netip.AddrPortFrom(at, uint16(l.Addr().(*net.TCPAddr).Port)))
			j.listeners = append(j.listeners, file)
		}
		l.Close() // the file stays open
	}
	return doors
}

// task is what this node's watcher is given, of all nodes and of the doors of its parent.
func (j *join) task(nodes []intro, doors []netip.AddrPort) *task {
	t := &task{
		Program: j.program, Ranks: j.ranks, Node: j.node, Nodes: len(nodes), Listeners: len(j.listeners),
		Token: nodes[0].Token, Daemon: daemonOf(os.Getpid()),
	}
	if t.Launcher = launcherOf(os.Getpid()); t.Launcher != 0 {
		t.LauncherStart = startOf(t.Launcher)
	}
	t.Host, _ = os.Hostname()
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		t.Host = name
	}
	for _, door := range doors {
		// The loopback of another network is another one.
		if near := nodes[parentOf(t.Node)].Network == nodes[t.Node].Network; door.Addr().IsLoopback() == near {
			t.Parent = append(t.Parent, door.String())
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
	c.Env = append(append(os.Environ(), "GOMAXPROCS=1"), preloaded()...)
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
		time.Sleep(gathering)
		watcher = j.begin()
	}
}
