//go:build linux

package watch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/listen"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// pageOf returns a page in memory.
func pageOf(ranks int) *page {
	return (*page)(unsafe.Pointer(unsafe.SliceData(make([]uint64, pageBytes(ranks)/8))))
}

// nodes holds watchers in this process, whose ranks are sleeping processes.
type nodes struct {
	watchers []*watcher
	ranks    [][]*exec.Cmd // by node
	said     []bytes.Buffer
	ended    sync.WaitGroup
}

// start creates watchers with two ranks each. The prepare functions configure each of them.
func start(t *testing.T, n int, prepare ...func(node int, w *watcher)) *nodes {
	t.Helper()
	s := &nodes{said: make([]bytes.Buffer, n)}
	service := must.Get(listen.Open(listen.ThisHost(), []listen.Host{listen.ThisHost()}))(t)
	t.Cleanup(service.Close)
	for node := range n {
		task := &task{Program: "program", Host: "host" + string(rune('a'+node)), Ranks: []int{2 * node, 2*node + 1}, Node: node, Nodes: n, Root: service.Address}
		page := pageOf(2)
		var sleepers []*exec.Cmd
		for i := range 2 {
			c := exec.Command("sleep", "100")
			must.Do(t, c.Start())
			t.Cleanup(func() { c.Process.Kill() })
			go c.Wait()
			slot := &page.slots(2)[i]
			slot.pid, slot.started, slot.pipe = int64(c.Process.Pid), startOf(c.Process.Pid), -1
			slot.pulse.Begin(7)
			sleepers = append(sleepers, c)
		}
		s.ranks = append(s.ranks, sleepers)
		w := newWatcher(task, page)
		w.out = &s.said[node]
		for _, do := range prepare {
			do(node, w)
		}
		if node == 0 {
			service.Accept(n, func(conn net.Conn) { receive(conn, w.hear) })
		} else {
			go call(task.Root, w.greet, w.fail, w.hear)
		}
		s.watchers = append(s.watchers, w)
	}
	for _, w := range s.watchers {
		s.ended.Go(w.run)
	}
	for node, w := range s.watchers {
		s.until(w, func() bool {
			linked := 0
			for _, l := range w.links {
				if l != nil && len(l.ranks) > 0 {
					linked++
				}
			}
			return linked == 1 || node == 0 && linked == n-1
		})
	}
	return s
}

// until waits until a watcher has seen something, or all have ended.
func (s *nodes) until(w *watcher, seen func() bool) {
	all := make(chan bool)
	go func() {
		s.ended.Wait()
		close(all)
	}()
	for does := make(chan bool, 1); ; time.Sleep(time.Millisecond) {
		select {
		case w.events <- func(time.Time) { does <- seen() }:
		case <-all:
			return
		}
		select {
		case yes := <-does:
			if yes {
				return
			}
		case <-all:
			return
		}
	}
}

// A rank that is killed on any node is reported once, by the root, and all ranks end.
func TestWatchersReportOnce(t *testing.T) {
	for victim := range 6 {
		s := start(t, 3)
		s.ranks[victim/2][victim%2].Process.Kill()
		s.ended.Wait()
		want := "program: " + loss.RanksText([]int{victim}) + " on host" + string(rune('a'+victim/2)) + " is lost: ended by signal 9 (killed) in superstep 7\n"
		if got := s.said[0].String(); got != want || s.said[1].Len()+s.said[2].Len() > 0 {
			t.Errorf("it is said %q, %q, %q, want %q", got, &s.said[1], &s.said[2], want)
		}
		for node, w := range s.watchers {
			if report, lost := (&Watch{page: w.page}).Lost(0); !lost || !strings.HasPrefix("program: "+report+"\n", want) {
				t.Errorf("ranks of node %d know of %q", node, report)
			}
		}
	}
}

