package watch

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/migbsp/migbsp/bsplib/internal/listen"
	"github.com/migbsp/migbsp/internal/loss"
)

// A process with the name watcherName runs a watcher, not the program.
func init() {
	if len(os.Args) == 2 && os.Args[0] == watcherName {
		watch()
		os.Exit(0)
	}
}

// watch runs a watcher.
func watch() {
	// Signals that end a run are handled by its ranks. This process outlives them.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGTSTP, syscall.SIGTTOU, syscall.SIGXCPU)
	closeInherited()
	leaveCore()
	os.Chdir("/")
	t := new(task)
	if json.NewDecoder(os.Stdin).Decode(t) != nil {
		return
	}
	if t.Alone != nil {
		t.Alone.watch(t.Program)
		return
	}
	page, err := mapPage(pageFile, pageBytes(len(t.Ranks)))
	if err != nil {
		return
	}
	if t.LossFile != "" {
		if attends := loss.Attend(t.LossFile); attends != nil {
			defer attends.Close()
		}
	}
	launcher := t.holdLauncher()
	w := newWatcher(t, page)
	w.connect()
	w.run()
	if launcher >= 0 && atomic.LoadUint32(&page.lost) != 0 {
		os.Stderr.Close() // the launcher reads its ranks' stderr until it is closed everywhere
		t.endLauncher(launcher, launcherPatience)
	}
}

// closeInherited closes files that the rank left open for child processes. The launcher watches such
// files to detect the end of the rank. Files that this process's own Go runtime has opened are
// close-on-exec and stay open.
func closeInherited() {
	open, _ := os.ReadDir("/proc/self/fd")
	for _, e := range open {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= lastFile {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}

// leaveCore lets this process run on all cores. The launcher may have bound the rank that started it
// to a single core, where the watcher would disturb the rank.
func leaveCore() {
	var all unix.CPUSet
	for i := range all {
		all[i] = ^all[i]
	}
	threads, _ := filepath.Glob("/proc/self/task/*")
	for _, thread := range threads {
		if id, err := strconv.Atoi(filepath.Base(thread)); err == nil {
			unix.SchedSetaffinity(id, &all)
		}
	}
}

// watchMembers opens the processes of ranks, and sends the watcher an event when their pipes are
// closed and then when they have ended. If the kernel reports no end, tick finds it.
func (w *watcher) watchMembers() {
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	happens := make(map[int32]func(now time.Time)) // by file
	add := func(fd int, what func(now time.Time)) {
		happens[int32(fd)] = what
		unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
	}
	for i := range w.members {
		m := &w.members[i]
		pid := int(m.slot.pid)
		m.gone, m.pidfd = pid == 0, -1 // a rank that is not watched does not count
		if m.gone || err != nil {
			continue
		}
		m.watchMemory()
		fd, failed := unix.PidfdOpen(pid, 0)
		pipe, closed := unix.Open(fmt.Sprintf("/proc/%d/fd/%d", pid, m.slot.pipe), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if startOf(pid) != m.slot.started {
			continue // it has ended
		}
		if closed == nil {
			add(pipe, m.ends)
		}
		if failed == nil {
			m.pidfd = fd
			add(fd, func(now time.Time) { w.ended(m, now) })
		}
	}
	if err != nil {
		return
	}
	go func() {
		events := make([]unix.EpollEvent, 64)
		for {
			n, err := unix.EpollWait(poll, events, -1)
			if err != nil && err != unix.EINTR {
				return
			}
			for _, e := range events[:max(n, 0)] {
				unix.EpollCtl(poll, unix.EPOLL_CTL_DEL, int(e.Fd), nil)
				w.events <- happens[e.Fd]
			}
		}
	}()
}

// connect has the root listen, and the other watchers call it.
func (w *watcher) connect() {
	for i := range w.task.Listeners {
		if l, err := net.FileListener(os.NewFile(uintptr(listenerFile+i), "listener")); err == nil {
			go listen.Accept(l, w.task.Root.Token, w.task.Nodes, func(conn net.Conn) { receive(conn, w.hear) })
		}
	}
	switch {
	case w.root():
	case len(w.task.Root.Doors) > 0:
		go call(w.task.Root, w.greet, w.fail, w.hear)
	default:
		w.fail()
	}
}

// endMembers has the ranks that are left end.
func (w *watcher) endMembers(s syscall.Signal) {
	for i := range w.members {
		if m := &w.members[i]; !m.gone && !gone(int(m.slot.pid), m.slot.started) {
			syscall.Kill(int(m.slot.pid), s)
		}
	}
}

// watchMemory prepares to detect that the member runs out of memory.
func (m *member) watchMemory() {
	pid := int(m.slot.pid)
	m.kills, m.crash = oomKillsOf(pid), -1
	if m.slot.crash <= 0 {
		return
	}
	if fd, err := unix.Open(fmt.Sprintf("/proc/%d/fd/%d", pid, m.slot.crash), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err == nil {
		m.crash = fd
	}
}

// cause returns seen, the observed end of the member, prefixed with its cause if the member ran out of
// memory.
func (m *member) cause(seen string) string {
	crash := make([]byte, crashBytes)
	n, _ := unix.Read(m.crash, crash)
	if outOfMemory(string(crash[:max(n, 0)])) || (seen == killed || seen == unseen) && m.kills.grown() {
		return "out of memory: " + seen
	}
	return seen
}

// watch waits for the end of the process. It prints a line if the process ran out of memory.
func (l *lone) watch(program string) {
	kills := oomKillsOf(l.Pid)
	in := os.NewFile(pageFile, "crash")
	crash, _ := io.ReadAll(io.LimitReader(in, crashBytes))
	io.Copy(io.Discard, in)
	seen, limit := "", l.Group
	switch {
	case outOfMemory(string(crash)):
		seen = "Go's runtime got no more from the system"
		if l.Space != "" {
			limit = l.Space
		}
	case len(crash) == 0 && kills.grown():
		for end := time.Now().Add(leaving); !gone(l.Pid, l.Started); time.Sleep(pace) {
			if time.Now().After(end) {
				return
			}
		}
		seen = "the kernel has killed the program"
	default:
		return
	}
	if limit != "" {
		limit = "; " + limit
	}
	fmt.Fprintf(os.Stderr, "%s: out of memory: %s%s; allow more memory, or use more nodes or a smaller problem\n", program, seen, limit)
}
