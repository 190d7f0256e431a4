package watch

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A process of that name is a watcher, and no program.
func init() {
	if len(os.Args) == 2 && os.Args[0] == watcherName {
		watch()
		os.Exit(0)
	}
}

// watch is the life of a watcher.
func watch() {
	// Signals that end a run are its ranks' affair. This process outlives them.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGTSTP, syscall.SIGTTOU, syscall.SIGXCPU)
	// The launcher watches files of the rank, by which it learns that the rank has ended.
	closeInherited()
	leaveCore()
	os.Chdir("/")
	t := new(task)
	if json.NewDecoder(os.Stdin).Decode(t) != nil {
		return
	}
	page, err := mapPage(pageFile, pageBytes(len(t.Ranks)))
	if err != nil {
		return
	}
	launcher := t.holdLauncher()
	w := newWatcher(t, page)
	w.connect()
	w.run()
	if launcher >= 0 && atomic.LoadUint32(&page.lost) != 0 {
		os.Stderr.Close() // the launcher waits for what its ranks have had
		endLauncher(launcher, launcherPatience)
	}
}

// closeInherited closes what the rank has left open for programs that it starts. What Go's
// own runtime has opened in this process by now is not for such programs.
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

// leaveCore lets this process run where it is not in the way of the rank that has started
// it, which its launcher may have bound to a core.
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

// member is a rank of the watcher's node.
type member struct {
	slot  *slot
	rank  int
	pidfd int // -1 if there is none: then it is looked for

	closed   time.Time // its pipe was
	gone     bool      // its process has ended,
	goneAt   time.Time // then,
	status   syscall.WaitStatus
	isStatus bool // if that is known

	word  uint64 // its pulse, and since when
	since time.Time
	met   uint64
}

// happening is what the kernel tells of a member: that its process has ended, or, before
// that, that its pipe is closed.
type happening struct {
	member int
	closed bool
}

// watchMembers finds the processes of ranks, and hands on what happens to them, in that
// order.
func (w *watcher) watchMembers() {
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	add := func(fd, number int, pipe int32) error {
		return unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(number), Pad: pipe})
	}
	fds := make([][2]int, len(w.members))
	for i := range w.members {
		m := &w.members[i]
		m.pidfd = -1
		if m.slot.pid == 0 {
			m.gone = true // not watched
			continue
		}
		fd, failed := unix.PidfdOpen(int(m.slot.pid), 0)
		if failed != nil || err != nil || startOf(int(m.slot.pid)) != m.slot.started || add(fd, i, 0) != nil {
			continue
		}
		m.pidfd = fd
		if m.slot.pipe >= 0 {
			pipe, err := unix.Open(fmt.Sprintf("/proc/%d/fd/%d", m.slot.pid, m.slot.pipe), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
			if err == nil {
				add(pipe, i, 1)
			}
			fds[i][1] = pipe
		}
		fds[i][0] = fd
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
				unix.EpollCtl(poll, unix.EPOLL_CTL_DEL, fds[e.Fd][e.Pad], nil)
				w.happens <- happening{int(e.Fd), e.Pad == 1}
			}
		}
	}()
}

// connect joins the tree.
func (w *watcher) connect() {
	if w.task.Nodes == 1 {
		return
	}
	for i := range w.task.Listeners {
		if l, err := net.FileListener(os.NewFile(uintptr(listenerFile+i), "listener")); err == nil {
			go accept(l, w.task.Token, w.arrivals)
		}
	}
	if len(w.task.Parent) > 0 {
		go call(w.task.Parent, w.task.Token, w.connected, w.arrivals)
	}
}

// endMembers has the ranks that are left end.
func (w *watcher) endMembers(s syscall.Signal) {
	for i := range w.members {
		m := &w.members[i]
		switch {
		case m.gone:
		case m.pidfd >= 0:
			unix.PidfdSendSignal(m.pidfd, s, nil, 0)
		case !gone(int(m.slot.pid), m.slot.started):
			syscall.Kill(int(m.slot.pid), s)
		}
	}
}