// A loss is written into the files for it, and printed unless the program that has started the
// launcher can read its file. The watcher on the launcher's host writes where the root cannot.
func TestLossFiles(t *testing.T) {
	for _, c := range []struct {
		name     string
		inbox    [3]bool // by node: the directory is there
		launcher int     // the node with the launcher
		printed  bool
	}{
		{"all reach the file", [3]bool{true, true, true}, 0, false},
		{"only the launcher's host reaches it", [3]bool{false, false, true}, 2, true},
		{"no node reaches it", [3]bool{}, 1, true},
	} {
		dir := t.TempDir()
		record, file := filepath.Join(dir, "record"), filepath.Join(dir, "inbox", "file")
		must.Do(t, os.Mkdir(record, 0o700))
		must.Do(t, os.Mkdir(filepath.Dir(file), 0o700))
		s := start(t, 3, func(node int, w *watcher) {
			w.task.Start, w.task.LossFile = "start", file
			if w.task.Peers = []peer{{0, "hosta", []int{0, 1}}}; node == 0 {
				w.task.Peers = []peer{{1, "hostb", []int{2, 3}}, {2, "hostc", []int{4, 5}}}
			}
			if !c.inbox[node] {
				w.task.LossFile = filepath.Join(dir, "missing", "file")
			}
			if node == c.launcher {
				w.task.Launcher = os.Getpid()
			}
			(&Watch{page: w.page, lead: true}).Record(record)
			(&Watch{page: w.page, lead: true}).Advise(loss.Restart{Checkpoint: "c", Command: []string{"program", "-restart", "c"}})
		})
		s.ranks[1][1].Process.Kill()
		s.ended.Wait()
		line := "program: rank 3 on hostb is lost: ended by signal 9 (killed) in superstep 7; newest checkpoint: c; to go on from it:  program -restart c\n"
		want := ""
		if c.printed {
			want = line
		}
		if got := s.said[0].String(); got != want {
			t.Errorf("%s: it prints %q, want %q", c.name, got, want)
		}
		files := []string{filepath.Join(record, loss.Name)}
		if c.inbox != [3]bool{} {
			files = append(files, file)
		}
		for _, path := range files {
			losses, err := loss.Read(path)
			if err != nil || len(losses) != 1 || losses[0].Start != "start" || losses[0].Node != 0 || losses[0].Line()+"\n" != line {
				t.Errorf("%s: %s has %+v, %v", c.name, path, losses, err)
				continue
			}
			l, ended := losses[0], losses[0].Hosts[0]
			if got := fmt.Sprint(l.Nodes); got != "[{hosta [0 1]} {hostb [2 3]} {hostc [4 5]}]" || l.Record != record || ended.Gone ||
				l.Started.IsZero() || l.Progress.Before(l.Started) || l.Time.Before(l.Progress) {
				t.Errorf("%s: %s has %+v", c.name, path, l)
			}
		}
	}
}

// early is a writer that finds out whether ranks were not yet asked to end.
type early struct {
	page *page
	is   bool
}

func (e *early) Write(text []byte) (int, error) {
	e.is = atomic.LoadUint32(&e.page.lost) == 0
	return len(text), nil
}

// A loss is printed before the remaining ranks end: launchers do not forward later output.
func TestPrintsBeforeRanksEnd(t *testing.T) {
	w, _, now := alone(0, 2)
	out := &early{page: w.page}
	w.out = out
	w.report(end{Ranks: []int{3}, Host: "there", Seen: "ended", at: now}, now)
	w.decide(now)
	if !w.over || !out.is {
		t.Errorf("over is %v, printed before that is %v", w.over, out.is)
	}
}

// A signal that asks a rank to end as the connection to another host closes is the launcher's, after
// the loss of the host.
func TestAskedAfterLostHost(t *testing.T) {
	w, _, now := alone(0, 2)
	rank := &Watch{page: w.page, slots: w.page.slots(2), slot: w.members[0].slot, nodes: 2}
	conn, other := net.Pipe()
	defer other.Close()
	w.links[1] = &link{conn: conn, host: "there", ranks: []int{4, 5}, heard: now, place: loss.Place{Step: 3}}
	if _, lost := rank.Lost(0); lost {
		t.Error("a rank is lost before anything happens")
	}
	w.take(conn, nil, now)
	if !rank.Asked() {
		t.Error("the rank takes the signal for a user's")
	}
	reported := make(chan string)
	go func() {
		report, _ := rank.Lost(0)
		reported <- report
	}()
	for at := now.Add(beat); !w.over; at = at.Add(gathering) {
		w.look(at)
	}
	if got, want := <-reported, "ranks 4-5 on there are lost: connection closed in superstep 3"; got != want {
		t.Errorf("the report is %q, want %q", got, want)
	}
}

