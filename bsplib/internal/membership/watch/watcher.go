//go:build linux

package watch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/internal/loss"
)

// watcher is the process that watches a node.
type watcher struct {
	task    *task
	out     io.Writer
	page    *page
	members []member
	links   []*link // by node: the root's to all others, theirs to the root; nil without a connection so far

	events chan func(now time.Time) // from the kernel and other watchers

	duties    []duty
	explained bool  // an end on this node has a duty to explain it, or was explained
	gathered  []end // known ends, until the decision
	over      bool  // the decision was made
	writing   int   // files that are being written

	started   time.Time
	moved     time.Time // when a superstep last ended anywhere, to this watcher's knowledge
	worked    time.Time // when a rank last computed anywhere
	ticked    time.Time
	sent      time.Time     // when the node's position was last sent to the other watchers
	stride    time.Duration // interval between such messages
	beat      time.Duration // between two messages of a watcher
	lostAfter time.Duration // without a message of a watcher
	teller    teller
}

// member is a rank of the watcher's node.
type member struct {
	slot  *slot
	rank  int
	pidfd int // -1 without one
	crash int // the pipe for the text of a crash, -1 without one
	kills oomKills

	endAt time.Time // when its pipe was closed or its process had ended, the earlier one
	gone  bool      // its process has ended,
	seen  string    // description of that end
	asked bool      // it ended by a signal that requests an end

	word  uint64 // its pulse, and since when
	since time.Time
	met   uint64
}

// duty is a task that is performed once, at a given time.
type duty struct {
	at time.Time
	do func(now time.Time)
}

func (w *watcher) after(now time.Time, pause time.Duration, do func(now time.Time)) {
	w.duties = append(w.duties, duty{now.Add(pause), do})
}

func newWatcher(t *task, p *page) *watcher {
	now := time.Now()
	w := &watcher{
		task: t, page: p, out: os.Stderr, links: make([]*link, t.Nodes), teller: teller{program: t.Program, patience: slowAfter},
		events: make(chan func(time.Time), 64+2*len(t.Ranks)), started: now, moved: now, worked: now, ticked: now,
		lostAfter: cmp.Or(t.LostAfter, lostAfter),
	}
	w.beat = w.lostAfter / (lostAfter / beat)
	w.stride = min(4, 1+time.Duration(t.Nodes/64)) * w.beat
	for _, p := range t.Peers {
		w.links[p.Node] = &link{host: p.Host, ranks: p.Ranks, heard: now, absent: true}
	}
	slots := p.slots(len(t.Ranks))
	for i, rank := range t.Ranks {
		w.members = append(w.members, member{slot: &slots[i], rank: rank, since: now, crash: -1})
	}
	return w
}

// run watches until all ranks of the node have ended and all reports have been made.
func (w *watcher) run() {
	w.watchMembers()
	if w.root() {
		atomic.StoreUint32(&w.page.ready, linked)
	}
	for next := time.NewTimer(0); !w.finished(); next.Reset(w.pause()) {
		select {
		case event := <-w.events:
			event(time.Now())
		case now := <-next.C:
			w.look(now)
		}
	}
	w.broadcast(&message{Bye: true})
}

// pause returns the time until the next scheduled task.
func (w *watcher) pause() time.Duration {
	next := w.ticked.Add(w.beat)
	for _, d := range w.duties {
		if d.at.Before(next) {
			next = d.at
		}
	}
	return max(0, time.Until(next))
}

func (w *watcher) root() bool { return w.task.Node == 0 }

// finished reports whether all ranks have ended and no report is pending.
func (w *watcher) finished() bool {
	left := slices.ContainsFunc(w.members, func(m member) bool { return !m.gone })
	return !left && w.writing <= 0 && (w.over || len(w.duties) == 0)
}

func (m *member) ends(now time.Time) {
	if m.endAt.IsZero() {
		m.endAt = now
	}
}

// reports reports whether the member's end is a reason for others to end.
func (m *member) reports() bool {
	return m.gone && m.slot.pid != 0 && atomic.LoadUint32(&m.slot.state) != done
}

// ended records that the process of a member has ended.
func (w *watcher) ended(m *member, now time.Time) {
	m.ends(now)
	m.gone = true
	if w.over || !m.reports() {
		return
	}
	m.seen, m.asked = endOf(int(m.slot.pid), m.pidfd, m.slot.started)
	m.seen = m.cause(m.seen)
	if !w.explained {
		w.explained = true
		w.after(now, explaining, func(now time.Time) { w.report(w.explain(), now) })
	}
}

