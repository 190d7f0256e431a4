package watch

import (
	"crypto/rand"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/listen"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/mpi"
)

// task is a watcher's configuration.
type task struct {
	Program   string
	Host      string
	Ranks     []int // of this node
	Node      int
	Nodes     int
	Root      listen.Address // of the root
	Listeners int            // number of listener files that it inherits
	Peers     []peer         // watchers that it has connections to
	Start     string         // a name of this start of the program
	LostAfter time.Duration  // without a message of a watcher its node is lost, 0 for the default
	LossFile  string         // file for the loss report to the program that started the launcher, "" for none
	Daemon    int            // the launcher's process on this node, 0 if unknown

	Launcher      int // that may be killed, 0 for none; and its start time
	LauncherStart int64

	Alone *lone // the run to watch, if it has no other processes
}

// A peer is the node of another watcher.
type peer struct {
	Node  int
	Host  string
	Ranks []int
}

// An intro describes a rank to all others. The intro of a node's first rank describes the node.
type intro struct {
	Pid       int
	PageFile  int         // of the node's page, -1 without one
	Key       uint64      // of the page
	Start     uint64      // of the run, on node 0
	Name      string      // of the host
	LostAfter string      // the value of Variable
	Host      listen.Host // of the first rank of each node
}

// Start starts watchers for all ranks of a run. All ranks call it. Printed lines begin with the
// program's name. A rank that cannot be watched runs unwatched, without a message.
//
// Errors: ErrSetting, on all ranks; communication errors of c.
func Start(c mpi.Comm, program string) (*Watch, error) {
	if c == nil || c.Size() == 1 {
		return nil, nil
	}
	channel, mine := control.New(c), fmt.Sprint(listen.Network(), readLink("/proc/self/ns/pid"))
	machines, err := control.Allgather(channel, &mine)
	if err != nil {
		return nil, err
	}
	j := &join{task: task{Program: program}}
	number := make(map[string]int)
	for r, m := range machines {
		if _, known := number[m]; !known {
			number[m] = len(j.ranks)
			j.ranks = append(j.ranks, nil)
		}
		j.ranks[number[m]] = append(j.ranks[number[m]], r)
	}
	j.task.Node, j.task.Nodes = number[mine], len(j.ranks)
	j.task.Ranks = j.ranks[j.task.Node]
	return j.join(channel, c.Rank())
}

// join adds a rank to a watched run. Here the ranks of a node see the same processes and the same
// network; they may share no memory.
type join struct {
	task  task    // of the node's watcher
	ranks [][]int // by node

	file      *os.File // of the page, on the node's first rank
	page      *page
	listeners []*os.File
}

func (j *join) join(channel *control.Channel, me int) (*Watch, error) {
	mine, ranks := intro{Pid: os.Getpid(), PageFile: -1}, j.task.Ranks
	leads := ranks[0] == me
	if leads && j.makePage() == nil {
		mine = j.introduce()
	}
	all, err := control.Allgather(channel, &mine)
	if err != nil {
		return nil, err
	}
	nodes := make([]intro, len(j.ranks))
	for node, its := range j.ranks {
		nodes[node] = all[its[0]]
	}
	if j.task.LostAfter, err = parseLostAfter(nodes[0].LostAfter); err != nil {
		return nil, err
	}
	root := new(listen.Address)
	var watcher *process
	if leads && j.page != nil {
		if j.task.Node == 0 {
			j.listen(nodes)
			root = &j.task.Root
		}
		watcher = j.begin()
	} else if first := &nodes[j.task.Node]; first.PageFile >= 0 {
		j.openPage(first)
	}
	var w *Watch
	if j.page != nil {
		slots := j.page.slots(len(ranks))
		s := &slots[slices.Index(ranks, me)]
		s.started, s.pipe = startOf(os.Getpid()), int32(openPipe())
		if reading, _, err := crashPipe(); err == nil {
			s.crash = int32(reading)
		}
		s.pid = int64(os.Getpid())
		w = &Watch{page: j.page, slots: slots, slot: s, lead: leads, nodes: j.task.Nodes}
	}
	if err := control.Broadcast(channel, 0, root); err != nil { // then all are in their pages
		return nil, err
	}
	connected := !leads
	if watcher != nil {
		j.task.Root = *root
		j.complete(nodes)
		connected = j.entrust(watcher)
	}
	return w, j.noteConnected(channel, connected)
}