// A connection may close after the launcher has ended ranks because of it.
func TestConnectionClosesAfterRanksEnd(t *testing.T) {
	w, said, now := alone(0, 2)
	conn, other := net.Pipe()
	defer other.Close()
	w.links[1] = &link{conn: conn, host: "there", ranks: []int{4, 5}, heard: now, place: loss.Place{Step: 3}}
	w.report(end{State: asked, Ranks: []int{0}, Host: "here", Seen: "ended", at: now}, now)
	w.take(conn, nil, now.Add(gathering/4))
	w.look(now.Add(gathering))
	if want := "program: ranks 4-5 on there are lost: connection closed in superstep 3\n"; said.String() != want {
		t.Errorf("it says %q, want %q", said, want)
	}
}

// Without a lost host the signal is a user's.
func TestAskedByUser(t *testing.T) {
	w, _, now := alone(0, 2)
	rank := &Watch{page: w.page, slots: w.page.slots(2), slot: w.members[0].slot, nodes: 2}
	conn, other := net.Pipe()
	defer other.Close()
	w.links[1] = &link{conn: conn, host: "there", ranks: []int{4, 5}, heard: now, bye: true}
	w.take(conn, nil, now)
	if rank.Asked() {
		t.Error("the rank takes the signal for the launcher's")
	}
}

// The launcher kills the other ranks as soon as the first has ended. The first is the cause. Ranks
// that were asked to end, have failed or are done are no loss. The root has received the first end by
// then. On a busy machine, watchers may see ends in the wrong order; TestFirstEndIsTheCause covers
// that.
func TestWatchersFindTheCause(t *testing.T) {
	for _, c := range []struct {
		state uint32 // of rank 3, before it ends
		want  string
	}{
		{running, "program: rank 3 on hostb is lost: ended by signal 9 (killed) in superstep 7\n"},
		{asked, ""}, {failed, ""},
	} {
		s := start(t, 3)
		(&Watch{page: s.watchers[1].page, slot: s.watchers[1].members[1].slot}).become(c.state)
		s.ranks[1][1].Process.Kill()
		root := s.watchers[0]
		s.until(root, func() bool { return len(root.gathered) > 0 || root.over })
		for _, ranks := range s.ranks {
			for _, r := range ranks {
				r.Process.Kill()
			}
		}
		s.ended.Wait()
		if got := s.said[0].String() + s.said[1].String() + s.said[2].String(); got != c.want {
			t.Errorf("state %d: it is said %q, want %q", c.state, got, c.want)
		}
	}
	s := start(t, 2)
	for _, w := range s.watchers {
		for i := range w.members {
			(&Watch{page: w.page, slot: w.members[i].slot}).Done()
		}
	}
	for _, ranks := range slices.Backward(s.ranks) {
		for _, r := range ranks {
			r.Process.Signal(syscall.SIGTERM)
		}
	}
	s.ended.Wait()
	if got := s.said[0].String() + s.said[1].String(); got != "" {
		t.Errorf("of a run that ends as it should it is said %q", got)
	}
}

// A rank that the launcher asks to end after a loss does not suppress the report of the loss, even if
// the watcher sees the loss late.
func TestWhoIsAskedAfterALoss(t *testing.T) {
	s := start(t, 1)
	w := s.watchers[0]
	s.ranks[0][1].Process.Kill()
	for victim := w.members[1].slot; !gone(int(victim.pid), victim.started); {
		time.Sleep(time.Millisecond)
	}
	if !(&Watch{page: w.page, slots: w.page.slots(2), slot: w.members[0].slot}).Asked() {
		t.Error("it is asked to end for no reason that the node knows")
	}
	s.ranks[0][0].Process.Signal(syscall.SIGTERM)
	s.ended.Wait()
	if got, want := s.said[0].String(), "program: rank 1 on hosta is lost: ended by signal 9 (killed) in superstep 7\n"; got != want {
		t.Errorf("it is said %q, want %q", got, want)
	}
}

// alone returns a watcher of ranks without processes, at a time that the test decides.
func alone(node, ranks int) (w *watcher, said *bytes.Buffer, now time.Time) {
	t := &task{Program: "program", Host: "here", Node: node, Nodes: 20}
	for r := range ranks {
		t.Ranks = append(t.Ranks, r)
	}
	w = newWatcher(t, pageOf(ranks))
	for i := range w.members {
		w.members[i].gone = true
	}
	said = new(bytes.Buffer)
	w.out = said
	return w, said, w.ticked
}