// explain returns the node's first end, once ranks have had the time to note their states.
func (w *watcher) explain() end {
	var m *member
	for i := range w.members {
		if o := &w.members[i]; o.reports() && (m == nil || o.endAt.Before(m.endAt)) {
			m = o
		}
	}
	e := end{Ranks: []int{m.rank}, Host: w.task.Host, Seen: m.seen, Place: m.slot.place(), at: m.endAt}
	if m.asked || w.task.Daemon != 0 && gone(w.task.Daemon, startOf(w.task.Daemon)) {
		e.State = asked
	}
	for i := range w.members {
		s := w.members[i].slot
		switch at := time.Unix(0, s.stateAt); atomic.LoadUint32(&s.state) {
		case asked:
			if !at.After(m.endAt.Add(explaining)) {
				e.State = asked
			}
		case failed:
			if e.State != asked && at.Before(e.at) {
				e.State, e.at = failed, at
			}
		}
	}
	return e
}

// report keeps an end for the decision, and passes it on to the root, which then has to answer.
func (w *watcher) report(e end, now time.Time) {
	if w.over {
		return
	}
	wait := gathering
	if root := w.links[0]; root.live() {
		e.Ago, wait = now.Sub(e.at), answering
		send(root.conn, &message{Node: w.task.Node, End: &e})
	} else if w.task.Nodes == 1 {
		wait = 0
	}
	if len(w.gathered) == 0 {
		w.after(now, wait, w.decide)
	}
	w.gathered = append(w.gathered, e)
}

// decide finds the cause among the known ends, and reports it if a rank is lost.
func (w *watcher) decide(now time.Time) {
	if w.over {
		return
	}
	cause := w.gathered[0]
	for _, e := range w.gathered {
		if e.State == asked {
			cause = e
			break
		}
		if e.at.Before(cause.at) {
			cause = e
		}
	}
	if cause.State != failed && w.root() { // the launcher may have ended ranks because a host was lost
		for _, l := range w.links {
			if l != nil && !l.bye && !l.closed.IsZero() && l.closed.Before(cause.at.Add(gathering)) {
				cause = l.lost("connection closed")
			}
		}
	}
	if cause.State != running {
		w.conclude(nil, now)
		return
	}
	l := w.lossOf(cause)
	if w.task.LossFile == "" {
		w.print(l) // before ranks end: the launcher then stops forwarding output
	}
	w.conclude(l, now)
	w.tell(l, now)
}

func (w *watcher) print(l *loss.Loss) { fmt.Fprintln(w.out, l.Line()) }

// lossOf returns the loss caused by an end. It includes other nodes that do not answer.
func (w *watcher) lossOf(cause end) *loss.Loss {
	l := &loss.Loss{
		Start: w.task.Start, Node: w.task.Node, Started: w.started.UTC(), Progress: w.moved.UTC(), Time: time.Now().UTC(),
		Program: w.task.Program, Record: w.page.record.get(), Nodes: w.task.nodes(), Hosts: []loss.Host{cause.host()},
	}
	for _, e := range w.gathered {
		if e.Node && e.State == running && e.Host != cause.Host {
			l.Hosts = append(l.Hosts, e.host())
		}
	}
	if text := w.page.restart.get(); text != "" {
		json.Unmarshal([]byte(text), &l.Restart)
	}
	return l
}

// maxNamed is the maximum number of ranks that a loss lists one by one, because a loss must fit into
// a message.
const maxNamed = 1 << 16

// nodes returns this node and those that its watcher has connections with, by their ranks.
func (t *task) nodes() []loss.Node {
	ranks := len(t.Ranks)
	for _, p := range t.Peers {
		ranks += len(p.Ranks)
	}
	if ranks > maxNamed {
		return nil
	}
	all := []loss.Node{{Host: t.Host, Ranks: t.Ranks}}
	for _, p := range t.Peers {
		all = append(all, loss.Node{Host: p.Host, Ranks: p.Ranks})
	}
	slices.SortFunc(all, func(a, b loss.Node) int { return a.Ranks[0] - b.Ranks[0] })
	return all
}

// tell writes a loss to the loss files. A program that has set loss.Variable reports the loss itself,
// unless its file cannot be written.
func (w *watcher) tell(l *loss.Loss, now time.Time) {
	inbox, record := w.task.LossFile, l.Record
	w.write(now, func() {
		if inbox != "" && loss.Add(inbox, *l) != nil {
			w.print(l)
		}
		if record != "" {
			loss.Add(filepath.Join(record, loss.Name), *l)
		}
	})
}

// write calls do, which writes files, on another goroutine. The watcher waits for it before it ends,
// but not for a file system that does not respond.
func (w *watcher) write(now time.Time, do func()) {
	w.writing++
	ended := func(time.Time) { w.writing-- }
	go func() {
		do()
		w.events <- ended
	}()
	w.after(now, 3*leaving, func(time.Time) { w.writing = 0 })
}

