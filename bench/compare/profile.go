package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
)

// sample is what a processor did at a moment: the functions that it was in, the innermost
// first, each with the file that it is of.
type sample struct {
	program string
	seconds float64
	stack   []function
}

type function struct{ name, file string }

// task is what samples are sorted by: the first whose rule finds a sample has it.
type task struct {
	name string
	has  func(sample) bool
}

// tasks are those of a rank that exchanges data by sockets. What is spent waiting for
// another rank is spent in looking for messages.
var tasks = []task{
	{"kernel: copying into and out of sockets", func(s sample) bool {
		return s.inKernel() && (s.leaf(`^_?copy_(to|from)_(iter|user)|^_?copy_user|^rep_movs|^memcpy`))
	}},
	{"kernel: looking for messages (poll)", func(s sample) bool { return s.inKernel() && s.within(`sys_poll|sys_ppoll|epoll|^sock_poll`) }},
	{"kernel: sending, and the way over the loopback", func(s sample) bool { return s.inKernel() && s.within(`sendmsg|writev|sys_write|sys_sendto`) }},
	{"kernel: receiving", func(s sample) bool { return s.inKernel() && s.within(`recvmsg|readv|sys_read|sys_recvfrom`) }},
	{"kernel: other, such as turns of the scheduler", sample.inKernel},
	{"copying in the program", func(s sample) bool { return s.leaf(`memmove|memcpy|wideCopy`) }},
	{"the MPI library: messages, and looking for them", func(s sample) bool {
		return s.file(`^(libmpi|libopen-|mca_|libevent|libpmix|libuc[ptsm]|libfabric|libc\.|libpthread|\[vdso\])`)
	}},
	{"the program itself", func(sample) bool { return true }},
}

func (s sample) inKernel() bool {
	return strings.HasPrefix(s.stack[0].file, "[k") || strings.HasSuffix(s.stack[0].file, ".ko")
}

func (s sample) leaf(pattern string) bool { return matches(pattern, s.stack[0].name) }

func (s sample) file(pattern string) bool { return matches(pattern, s.stack[0].file) }

func (s sample) within(pattern string) bool {
	return slices.ContainsFunc(s.stack, func(f function) bool { return matches(pattern, f.name) })
}

var patterns = make(map[string]*regexp.Regexp)

func matches(pattern, text string) bool {
	if patterns[pattern] == nil {
		patterns[pattern] = regexp.MustCompile(pattern)
	}
	return patterns[pattern].MatchString(text)
}

// readSamples reads what perf script -F comm,time,ip,sym,dso prints.
func readSamples(text string) (all []sample) {
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case line[0] != ' ' && line[0] != '\t', !strings.HasSuffix(line, ")") && strings.HasSuffix(line, ":"):
			at, _ := strconv.ParseFloat(strings.TrimSuffix(fields[len(fields)-1], ":"), 64)
			all = append(all, sample{program: fields[0], seconds: at})
		case len(all) > 0 && len(fields) >= 3:
			last := &all[len(all)-1]
			file := strings.Trim(fields[len(fields)-1], "()")
			last.stack = append(last.stack, function{fields[1], filepath.Base(file)})
		}
	}
	return slices.DeleteFunc(all, func(s sample) bool { return len(s.stack) == 0 })
}

// steady are those of a program in the middle of its time: without its start and its end.
func steady(all []sample, program string) []sample {
	all = slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return s.program != program })
	if len(all) == 0 {
		return nil
	}
	first, last := all[0].seconds, all[0].seconds
	for _, s := range all {
		first, last = min(first, s.seconds), max(last, s.seconds)
	}
	from, to := first+(last-first)*0.4, last-(last-first)*0.15
	return slices.DeleteFunc(all, func(s sample) bool { return s.seconds < from || s.seconds > to })
}

// shares are the parts of the samples that each task has.
func shares(all []sample) []float64 {
	parts := make([]float64, len(tasks))
	for _, s := range all {
		for i, task := range tasks {
			if task.has(s) {
				parts[i] += 1 / float64(len(all))
				break
			}
		}
	}
	return parts
}