// The oldest of the reported ends is the cause, in any order of arrival. A requested end explains all
// others.
func TestFirstEndIsTheCause(t *testing.T) {
	tell := func(rank int, ago time.Duration, state uint32) *message {
		return &message{Node: rank, End: &end{State: state, Ago: ago, Ranks: []int{rank}, Host: "there", Seen: "ended", Place: loss.Place{Step: 3}}}
	}
	for name, c := range map[string]struct {
		ends []*message // one each 50 ms
		want string
	}{
		"the first is told first": {[]*message{tell(1, 60*time.Millisecond, running), tell(2, 60*time.Millisecond, running)}, "rank 1"},
		"the first is told last":  {[]*message{tell(1, 60*time.Millisecond, running), tell(2, 100*time.Millisecond, running), tell(3, 170*time.Millisecond, running)}, "rank 3"},
		"it has failed":           {[]*message{tell(1, 60*time.Millisecond, running), tell(2, 120*time.Millisecond, failed)}, ""},
		"another failed later":    {[]*message{tell(1, 60*time.Millisecond, running), tell(2, 100*time.Millisecond, failed)}, "rank 1"},
		"one was asked to end":    {[]*message{tell(1, 60*time.Millisecond, running), tell(2, 60*time.Millisecond, asked)}, ""},
	} {
		w, said, now := alone(0, 1)
		for i, m := range c.ends {
			conn, _ := net.Pipe()
			w.links[m.Node] = &link{conn: conn, host: "there", ranks: m.End.Ranks, heard: now}
			w.take(conn, m, now.Add(time.Duration(i)*50*time.Millisecond))
			conn.Close()
		}
		w.look(now.Add(gathering - time.Millisecond))
		if w.over {
			t.Errorf("%s: it does not wait for what others tell", name)
		}
		w.look(now.Add(gathering))
		want := ""
		if c.want != "" {
			want = "program: " + c.want + " on there is lost: ended in superstep 3\n"
		}
		if said.String() != want || !w.over {
			t.Errorf("%s: it says %q, over %v, want %q", name, said, w.over, want)
		}
	}
}

// running marks the watcher's first rank as running. It returns that rank and a connection to another
// watcher.
func (w *watcher) running(t *testing.T) (*member, net.Conn) {
	m := &w.members[0]
	m.gone, m.slot.pid, m.pidfd = false, 1<<30, 0
	near, far := net.Pipe()
	go io.Copy(io.Discard, far)
	t.Cleanup(func() { near.Close() })
	return m, near
}

// A node that does not answer is lost, unless supersteps still end or the watcher itself has
// slept; it is reported by the root, the root by node 1.
func TestSilence(t *testing.T) {
	const line = "program: ranks 4-5 on there are lost: no answer for 11 s in superstep 3, after stage 1 of stage loop 0\n"
	for name, c := range map[string]struct {
		node, silent int
		moves, slept bool
		away         int // seconds of supersteps without the silent node
		closed       bool
		want         string
		over         bool
	}{
		"a node":                       {node: 0, silent: 2, want: line, over: true},
		"a node while the run goes on": {node: 0, silent: 2, moves: true},
		"a node that takes no part":    {node: 0, silent: 2, away: 3, want: strings.Replace(line, "in superstep 3, after stage 1 of stage loop 0", "while they had no processes and took no part", 1), over: true},
		"after a sleep":                {node: 0, silent: 2, slept: true},
		"the root":                     {node: 1, silent: 0, want: line, over: true},
		"the root, to another node":    {node: 2, silent: 0, over: true},
		"a connection":                 {node: 0, silent: 2, closed: true, want: strings.Replace(line, "no answer for 11 s", "connection closed", 1), over: true},
	} {
		t.Run(name, func(t *testing.T) {
			w, said, now := alone(c.node, 1)
			l := &link{host: "there", ranks: []int{4, 5}, heard: now, place: loss.Place{Step: 3, Stage: 2}}
			if c.away > 0 {
				l.place = loss.Place{Away: true}
			}
			w.links[c.silent] = l
			if c.closed {
				l.closed = now
			}
			for s := range 13 {
				if c.slept && s > 0 && s < 11 {
					continue
				}
				at := now.Add(time.Duration(s) * time.Second)
				if c.moves || s < c.away {
					w.members[0].slot.pulse.Begin(s)
				}
				w.look(at)
				w.look(at.Add(gathering))
			}
			got := said.String()
			if got != c.want || w.over != c.over {
				t.Errorf("it says %q, over %v, want %q, %v", got, w.over, c.want, c.over)
			}
		})
	}
}