// conclude ends the run of ranks that are left if one is lost, and has the other watchers know.
func (w *watcher) conclude(l *loss.Loss, now time.Time) {
	if w.over {
		return
	}
	w.over = true
	w.broadcast(&message{Over: &over{l}})
	if l == nil {
		atomic.StoreUint32(&w.page.suspect, 0)
		return
	}
	w.page.report.set(l.Cause())
	atomic.StoreUint32(&w.page.lost, 1)
	w.endMembers(syscall.SIGTERM)
	w.after(now, leaving, w.kill)
}

// learn adopts the decision of another watcher. The watcher on the launcher's host also writes the
// loss, because the deciding watcher may not reach the file.
func (w *watcher) learn(l *loss.Loss, now time.Time) {
	if w.over {
		return
	}
	w.conclude(l, now)
	if l != nil && w.task.LossFile != "" && w.task.Launcher != 0 {
		w.write(now, func() { loss.Add(w.task.LossFile, *l) })
	}
}

// kill ends members that have not ended when they were asked to.
func (w *watcher) kill(now time.Time) {
	w.endMembers(syscall.SIGKILL)
	w.after(now, leaving, w.kill)
}

// broadcast sends a message to all other watchers that have a connection.
func (w *watcher) broadcast(m *message) {
	m.Node = w.task.Node
	line := lineOf(m)
	for _, l := range w.links {
		if l.live() {
			sendLine(l.conn, line)
		}
	}
}

// hear queues a message from a connection for the watcher.
func (w *watcher) hear(conn net.Conn, m *message) {
	w.events <- func(now time.Time) { w.take(conn, m, now) }
}

// greet queues a new connection to the root for the watcher.
func (w *watcher) greet(conn net.Conn) {
	w.events <- func(now time.Time) {
		w.links[0] = &link{conn: conn, heard: now}
		w.introduce(conn)
		atomic.StoreUint32(&w.page.ready, linked)
	}
}

// fail queues a note that the root cannot be reached, unless it was reached before.
func (w *watcher) fail() {
	w.events <- func(time.Time) { atomic.CompareAndSwapUint32(&w.page.ready, 0, unlinked) }
}

func (w *watcher) introduce(conn net.Conn) {
	send(conn, &message{Node: w.task.Node, Host: w.task.Host, Ranks: w.task.Ranks})
}

// take processes a message; nil is the end of its connection.
func (w *watcher) take(conn net.Conn, m *message, now time.Time) {
	if m == nil {
		for _, l := range w.links {
			if l != nil && l.conn == conn {
				l.closed = now
			}
		}
		w.suspect()
		return
	}
	if m.Node < 0 || m.Node >= len(w.links) {
		return
	}
	l := w.links[m.Node]
	if w.root() && len(m.Ranks) > 0 { // it is the first of a connection
		l = &link{conn: conn}
		w.links[m.Node] = l
		w.introduce(conn)
	}
	if l == nil || l.conn != conn {
		return // it has another connection by now
	}
	l.heard = now
	if len(m.Ranks) > 0 {
		l.host, l.ranks = m.Host, m.Ranks
		w.suspect()
	}
	if m.Place != nil {
		l.place, l.held, l.asked = *m.Place, m.Held, false
		w.moved, w.worked = later(w.moved, now.Add(-m.Still)), later(w.worked, now.Add(-m.Idle))
	}
	l.bye = l.bye || m.Bye
	if m.End != nil {
		m.End.at = now.Add(-m.End.Ago)
		w.report(*m.End, now)
	}
	if m.Over != nil {
		w.learn(m.Over.Loss, now)
	}
}

// suspect shows the ranks whether a host may be lost.
func (w *watcher) suspect() {
	suspect := uint32(0)
	if !w.over && slices.ContainsFunc(w.links, func(l *link) bool { return l != nil && !l.bye && !l.closed.IsZero() }) {
		suspect = 1
	}
	atomic.StoreUint32(&w.page.suspect, suspect)
}

// look performs the duties that are due.
func (w *watcher) look(now time.Time) {
	for i := 0; i < len(w.duties); i++ {
		if d := w.duties[i]; !now.Before(d.at) {
			w.duties = slices.Delete(w.duties, i, i+1)
			d.do(now)
			i = -1 // it may have left others
		}
	}
	if now.Sub(w.ticked) >= w.beat {
		w.tick(now)
	}
}

