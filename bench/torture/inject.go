//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An injector injects the faults of a trial into its running part, when the program reports the
// moment of a fault.
type injector struct {
	faults   []fault
	program  string // path of the program, which only this trial runs
	dir      string // of checkpoints
	listener net.Listener

	mu       sync.Mutex // held while a fault is injected
	come     []bool     // moments that have come
	injected []kind     // faults that had a target
	part     *part      // nil between parts
	damaged  bool       // the newest checkpoint was damaged
	thrown   string     // describes a part that did not go on from the newest good checkpoint
}

func newInjector(t *trial, socket, program, dir string) (*injector, error) {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	in := &injector{faults: t.faults, program: program, dir: dir, listener: l, come: make([]bool, len(t.faults))}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go in.serve(c)
		}
	}()
	return in, nil
}

// run makes a part the target of faults, nil for none.
func (in *injector) run(p *part) {
	in.mu.Lock()
	in.part = p
	in.mu.Unlock()
}

// serve serves a process that reports the superstep in which its part begins, or a moment.
func (in *injector) serve(c net.Conn) {
	defer c.Close()
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return
	}
	var step, moment, pid int
	if n, _ := fmt.Sscanf(line, "began %d", &step); n == 1 {
		in.began(step)
	} else if n, _ := fmt.Sscanf(line, "moment %d %d", &moment, &pid); n == 2 && moment < len(in.faults) {
		in.moment(c, moment, pid)
	}
}

// began checks that a part goes on from the newest checkpoint, or from the one before if a fault has
// damaged it.
func (in *injector) began(step int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	var steps []int
	for _, path := range in.complete() {
		var m struct{ Superstep int }
		if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &m) == nil {
			steps = append(steps, m.Superstep)
		}
	}
	if in.damaged && len(steps) > 0 {
		steps = steps[:len(steps)-1]
	}
	in.damaged = false
	if n := len(steps); n > 0 && step < steps[n-1] {
		in.thrown = fmt.Sprintf("a part began in superstep %d, though there was a checkpoint of superstep %d", step, steps[n-1])
	}
}

// moment injects the fault of a moment. Each moment counts once: parts repeat work.
func (in *injector) moment(c net.Conn, moment, pid int) {
	in.mu.Lock()
	first := !in.come[moment]
	in.come[moment] = true
	in.mu.Unlock()
	if !first {
		return
	}
	f := in.faults[moment]
	if f.delay > 0 {
		c.Close()
		time.Sleep(f.delay)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if p := in.part; p != nil && in.isProgram(pid) {
		in.inject(p, f, pid)
	}
}

// inject injects a fault into a part whose rank pid reported the moment.
func (in *injector) inject(p *part, f fault, pid int) {
	k := f.kind
	if !k.possible(p.start.engine) {
		k = killRank
	}
	switch k {
	case terminate, terminateTwice, request, killSupervisor, killRank, killLauncher, damagePart, damageManifest:
		p.deadly = append(p.deadly, k)
	}
	in.injected = append(in.injected, k)
	started := p.cmd.Process.Pid
	switch k {
	case killRank:
		syscall.Kill(pid, syscall.SIGKILL)
	case killLauncher:
		syscall.Kill(in.launcher(p), syscall.SIGKILL)
	case killSupervisor:
		syscall.Kill(started, syscall.SIGKILL)
	case terminate:
		syscall.Kill(started, syscall.SIGTERM)
	case terminateTwice:
		syscall.Kill(started, syscall.SIGTERM)
		time.Sleep(10 * time.Millisecond) // two pending signals of a kind are one
		syscall.Kill(started, syscall.SIGTERM)
	case request:
		syscall.Kill(pid, syscall.SIGUSR1)
	case stopRank:
		stopFor(f.lasts, pid)
	case stopAll:
		stopFor(f.lasts, append(in.processes(), in.launcher(p), started)...)
	case fillDisk:
		fillFor(f.lasts, pid)
	case damagePart:
		in.damage("rank-*.part")
		syscall.Kill(pid, syscall.SIGKILL)
	case damageManifest:
		in.damage("manifest.json")
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

func stopFor(d time.Duration, pids ...int) {
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGSTOP)
	}
	time.Sleep(d)
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

// fillFor makes writing of files fail in a process.
func fillFor(d time.Duration, pid int) {
	var before unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &before) != nil {
		return
	}
	unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 64, Max: before.Max}, nil)
	time.Sleep(d)
	unix.Prlimit(pid, unix.RLIMIT_FSIZE, &before, nil)
}

// damage changes a byte of the newest checkpoint, if there is an older one to go back to.
func (in *injector) damage(pattern string) {
	complete := in.complete()
	if len(complete) < 2 {
		return
	}
	newest := filepath.Dir(complete[len(complete)-1])
	files, _ := filepath.Glob(filepath.Join(newest, pattern))
	if len(files) == 0 {
		return
	}
	f, err := os.OpenFile(files[len(files)/2], os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	size, one := int64(0), make([]byte, 1)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	if _, err := f.ReadAt(one, size/2); err == nil {
		one[0] ^= 1
		_, err = f.WriteAt(one, size/2)
		in.damaged = err == nil
	}
}

// complete returns the manifests of complete checkpoints, the newest last.
func (in *injector) complete() []string {
	found, _ := filepath.Glob(filepath.Join(in.dir, "*", "manifest.json"))
	slices.SortFunc(found, func(a, b string) int { return strings.Compare(numberOf(a), numberOf(b)) })
	return found
}

// numberOf returns the number at the end of the name of a checkpoint's directory.
func numberOf(manifest string) string {
	name := filepath.Base(filepath.Dir(manifest))
	return name[strings.LastIndexByte(name, '-')+1:]
}

// launcher returns the process of the launcher, or the process that was started if the part has none.
func (in *injector) launcher(p *part) int {
	started := p.cmd.Process.Pid
	if !p.start.engine.survives() {
		return started
	}
	for _, pid := range everyProcess() {
		if parent, _ := parentOf(pid); parent == started && !in.isProgram(pid) {
			return pid
		}
	}
	return started
}

// isProgram reports whether a process runs the program of the trial.
func (in *injector) isProgram(pid int) bool {
	at, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && at == in.program
}

// processes returns all processes of the program: ranks and watchers.
func (in *injector) processes() []int {
	return slices.DeleteFunc(everyProcess(), func(pid int) bool { return !in.isProgram(pid) })
}

func everyProcess() (pids []int) {
	found, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range found {
		var pid int
		if _, err := fmt.Sscan(filepath.Base(dir), &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func parentOf(pid int) (parent int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	_, err = fmt.Sscan(fields[1], &parent)
	return parent, err
}