// profiled is a program whose processor time is sorted.
type profiled struct {
	contender *contender
	row       results.Row
	samples   int
	shares    []float64
}

// compareProfiles prints where the microseconds of a superstep go, in ours and in what is
// written by hand.
func (s *settings) compareProfiles(ctx context.Context, session *frame.Session) error {
	if _, err := exec.LookPath("perf"); err != nil {
		return errors.New("-profile: there is no perf: apt-get install linux-perf (Debian), dnf install perf (RHEL, Fedora)")
	}
	if err := s.buildOurs(ctx, session, "./bench/bsp"); err != nil {
		return err
	}
	hand, err := s.makeByHand(ctx, session)
	if err != nil {
		return err
	}
	names := candidates(s.profile)
	ours := &contender{name: "ours", launcher: s.mpirun, nodeSize: s.nodeSize, calls: []call{{
		path: s.engines(s.procs[0])[0].built(session, "./bench/bsp"),
		args: []string{"-json", "-seconds", profileSeconds, "-procs", "NP", "-only", "^" + regexp.QuoteMeta(s.profile) + "$"},
	}}}
	all := []*profiled{{contender: ours}}
	if len(hand) > 0 {
		hand[0].calls[0].args = []string{"-t", profileSeconds, "-only", names[len(names)-1]}
		hand[0].calls[0].list = false
		all = append(all, &profiled{contender: hand[0]})
	}
	t := &turns{settings: s, procs: s.procs[0]}
	for i, p := range all {
		if err := t.take(ctx, session, p, strconv.Itoa(i)); err != nil {
			return fmt.Errorf("%s: %w", p.contender.name, err)
		}
		session.Progress("%s: %d samples", p.contender.name, p.samples)
		session.Record(p.contender.name, s.profile, "us", p.row.MedianUS)
	}
	session.Table(t.profileTable(all))
	return nil
}

// profileSeconds is how long each is measured: long beside its start.
const profileSeconds = "5"

// take runs a program under perf.
func (t *turns) take(ctx context.Context, session *frame.Session, p *profiled, name string) error {
	file := filepath.Join(session.Dir, name+".perf")
	program := filepath.Base(p.contender.calls[0].path)
	p.contender.launcher = "perf record -q -e cpu-clock -F 2000 -g -o '" + file + "' -- " + p.contender.launcher
	rows, err := t.launch(ctx, p.contender)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("it has no measure %s", t.profile)
	}
	p.row = rows[0]
	out, err := frame.Output(ctx, session.Dir, "perf", "script", "-i", file, "-F", "comm,time,ip,sym,dso")
	if err != nil {
		return err
	}
	samples := steady(readSamples(out), program)
	if p.samples = len(samples); p.samples == 0 {
		return errors.New("perf has no samples of it")
	}
	p.shares = shares(samples)
	return nil
}

func (t *turns) profileTable(all []*profiled) frame.Table {
	table := frame.Table{
		Part: "profile-" + t.transport.name,
		Title: fmt.Sprintf("Where the microseconds of %s go: %s on %s, %s, %s.\n", t.profile, count(t.procs, "process"),
			count(machineCores, "core"), t.transport.describe(), t.transport.nodes(t.procs, t.nodeSize)) +
			"Median time of a superstep, and the parts of it by where perf found the processes",
		Header: []string{"where"}, Text: []int{0},
	}
	for _, p := range all {
		table.Header = append(table.Header, p.contender.name, "part")
	}
	line := func(name string, of func(*profiled) float64) {
		cells := []string{name}
		for _, p := range all {
			cells = append(cells, results.Digits(of(p)*p.row.MedianUS), frame.Percent(of(p)))
		}
		table.Add(cells...)
	}
	for i, task := range tasks {
		line(task.name, func(p *profiled) float64 { return p.shares[i] })
	}
	line("all", func(*profiled) float64 { return 1 })
	for _, p := range all {
		table.Notes = append(table.Notes, fmt.Sprintf("%s: %d samples of all processes, without the program's start and end.", p.contender.name, p.samples))
	}
	return table
}
