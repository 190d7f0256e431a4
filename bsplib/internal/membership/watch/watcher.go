//go:build linux

package watch

import (
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// watcher is the process that watches a node.
type watcher struct {
	task    *task
	out     io.Writer
	page    *page
	members []member

	happens   chan happening // to members
	arrivals  chan arrived
	connected chan net.Conn

	parent   *link // nil until there was one
	children map[int]*link
	calls    map[net.Conn]int // node by connection of a child

	firstAt  time.Time
	told     bool      // what the first end was
	pending  *happened // of this node, until the root has decided
	gathered []happened
	decideAt time.Time
	over     bool
	killAt   time.Time

	moved     time.Time // when a superstep was last known to have ended,
	movedHere time.Time // and one of this node
	worked    time.Time // when a rank was last known to compute, anywhere
	ticked    time.Time
	episode   []int // ranks that were said to be slow
	started   time.Time
	patience  time.Duration // before the next is said
}

// happened is an end and when that was, by this watcher's clock: those of hosts differ.
type happened struct {
	end end
	at  time.Time
}

func newWatcher(t *task, p *page) *watcher {
	w := &watcher{
		task: t, page: p, out: os.Stderr, happens: make(chan happening, 2*len(t.Ranks)), arrivals: make(chan arrived, 64), connected: make(chan net.Conn),
		children: make(map[int]*link), calls: make(map[net.Conn]int), patience: slowAfter,
	}
	slots := p.slots(len(t.Ranks))
	now := time.Now()
	w.moved, w.worked, w.ticked = now, now, now
	for i, rank := range t.Ranks {
		w.members = append(w.members, member{slot: &slots[i], rank: rank, since: now})
	}
	return w
}

// run watches until all ranks of the node have ended and what there is to say of that has
// been said.
func (w *watcher) run() {
	w.watchMembers()
	atomic.StoreUint32(&w.page.ready, 1)
	for next := time.NewTimer(0); !w.finished(); {
		select {
		case h := <-w.happens:
			if h.closed {
				w.members[h.member].closed = time.Now()
			} else {
				w.ended(h.member, time.Now())
			}
		case m := <-w.arrivals:
			w.take(m, time.Now())
		case conn := <-w.connected:
			w.parent = &link{conn: conn, heard: time.Now(), node: parentOf(w.task.Node)}
			send(conn, &message{Token: w.task.Token, Node: w.task.Node, Host: w.task.Host, Ranks: w.task.Ranks})
		case now := <-next.C:
			w.look(now)
		}
		next.Reset(w.pause())
	}
	w.broadcast(&message{Node: w.task.Node, Bye: true}, true)
}

// pause is how long nothing needs to be done unless something happens.
func (w *watcher) pause() time.Duration {
	if !w.firstAt.IsZero() && !w.told || w.pending != nil || len(w.gathered) > 0 && !w.over || !w.killAt.IsZero() {
		return pace
	}
	for i := range w.members {
		if m := &w.members[i]; !m.gone && m.pidfd < 0 {
			return pace // nothing tells of its end
		}
	}
	return max(0, beat-time.Since(w.ticked))
}

func (w *watcher) root() bool { return w.task.Node == 0 }

// finished reports whether nothing is left to watch and to say.
func (w *watcher) finished() bool {
	for i := range w.members {
		if !w.members[i].gone {
			return false
		}
	}
	return w.over || (w.firstAt.IsZero() || w.told) && w.pending == nil && len(w.gathered) == 0
}

// ended notes that the process of a member has.
func (w *watcher) ended(i int, now time.Time) {
	m := &w.members[i]
	if m.gone {
		return
	}
	m.gone, m.goneAt = true, now
	if w.over || w.told || m.slot.ends() {
		return
	}
	if w.firstAt.IsZero() {
		w.firstAt = now
	}
	m.status, m.isStatus = statusOf(int(m.slot.pid), m.pidfd, m.slot.started, 0)
}

// cause finds the member that has ended first, and when.
func (w *watcher) cause() (first *member, at time.Time) {
	for i := range w.members {
		m := &w.members[i]
		if !m.gone || m.slot.pid == 0 || m.slot.ends() {
			continue
		}
		end := m.goneAt
		if !m.closed.IsZero() && m.closed.Before(end) {
			end = m.closed
		}
		if first == nil || end.Before(at) {
			first, at = m, end
		}
	}
	return first, at
}

// explain finds out what the first end was, once ranks have had the time to note it.
func (w *watcher) explain() happened {
	m, at := w.cause()
	if !m.isStatus {
		m.status, m.isStatus = statusOf(int(m.slot.pid), m.pidfd, m.slot.started, explaining)
	}
	e := happened{end{Kind: lostEnd, Ranks: []int{m.rank}, Host: w.task.Host, Seen: described(m.status, m.isStatus), Place: m.slot.place()}, at}
	if isRequest(m.status, m.isStatus) || w.task.Daemon != 0 && gone(w.task.Daemon, startOf(w.task.Daemon)) {
		e.end.Kind = askedEnd
	}
	for i := range w.members {
		switch s := w.members[i].slot; atomic.LoadUint32(&s.state) {
		case asked:
			if !time.Unix(0, s.stateAt).After(at.Add(explaining)) {
				e.end.Kind = askedEnd
			}
		case failed:
			if at := time.Unix(0, s.stateAt); e.end.Kind != askedEnd && at.Before(e.at) {
				e.end.Kind, e.at = failedEnd, at
			}
		}
	}
	return e
}

// place is how far a rank is.
func (s *slot) place() place {
	word := atomic.LoadUint64(&s.pulse.word)
	if word == awayWord {
		return place{Away: true}
	}
	step, _ := stepOf(word)
	stage := atomic.LoadUint64(&s.pulse.stage)
	return place{Step: step, Loop: int(stage >> 32), Stage: int(uint32(stage))}
}

// take does what a message asks for.
func (w *watcher) take(m arrived, now time.Time) {
	l := w.linkOf(m)
	if l == nil {
		return
	}
	if m.message == nil {
		l.closed = now
		delete(w.calls, m.conn)
		return
	}
	news := m.message
	l.heard = now
	if len(news.Ranks) > 0 {
		l.node, l.host, l.ranks = news.Node, news.Host, news.Ranks
	}
	if news.Place != nil {
		l.place, l.busy, l.asked = *news.Place, news.Busy, false
		if news.Moved {
			l.moved, w.moved = now, now
		}
	}
	if news.Held != nil {
		l.held = news.Held
	}
	l.bye = l.bye || news.Bye
	if news.End != nil {
		w.report(happened{*news.End, now.Add(-news.End.Ago)}, now)
	}
	if news.Over != nil {
		w.conclude(news.Over, now)
	}
}

// linkOf is the link that a message came over. A child's first makes its link.
func (w *watcher) linkOf(m arrived) *link {
	if w.parent != nil && w.parent.conn == m.conn {
		return w.parent
	}
	node, known := w.calls[m.conn]
	if !known {
		if m.message == nil || m.message.Token == 0 {
			return nil
		}
		node = m.message.Node
		w.calls[m.conn] = node
		w.children[node] = &link{conn: m.conn}
		send(m.conn, &message{Token: w.task.Token, Node: w.task.Node, Host: w.task.Host, Ranks: w.task.Ranks})
	}
	if l := w.children[node]; l.conn == m.conn {
		return l
	}
	return nil // it has another connection by now
}

// report passes on an end, or keeps it for the decision.
func (w *watcher) report(e happened, now time.Time) {
	switch {
	case w.over:
	case !w.root() && w.parent.live():
		e.end.Ago = now.Sub(e.at)
		send(w.parent.conn, &message{Node: w.task.Node, End: &e.end})
	default:
		if len(w.gathered) == 0 {
			w.decideAt = now
			if w.task.Nodes > 1 {
				w.decideAt = now.Add(gathering)
			}
		}
		w.gathered = append(w.gathered, e)
	}
}

// decide finds the cause among the ends that are known.
func (w *watcher) decide(now time.Time) {
	cause := w.gathered[0]
	for _, e := range w.gathered {
		if e.end.Kind == askedEnd {
			l := w.cutOff(e.at)
			if l == nil {
				w.conclude(&over{}, now)
				return
			}
			cause = l.lost("connection closed")
			break
		}
		if e.at.Before(cause.at) {
			cause = e
		}
	}
	if cause.end.Kind != lostEnd {
		w.conclude(&over{}, now)
		return
	}
	report := cause.end.String()
	fmt.Fprintf(w.out, "%s: %s%s\n", w.task.Program, report, w.page.advice.get())
	w.conclude(&over{Report: report}, now)
}

// String is the report of a loss.
func (e *end) String() string {
	return fmt.Sprintf("%s on %s %s lost: %s %s", ranksText(e.Ranks), e.Host, isAre(len(e.Ranks)), e.Seen, e.Place.of(len(e.Ranks)))
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// ranksText names ranks, which are in order: rank 3, ranks 4-7,9.
func ranksText(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d", ranks[0])
	}
	var parts []string
	for i := 0; i < len(ranks); {
		j := i
		for j+1 < len(ranks) && ranks[j+1] == ranks[j]+1 {
			j++
		}
		part := fmt.Sprint(ranks[i])
		if j > i {
			part += fmt.Sprint("-", ranks[j])
		}
		if parts = append(parts, part); len(parts) == 8 && j+1 < len(ranks) {
			parts = append(parts, fmt.Sprintf("... (%d in all)", len(ranks)))
			break
		}
		i = j + 1
	}
	return "ranks " + strings.Join(parts, ",")
}

// of says where so many ranks are. It counts stages and loops from 0, as programs do.
func (p place) of(ranks int) string {
	they, their := "it", "its"
	if ranks > 1 {
		they, their = "they", "their"
	}
	switch {
	case p.Away:
		return fmt.Sprintf("while %s had no processes and took no part", they)
	case p.Step == 0:
		return fmt.Sprintf("before %s first superstep", their)
	}
	text := fmt.Sprintf("in superstep %d", p.Step)
	if p.Stage > 0 {
		text += fmt.Sprintf(", after stage %d of stage loop %d", p.Stage-1, p.Loop)
	}
	return text
}

// conclude ends the run of ranks that are left, if one is lost, and has the other watchers
// know.
func (w *watcher) conclude(o *over, now time.Time) {
	if w.over {
		return
	}
	w.over, w.pending, w.gathered = true, nil, nil
	w.broadcast(&message{Node: w.task.Node, Over: o}, true)
	if o.Report == "" {
		return
	}
	w.page.report.set(o.Report)
	atomic.StoreUint32(&w.page.lost, 1)
	w.endMembers(syscall.SIGTERM)
	w.killAt = now.Add(leaving)
}

// broadcast sends a message to the children and, if up, to the parent.
func (w *watcher) broadcast(m *message, up bool) {
	if up && w.parent.live() {
		send(w.parent.conn, m)
	}
	for _, l := range w.children {
		if l.live() {
			send(l.conn, m)
		}
	}
}

// look does what is due.
func (w *watcher) look(now time.Time) {
	if !w.firstAt.IsZero() && !w.told && now.Sub(w.firstAt) >= explaining {
		w.told = true
		e := w.explain()
		if !w.root() && w.parent.live() && !w.over {
			w.pending = &e
		}
		w.report(e, now)
	}
	if w.pending != nil && now.Sub(w.firstAt) > answering {
		w.parent.bye = true // it does not answer
		e := *w.pending
		w.pending = nil
		w.report(e, now)
	}
	if len(w.gathered) > 0 && !w.over && !now.Before(w.decideAt) {
		w.decide(now)
	}
	if !w.killAt.IsZero() && now.After(w.killAt) {
		w.endMembers(syscall.SIGKILL)
		w.killAt = now.Add(leaving)
	}
	if now.Sub(w.ticked) >= beat {
		w.tick(now)
	}
}

// tick is done once in a beat.
func (w *watcher) tick(now time.Time) {
	slept := now.Sub(w.ticked) > 3*beat // this watcher itself, with its host
	w.ticked = now
	for i := range w.members {
		m := &w.members[i]
		if !m.gone && m.pidfd < 0 && gone(int(m.slot.pid), m.slot.started) {
			w.ended(i, now)
		}
		if word := atomic.LoadUint64(&m.slot.pulse.word); word != m.word || slept {
			if word>>1 != m.word>>1 {
				w.moved, w.movedHere = now, now
			}
			m.word, m.since = word, now
		}
		if met := atomic.LoadUint64(&m.slot.pulse.met); met != m.met {
			m.met, w.moved, w.movedHere = met, now, now
			for _, l := range w.links() {
				l.asked = l.asked || now.Sub(l.heard) > 2*beat || !l.closed.IsZero()
			}
		}
	}
	if w.over {
		return
	}
	if w.judgeLinks(now, slept); w.over {
		return
	}
	held := w.held(now)
	p := w.place()
	for _, l := range w.children {
		if l.live() {
			send(l.conn, &message{Node: w.task.Node, Place: &p, Busy: w.busy(l, now), Moved: w.movedBut(l, now)})
		}
	}
	switch {
	case w.root():
		w.sayHeld(held, now)
	case w.parent.live():
		send(w.parent.conn, &message{Node: w.task.Node, Place: &p, Busy: w.busy(w.parent, now), Moved: w.movedBut(w.parent, now), Held: held})
	}
}

// busy reports whether a rank is known to compute, on this node or beyond any link but one.
func (w *watcher) busy(except *link, now time.Time) bool {
	for i := range w.members {
		m := &w.members[i]
		if step, waits := stepOf(m.word); !m.gone && step > 0 && !waits && atomic.LoadUint32(&m.slot.state) == running {
			return true
		}
	}
	for _, l := range w.links() {
		if l != except && l.live() && l.busy && now.Sub(l.heard) <= 3*beat {
			return true
		}
	}
	return false
}

// movedBut reports whether a superstep has ended of late on this node or beyond any link but
// one.
func (w *watcher) movedBut(except *link, now time.Time) bool {
	late := func(at time.Time) bool { return now.Sub(at) <= beat }
	return late(w.movedHere) || slices.ContainsFunc(w.links(), func(l *link) bool { return l != except && late(l.moved) })
}

// alone reports whether this watcher is likely to be the one that is cut off: its ranks take
// no part, and it hears nobody.
func (w *watcher) alone(now time.Time) bool {
	return w.place().Away && !slices.ContainsFunc(w.links(), func(l *link) bool { return l.live() && now.Sub(l.heard) <= lostAfter-2*beat })
}

// links are those to the parent and the children.
func (w *watcher) links() []*link {
	var links []*link
	if w.parent != nil {
		links = append(links, w.parent)
	}
	for _, l := range w.children {
		links = append(links, l)
	}
	return links
}

// cutOff returns a link that was closed before that time, without a word: then the launcher
// may have asked the other ranks to end for that.
func (w *watcher) cutOff(at time.Time) *link {
	for _, l := range w.children {
		if !l.bye && !l.closed.IsZero() && l.closed.Before(at) {
			return l
		}
	}
	return nil
}

// lost is the end of a node whose watcher does not answer.
func (l *link) lost(seen string) happened {
	return happened{end{Kind: lostEnd, Ranks: l.ranks, Host: l.host, Seen: seen, Place: l.place}, l.heard}
}

// place is how far the node is: its last rank that takes part. There is none in step 0.
func (w *watcher) place() place {
	last := place{Away: true}
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

// judgeLinks finds watchers that do not answer. A superstep that has ended since then shows
// that the ranks there are well. Of ranks that take no part it shows nothing; these are lost
// if all others wait, unless they have answered a call meanwhile.
func (w *watcher) judgeLinks(now time.Time, slept bool) {
	if w.busy(nil, now) {
		w.worked = now
	}
	patience := lostAfter
	if w.alone(now) {
		patience = aloneAfter
	}
	for _, l := range w.links() {
		if l.bye || len(l.ranks) == 0 {
			continue
		}
		if slept {
			l.heard = now
			if !l.closed.IsZero() {
				l.closed = now
			}
		}
		seen, well := "", func(since time.Time, limit time.Duration) bool {
			if l.place.Away && !l.asked {
				return now.Sub(since) <= limit || now.Sub(w.moved) <= limit || now.Sub(w.worked) <= limit
			}
			return now.Sub(since) <= limit || !w.moved.Before(since)
		}
		switch {
		case !l.closed.IsZero() && !well(l.closed.Add(beat), answering-beat):
			seen = "connection closed"
		case l.closed.IsZero() && !well(l.heard.Add(2*beat), patience-2*beat):
			seen = fmt.Sprintf("no answer for %d s", int(now.Sub(l.heard).Seconds()))
		default:
			continue
		}
		l.bye = true
		e := l.lost(seen)
		if l != w.parent {
			w.report(e, now)
		} else if l.node == 0 && w.task.Node == 1 {
			w.report(e, now)
		} else if w.gathered == nil {
			// Another watcher speaks of it; this one is cut off from all that do.
			w.conclude(&over{Report: e.end.String()}, now)
		}
	}
}

// held is who has waited in this part of the tree, and who may be waited for.
func (w *watcher) held(now time.Time) *holdup {
	h := new(holdup)
	for i := range w.members {
		m := &w.members[i]
		unchanged := now.Sub(m.since)
		if m.gone || m.slot.pid == 0 || m.word <= awayWord || atomic.LoadUint32(&m.slot.state) != running || unchanged < slowAfter {
			continue
		}
		_, waits := stepOf(m.word)
		stop := stopped(int(m.slot.pid))
		if waits && !stop {
			h.Waited = max(h.Waited, unchanged)
			h.Waits++
			continue
		}
		h.addSlow(slow{Rank: m.rank, Host: w.task.Host, For: unchanged, Stopped: stop, Place: m.slot.place()})
	}
	for _, l := range w.children {
		if l.live() {
			h.add(l.held)
		}
	}
	return h
}

// sayHeld says once who is waited for, and once that it has ended. Stages that often take
// long are said less and less often.
func (w *watcher) sayHeld(h *holdup, now time.Time) {
	if len(w.episode) > 0 {
		if !slices.ContainsFunc(h.Slow, func(s slow) bool { return slices.Contains(w.episode, s.Rank) }) {
			goes := "go"
			if len(w.episode) == 1 {
				goes = "goes"
			}
			fmt.Fprintf(w.out, "%s: %s %s on, after %d s\n", w.task.Program, ranksText(w.episode), goes, int(now.Sub(w.started).Seconds()))
			w.episode = nil
		}
		return
	}
	told := slices.DeleteFunc(slices.Clone(h.Slow), func(s slow) bool { return !s.Stopped && h.Waited < w.patience })
	if len(told) == 0 {
		return
	}
	for _, s := range told {
		w.episode = append(w.episode, s.Rank)
	}
	slices.Sort(w.episode)
	s, others := told[0], len(told)-1+h.Others
	w.started = now.Add(-s.For)
	what := "has computed"
	if s.Stopped {
		what = "has been stopped by a signal"
	} else {
		w.patience *= 2
	}
	more := ""
	if others > 0 {
		more = fmt.Sprintf(" (and %d more)", others)
	}
	fmt.Fprintf(w.out, "%s: rank %d on %s%s %s for %d s %s; %s\n",
		w.task.Program, s.Rank, s.Host, more, what, int(s.For.Seconds()), s.Place.of(1), waiting(h.Waits))
}

func waiting(n int) string {
	switch n {
	case 0:
		return "the run goes on when it does"
	case 1:
		return "another rank waits for it"
	default:
		return fmt.Sprintf("%d ranks wait for it", n)
	}
}
