package watch

import (
	"encoding/binary"
	"encoding/json"
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
	Program string
	Host    string
	Ranks   []int // of this node
	Node    int
	Nodes   int
	Parent  []string // where its watcher may be reached, in order of preference
	Token   uint64   // that watchers of this run show each other
	Daemon  int      // of the launcher on this node, 0 if it is not known
}

// addresses is how many of a host's are told to others.
const addresses = 4

// A node's row in the table of nodes.
const (
	rowPort  = iota
	rowToken // the first node's counts
	rowAddress
	rowLength = rowAddress + 2*addresses
)

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

	file     *os.File // of the page, on the node's first rank
	page     *page
	listener *os.File
	told     io.WriteCloser // the watcher's standard input
}

func (j *join) join() (*Watch, error) {
	const columns = 3 // pid, file, key
	size, me := j.comm.Size(), j.comm.Rank()
	table := make([]int64, columns*size+rowLength*len(j.firsts))
	mine, nodes := table[columns*me:][:columns], table[columns*size:]
	mine[0], mine[1] = int64(os.Getpid()), -1
	leads := j.ranks[0] == me
	var watcher *exec.Cmd
	if leads && j.makePage() == nil {
		mine[1], mine[2] = int64(j.file.Fd()), int64(j.page.key)
		j.listen(nodes[rowLength*j.node:][:rowLength])
		watcher = j.begin()
	}
	if err := j.comm.Combine(mpi.Sum, table); err != nil {
		return nil, err
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
	if err := j.comm.Combine(mpi.Max, []int64{0}); err != nil { // all are in their pages
		return nil, err
	}
	if watcher != nil {
		go j.keep(watcher, j.task(nodes))
		for end := time.Now().Add(beginning); atomic.LoadUint32(&j.page.ready) == 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
	return w, nil
}

// makePage makes the node's page.
func (j *join) makePage() error {
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

// listen opens where the watchers of other nodes call this node's, and says in a row of the
// table where that is.
func (j *join) listen(row []int64) {
	row[rowToken] = rand.Int64()
	if len(j.firsts) == 1 {
		return
	}
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		return
	}
	defer l.Close() // the file stays open
	if j.listener, err = l.(*net.TCPListener).File(); err != nil {
		return
	}
	row[rowPort] = int64(l.Addr().(*net.TCPAddr).Port)
	ips := hostAddresses()
	for i, ip := range ips[:min(len(ips), addresses)] {
		b := ip.As16()
		row[rowAddress+2*i] = int64(binary.BigEndian.Uint64(b[:8]))
		row[rowAddress+2*i+1] = int64(binary.BigEndian.Uint64(b[8:]))
	}
}

// hostAddresses are this host's, as other hosts may reach it.
func hostAddresses() []netip.Addr {
	var found []netip.Addr
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			if ip, ok := netip.AddrFromSlice(n.IP); ok {
				found = append(found, ip.Unmap())
			}
		}
	}
	slices.SortStableFunc(found, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return found
}

// task is what this node's watcher is given, of the table of nodes.
func (j *join) task(nodes []int64) *task {
	t := &task{
		Program: j.program, Ranks: j.ranks, Node: j.node, Nodes: len(j.firsts),
		Token: uint64(nodes[rowToken]), Daemon: daemonOf(os.Getpid()),
	}
	t.Host, _ = os.Hostname()
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		t.Host = name
	}
	if t.Node == 0 {
		return t
	}
	row := nodes[rowLength*parentOf(t.Node):][:rowLength]
	for i := range addresses {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], uint64(row[rowAddress+2*i]))
		binary.BigEndian.PutUint64(b[8:], uint64(row[rowAddress+2*i+1]))
		if ip := netip.AddrFrom16(b).Unmap(); row[rowPort] != 0 && !ip.IsUnspecified() {
			t.Parent = append(t.Parent, netip.AddrPortFrom(ip, uint16(row[rowPort])).String())
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
	listenerFile = 4
	restarts     = 3 // watchers of a node, each after something has ended the one before
)

// begin starts the watcher, which waits for its task: both come to life at the same time.
// The result is nil if there is none.
func (j *join) begin() *exec.Cmd {
	if j.listener == nil {
		j.listener, _ = os.Open(os.DevNull)
	}
	c := exec.Command("/proc/self/exe", j.program)
	c.Args[0] = watcherName
	c.Stderr = os.Stderr
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	c.ExtraFiles = []*os.File{j.file, j.listener}
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