// entrust gives the watcher its task, and reports whether the watcher is connected to the root.
func (j *join) entrust(watcher *process) bool {
	ended := make(chan struct{})
	go func() {
		j.keep(watcher)
		close(ended)
	}()
	for end := time.Now().Add(linking); ; {
		select {
		case <-ended:
			return false
		case <-time.After(time.Millisecond):
		}
		switch ready := atomic.LoadUint32(&j.page.ready); {
		case ready == linked:
			return true
		case ready == unlinked, time.Now().After(end):
			return false
		}
	}
}

// noteConnected stores in each node's page which nodes are connected to the root. All ranks call it.
func (j *join) noteConnected(channel *control.Channel, mine bool) error {
	if len(j.ranks) == 1 {
		return nil
	}
	all, err := control.Allgather(channel, &mine)
	if err != nil || j.page == nil {
		return err
	}
	set := make([]byte, (len(j.ranks)+7)/8)
	for node, its := range j.ranks {
		if all[its[0]] {
			set[node/8] |= 1 << (node % 8)
		}
	}
	if j.file != nil {
		j.page.connected.set(string(set))
	}
	return nil
}

// makePage creates the node's page. It fails without /proc, which shows the end of a rank.
func (j *join) makePage() error {
	if startOf(os.Getpid()) == 0 {
		return errors.New("no /proc")
	}
	fd, err := unix.MemfdCreate("migbsp-watch", unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	j.file = os.NewFile(uintptr(fd), "page")
	size := pageBytes(len(j.task.Ranks))
	if err = j.file.Truncate(int64(size)); err == nil {
		j.page, err = mapPage(fd, size)
	}
	return err
}

func mapPage(fd, size int) (*page, error) {
	mem, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*page)(unsafe.Pointer(unsafe.SliceData(mem))), nil
}

// openPage opens the page that the node's first rank created. A rank that can open it sees the same
// pids as the watcher.
func (j *join) openPage(first *intro) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", first.Pid, first.PageFile), os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	size := pageBytes(len(j.task.Ranks))
	if info, err := f.Stat(); err != nil || info.Size() != int64(size) {
		return
	}
	if p, err := mapPage(int(f.Fd()), size); err == nil && p.key == first.Key {
		j.page = p
	}
}

// openPipe opens a pipe that the kernel closes when this process ends, and returns the reading end.
// The kernel closes a process's files before other processes can see that it has ended, highest
// numbers first. So the watcher sees the end before a launcher that reads a connection does, which
// may then kill the other ranks. The order in which processes end does not show which failed first,
// because they have many threads.
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

func readLink(path string) string {
	to, _ := os.Readlink(path)
	return to
}

// introduce returns the first rank's description of itself and of its node.
func (j *join) introduce() intro {
	var random [16]byte
	rand.Read(random[:])
	j.page.key = binary.BigEndian.Uint64(random[:8]) | 1
	return intro{Name: hostName(), LostAfter: os.Getenv(Variable), Pid: os.Getpid(), PageFile: int(j.file.Fd()), Key: j.page.key, Start: binary.BigEndian.Uint64(random[8:]), Host: listen.ThisHost()}
}

// listen opens the listeners through which the other nodes' watchers reach the watcher of node 0.
// Nodes that cannot reach any of them have no connection to it.
func (j *join) listen(nodes []intro) {
	var peers []listen.Host
	for _, n := range nodes[1:] {
		peers = append(peers, n.Host)
	}
	service, _ := listen.Open(nodes[0].Host, peers)
	j.task.Root = service.Address
	j.listeners, _ = service.Files()
}