// tick performs the work of a beat.
func (w *watcher) tick(now time.Time) {
	slept := now.Sub(w.ticked) > 3*w.beat // this watcher itself, with its host
	w.ticked = now
	for i := range w.members {
		w.feel(&w.members[i], now, slept)
	}
	if w.over {
		return
	}
	if w.computes() {
		w.worked = now
	}
	if w.judgeLinks(now, slept); w.over {
		return
	}
	held := w.held(now)
	if w.root() {
		w.teller.out = w.out
		w.teller.tell(held, now)
		held = nil
	}
	if now.Sub(w.sent) < w.stride-w.beat/2 {
		return
	}
	p := w.place()
	w.broadcast(&message{Place: &p, Still: now.Sub(w.moved), Idle: now.Sub(w.worked), Held: held})
	w.sent = now
}

// feel reads the progress of a member.
func (w *watcher) feel(m *member, now time.Time, slept bool) {
	if !m.gone && m.pidfd < 0 && gone(int(m.slot.pid), m.slot.started) {
		w.ended(m, now)
	}
	if word := atomic.LoadUint64(&m.slot.pulse.word); word != m.word || slept {
		if word>>1 != m.word>>1 {
			w.moved = now
		}
		m.word, m.since = word, now
	}
	if met := atomic.LoadUint64(&m.slot.pulse.met); met != m.met {
		m.met, w.moved = met, now
		for _, l := range w.links {
			if l != nil {
				l.asked = l.asked || now.Sub(l.heard) > 2*w.stride || !l.closed.IsZero()
			}
		}
	}
}

// askedSince reports whether a rank of this node was asked to end after t, or shortly before. If a
// connection was closed at t, the launcher has probably asked.
func (w *watcher) askedSince(t time.Time) bool {
	return slices.ContainsFunc(w.members, func(m member) bool {
		return atomic.LoadUint32(&m.slot.state) == asked && time.Unix(0, atomic.LoadInt64(&m.slot.stateAt)).After(t.Add(-gathering))
	})
}

// computes reports whether a rank of this node does.
func (w *watcher) computes() bool {
	return slices.ContainsFunc(w.members, func(m member) bool {
		step, waits := stepOf(m.word)
		return !m.gone && step > 0 && !waits && atomic.LoadUint32(&m.slot.state) == running
	})
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// place returns the position of the rearmost participating rank of the node. Step is 0 without one.
func (w *watcher) place() loss.Place {
	last := loss.Place{Away: true}
	for i := range w.members {
		switch p := w.members[i].slot.place(); {
		case p.Step > 0 && (last.Step == 0 || p.Step < last.Step):
			last = p
		case p.Step == 0 && last.Step == 0:
			last.Away = last.Away && p.Away
		}
	}
	return last
}

// lost returns the end of a node whose watcher does not answer.
func (l *link) lost(seen string) end {
	return end{Ranks: l.ranks, Host: l.host, Seen: seen, Place: l.place, Node: true, at: l.heard}
}

// judgeLinks finds nodes that are lost, by their watchers' silence.
func (w *watcher) judgeLinks(now time.Time, slept bool) {
	patience := w.lostAfter
	hears := slices.ContainsFunc(w.links, func(l *link) bool { return l.live() && now.Sub(l.heard) <= w.lostAfter-2*w.beat })
	if w.place().Away && !hears {
		patience = aloneAfter * w.lostAfter
	}
	for node, l := range w.links {
		if l == nil || l.bye || len(l.ranks) == 0 {
			continue
		}
		patience := patience
		if l.absent {
			switch connected, all := w.page.isConnected(max(node, w.task.Node)); {
			case !all:
				patience = joinAfter
			case !connected:
				continue
			}
		}
		if slept {
			l.heard = now
			if !l.closed.IsZero() {
				l.closed = now
			}
		}
		well := func(since time.Time, limit time.Duration) bool {
			switch {
			case now.Sub(since) <= limit:
				return true
			case l.place.Away && !l.asked:
				return now.Sub(w.moved) <= limit || now.Sub(w.worked) <= limit
			}
			return !w.moved.Before(since)
		}
		seen := ""
		switch {
		case !l.closed.IsZero() && (w.askedSince(l.closed) || !well(l.closed.Add(w.beat), answering-w.beat)):
			seen = "connection closed"
		case l.closed.IsZero() && !well(l.heard.Add(2*w.stride), patience-2*w.beat):
			seen = fmt.Sprintf("no answer for %d s", int(now.Sub(l.heard).Seconds()))
		default:
			continue
		}
		l.bye = true
		if e := l.lost(seen); node > 0 || w.task.Node == 1 {
			w.report(e, now)
		} else if w.gathered == nil {
			w.learn(w.lossOf(e), now) // node 1 reports it
		}
	}
}