// The time until a silent node is lost can be set. Watchers then send as many messages in it.
func TestLostAfter(t *testing.T) {
	for _, c := range []struct {
		set  string
		want time.Duration
	}{{"", 10 * time.Second}, {"3s", 3 * time.Second}, {"1m", time.Minute}} {
		after := must.Get(parseLostAfter(c.set))(t)
		w := newWatcher(&task{Program: "program", Host: "here", Ranks: []int{0}, Nodes: 3, LostAfter: after}, pageOf(1))
		w.out, w.members[0].gone = new(bytes.Buffer), true
		now, lost := w.ticked, time.Duration(0)
		w.links[2] = &link{host: "there", ranks: []int{4}, heard: now}
		for lost = 0; !w.over && lost < 2*c.want; lost += c.want / 100 {
			w.look(now.Add(lost))
			w.look(now.Add(lost + gathering))
		}
		if lost < c.want || lost > c.want+c.want/5+gathering {
			t.Errorf("%q: lost after %v, want %v", c.set, lost, c.want)
		}
	}
	for _, bad := range []string{"3", "0.5s", "2h", "soon", "-3s"} {
		if _, err := parseLostAfter(bad); !errors.Is(err, ErrSetting) || !strings.HasPrefix(err.Error(), Variable+"="+bad+": ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A node whose watcher has never connected is lost too, unless the watcher has tried and failed.
func TestSilenceBeforeConnection(t *testing.T) {
	const line = "program: ranks 4-5 on there are lost: no answer for %d s before their first superstep\n"
	for name, c := range map[string]struct {
		connected string // the bits of nodes 0 to 7, "" while not all have tried
		node      int
		lost      int // second of the silent node's loss
	}{
		"it has not tried":              {lost: 61},
		"it was connected":              {connected: "\x05", lost: 11},
		"it has failed":                 {connected: "\x03"},
		"the root, before this node":    {node: 1, lost: 61},
		"the root, which was connected": {node: 1, connected: "\x03", lost: 11},
		"the root, after a failure":     {node: 1, connected: "\x05"},
	} {
		t.Run(name, func(t *testing.T) {
			task := &task{Program: "program", Host: "here", Ranks: []int{0}, Node: c.node, Nodes: 3, Peers: []peer{{2 - 2*c.node, "there", []int{4, 5}}}}
			w, said := newWatcher(task, pageOf(1)), new(bytes.Buffer)
			w.out, w.members[0].gone = said, true
			w.page.connected.set(c.connected)
			now, s := w.ticked, 0
			for ; s < 100 && !w.over; s++ {
				at := now.Add(time.Duration(s) * time.Second)
				w.look(at)
				w.look(at.Add(gathering))
			}
			want := ""
			if c.lost > 0 {
				want = fmt.Sprintf(line, c.lost)
			}
			if said.String() != want || w.over && s-1 != c.lost {
				t.Errorf("after %d s it says %q, want %q", s-1, said, want)
			}
		})
	}
}

// Among many nodes, each sends its position less often, and may be silent for longer before it is
// lost.
func TestSilenceOfManyNodes(t *testing.T) {
	task := &task{Program: "program", Host: "here", Ranks: []int{0}, Nodes: 200}
	for _, speaks := range []bool{true, false} {
		w, said := newWatcher(task, pageOf(1)), new(bytes.Buffer)
		w.out, w.members[0].gone = said, true
		now := w.ticked
		near, far := net.Pipe()
		defer near.Close()
		lines := make(chan int, 100)
		go func() {
			for in := bufio.NewScanner(far); in.Scan(); {
				lines <- 1
			}
			close(lines)
		}()
		w.links[2] = &link{conn: near, host: "there", ranks: []int{4}, heard: now, place: loss.Place{Step: 3}}
		for s := 1; s <= 20; s++ {
			at := now.Add(time.Duration(s) * time.Second)
			if speaks && s%4 == 0 {
				w.take(near, &message{Node: 2, Place: &loss.Place{Step: 3}, Still: at.Sub(now), Idle: at.Sub(now)}, at)
			}
			w.look(at)
			w.look(at.Add(gathering))
		}
		near.Close()
		count := 0
		for n := range lines {
			count += n
		}
		want, most := "program: rank 4 on there is lost: no answer for 17 s in superstep 3\n", 6
		if speaks {
			want = ""
		}
		if said.String() != want || count == 0 || count > most {
			t.Errorf("speaks %v: it says %q and sends %d lines in 20 s, want %q and %d at most", speaks, said, count, want, most)
		}
	}
}

// A host whose ranks take no part and whose watcher does not answer is not lost while a rank
// computes, here or elsewhere, nor once all ranks have met. It is lost only if all ranks wait,
// because they then recall it without an answer.
func TestSilenceOfRanksThatTakeNoPart(t *testing.T) {
	const line = "program: ranks 4-5 on there are lost: no answer for %d s while they had no processes and took no part\n"
	for name, c := range map[string]struct {
		here, elsewhere int // seconds for which a rank computes
		meet            int // second of the ranks' meeting
		lost            int
	}{
		"all wait":                {lost: 11},
		"one computes here":       {here: 25, lost: 33},
		"one computes for long":   {here: 100},
		"one computes elsewhere":  {elsewhere: 25, lost: 33},
		"it has been called back": {here: 25, meet: 20, lost: 0},
	} {
		t.Run(name, func(t *testing.T) {
			w, said, now := alone(0, 1)
			m, conn := w.running(t)
			w.links[2] = &link{host: "there", ranks: []int{4, 5}, heard: now, place: loss.Place{Away: true}}
			w.links[3] = &link{host: "elsewhere", ranks: []int{6}, conn: conn, heard: now, place: loss.Place{Step: 7}}
			for s := range 60 {
				at := now.Add(time.Duration(s) * time.Second)
				if m.slot.pulse.Begin(7); s >= c.here {
					m.slot.pulse.Arrive(7)
				}
				if s == c.meet && s > 0 {
					m.slot.pulse.Meet()
				}
				idle := max(0, time.Duration(s-c.elsewhere+1)*time.Second)
				w.take(conn, &message{Node: 3, Place: &loss.Place{Step: 7}, Still: at.Sub(now), Idle: idle}, at)
				w.look(at)
				w.look(at.Add(gathering))
				if w.over {
					break
				}
			}
			want := ""
			if c.lost > 0 {
				want = fmt.Sprintf(line, c.lost)
			}
			if got := said.String(); got != want || w.over != (c.lost > 0) {
				t.Errorf("it says %q, over %v, want %q", got, w.over, want)
			}
		})
	}
}

// A watcher whose ranks take no part learns from others whether supersteps end. A watcher that
// receives no messages assumes for a while that it is cut off itself.
func TestWatcherOfRanksThatTakeNoPart(t *testing.T) {
	for name, c := range map[string]struct {
		node, silent         int
		hears, moves, closed bool
		over                 int // second in which it declares the silent watcher lost
	}{
		"it hears of supersteps":         {silent: 1, hears: true, moves: true},
		"it hears of none":               {silent: 1, hears: true, over: 11},
		"it hears nobody":                {silent: 1, over: 61},
		"nobody is there":                {silent: 1, closed: true, over: 3},
		"it is not the root":             {node: 1, over: 61},
		"it is not the root, none there": {node: 1, closed: true, over: 3},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, now := alone(c.node, 1)
			m, conn := w.running(t)
			m.slot.pulse.Away()
			w.links[c.silent] = &link{host: "there", ranks: []int{4, 5}, heard: now, place: loss.Place{Step: 3}}
			if c.closed {
				w.links[c.silent].closed = now
			}
			if c.node == 0 {
				w.links[17] = &link{host: "elsewhere", ranks: []int{6}, conn: conn, heard: now, place: loss.Place{Step: 3}}
			}
			s := 0
			for ; s < 100 && !w.over; s++ {
				at := now.Add(time.Duration(s) * time.Second)
				if c.hears {
					m := &message{Node: 17, Place: &loss.Place{Step: 3 + s}, Still: at.Sub(now), Idle: at.Sub(now)}
					if c.moves {
						m.Still = 0
					}
					w.take(conn, m, at)
				} else if w.links[17] != nil {
					w.links[17].bye = true
				}
				w.look(at)
				w.look(at.Add(gathering))
			}
			if !w.over {
				s = 1
			}
			if s-1 != c.over {
				t.Errorf("lost after %d s, want %d", s-1, c.over)
			}
		})
	}
}

// A rank that others wait for is reported after a while, and again when it continues; the next report
// takes longer.
func TestSlowRanks(t *testing.T) {
	w, said, now := alone(0, 5)
	for i := range w.members {
		w.members[i].gone, w.members[i].slot.pid = false, 1<<30
		w.members[i].pidfd = 0
	}
	second := 0
	until := func(s int) {
		for ; second < s; second++ {
			w.tick(now.Add(time.Duration(second) * time.Second))
		}
	}
	begin := func(step, slowest int) {
		w.members[4].slot.pulse.Away()
		for i := range w.members[:4] {
			if w.members[i].slot.pulse.Begin(step); i != slowest {
				w.members[i].slot.pulse.Arrive(step)
			}
		}
	}
	for _, c := range []struct {
		until, step, slowest int
		want                 string
	}{
		{29, 5, 2, ""},
		{33, 5, 2, "program: rank 2 on here has computed for 30 s in superstep 5; 3 ranks wait for it\n"},
		{40, 5, 2, ""},
		{42, 6, 1, "program: rank 2 goes on, after 40 s\n"},
		{90, 6, 1, ""},
		{102, 6, 1, "program: rank 1 on here has computed for 60 s in superstep 6; 3 ranks wait for it\n"},
		{104, 7, 1, "program: rank 1 goes on, after 62 s\n"},
	} {
		begin(c.step, c.slowest)
		until(c.until)
		if said.String() != c.want {
			t.Errorf("at %d s it says %q, want %q", c.until, said, c.want)
		}
		said.Reset()
	}
	if atomic.LoadUint32(&w.page.lost) != 0 || w.over {
		t.Error("a slow rank is taken for lost")
	}
}

// The end of a process is described while the kernel still has its status.
func TestStatus(t *testing.T) {
	for script, want := range map[string]string{"exit 3": "ended with code 3", "kill -SEGV $$": "ended by signal 11 (segmentation fault)"} {
		c, in, _ := begun(t, "sh", "-c", "read x; "+script)
		started := startOf(c.Process.Pid)
		if gone(c.Process.Pid, started) || started == 0 {
			t.Error("it is gone already")
		}
		in.Close()
		for !gone(c.Process.Pid, started) {
			time.Sleep(time.Millisecond)
		}
		if got, _ := endOf(c.Process.Pid, -1, started); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
		c.Wait()
	}
}

// Where /proc is not mounted no rank is watched: all would seem to have ended.
func TestWithoutProc(t *testing.T) {
	if os.Getenv("WATCH_TEST_WITHOUT_PROC") == "" {
		self := must.Get(os.Executable())(t)
		hide := `mount -t tmpfs none /proc || exit 77; WATCH_TEST_WITHOUT_PROC=1 exec "$0" -test.run '^TestWithoutProc$'`
		text, err := exec.Command("unshare", "--mount", "sh", "-c", hide, self).CombinedOutput()
		if ended, is := err.(*exec.ExitError); err != nil && (!is || ended.ExitCode() != 1) {
			t.Skipf("no mounts of its own: %v %s", err, text)
		} else if err != nil {
			t.Errorf("%s", text)
		}
		return
	}
	j := &join{task: task{Ranks: []int{0, 1}}}
	if j.makePage() == nil {
		t.Error("its ranks are watched")
	}
}

func TestPlaceOfNode(t *testing.T) {
	var away, begun Pulse
	away.Away()
	begun.Begin(4)
	for want, pulses := range map[string][]Pulse{"{0 true 0 0}": {away, away}, "{0 false 0 0}": {away, {}}, "{4 false 0 0}": {away, begun}} {
		w, _, _ := alone(0, 2)
		for i, p := range pulses {
			w.members[i].slot.pulse = p
		}
		if got := fmt.Sprint(w.place()); got != want {
			t.Errorf("a node with ranks %+v is at %s, want %s", pulses, got, want)
		}
	}
}

// A text that is read while it is written is one of those that were.
func TestText(t *testing.T) {
	var x text
	a, b := strings.Repeat("a", 5000), strings.Repeat("b", 9000)
	x.set(a)
	if x.get() != a {
		t.Error("it is another")
	}
	if x.set(b); x.get() != b[:len(x.bytes)] {
		t.Error("a long one is not cut")
	}
}