// complete completes the task of this node's watcher, one of the nodes.
func (j *join) complete(nodes []intro) {
	t, pid := &j.task, os.Getpid()
	t.Listeners = len(j.listeners)
	t.Start = fmt.Sprintf("%016x", nodes[0].Start)
	if path := os.Getenv(loss.Variable); path != "" {
		t.LossFile, _ = filepath.Abs(path) // the watcher has another working directory
	}
	t.Daemon, t.Launcher = daemonOf(pid), launcherOf(pid)
	t.LauncherStart = startOf(t.Launcher)
	t.Host = hostName()
	for node, n := range nodes {
		if node != t.Node && (t.Node == 0 || node == 0) {
			t.Peers = append(t.Peers, peer{node, n.Name, j.ranks[node]})
		}
	}
}

// hostName returns Slurm's name of this host in a job, and the host's own name otherwise.
func hostName() string {
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		return name
	}
	name, _ := os.Hostname()
	return name
}

// Process name and inherited files of a watcher.
const (
	watcherName  = "migbsp-watch"
	pageFile     = 3
	listenerFile = 4 // the first of them
	lastFile     = listenerFile + listen.MaxDoors - 1
	restarts     = 3 // watchers of a node; each is started after the one before was killed
)

// process is a watcher that waits for its task.
type process struct {
	*exec.Cmd
	task io.WriteCloser
}

// begin starts the watcher, which starts up while the rank does. The result is nil if this fails.
func (j *join) begin() *process {
	c := exec.Command("/proc/self/exe", j.task.Program)
	c.Args[0] = watcherName
	c.Stderr = os.Stderr
	c.Env = append(append(os.Environ(), "GOMAXPROCS=1"), preloaded()...)
	c.ExtraFiles = append([]*os.File{j.file}, j.listeners...)
	for nothing, _ := os.Open(os.DevNull); len(c.ExtraFiles) <= listen.MaxDoors; { // no file that the rank left open
		c.ExtraFiles = append(c.ExtraFiles, nothing)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := c.StdinPipe()
	if err != nil || c.Start() != nil {
		return nil
	}
	return &process{c, in}
}

// keep sends the watcher its task and waits until it exits, which it does when all ranks of the node
// have ended. If the watcher was killed, keep starts another.
func (j *join) keep(watcher *process) {
	for range restarts {
		if watcher == nil {
			return
		}
		json.NewEncoder(watcher.task).Encode(&j.task)
		watcher.task.Close()
		watcher.Wait()
		time.Sleep(gathering)
		watcher = j.begin()
	}
}

// preloaded returns the environment variable with which the watcher's program loads this library
// first. It is needed if the program itself, such as an interpreter, does not link the library. The
// library then keeps the program from starting (bsplib/cbsp/plain.c).
func preloaded() []string {
	path := fileOf(reflect.ValueOf(fileOf).Pointer())
	if executable, err := os.Executable(); err != nil || path == "" || path == executable {
		return nil
	}
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		return nil
	}
	defer program.Close()
	if needed, _ := program.ImportedLibraries(); slices.Contains(needed, filepath.Base(path)) {
		return nil
	}
	return []string{"LD_PRELOAD=" + path}
}

// fileOf returns the file that contains the code at an address.
func fileOf(code uintptr) string {
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil || code < from || code >= to {
			continue
		}
		if at := strings.IndexByte(line, '/'); at >= 0 {
			return strings.TrimSpace(line[at:])
		}
	}
	return ""
}

// StartAlone starts a process that prints a line in the program's name if this Go program runs out of
// memory. Otherwise Go's runtime would print the stacks of all goroutines, and the kernel would print
// no message. The result is nil if the process cannot be started.
func StartAlone(program string, l Limits) *Alone {
	reading, writing, err := crashPipe()
	if err != nil {
		return nil
	}
	pid := os.Getpid()
	j := &join{task: task{Program: program, Alone: &lone{Limits: l, Pid: pid, Started: startOf(pid)}}, file: os.NewFile(uintptr(reading), "crash")}
	watcher := j.begin()
	j.file.Close()
	if watcher == nil {
		return nil
	}
	go func() {
		json.NewEncoder(watcher.task).Encode(&j.task)
		watcher.task.Close()
		watcher.Wait()
	}()
	return &Alone{writing}
}

// lone describes a run in one process to its watcher.
type lone struct {
	Limits
	Pid     int
	Started int64
}
