package watch

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/internal/loss"
)

// host is a lost host, as the file of losses has it.
func (e *end) host() loss.Host {
	return loss.Host{Name: e.Host, Ranks: e.Ranks, Reason: e.Seen, Place: e.Place}
}

// held is who has waited, and who may be waited for: of this node, and of those that have told.
func (w *watcher) held(now time.Time) *holdup {
	h := new(holdup)
	for i := range w.members {
		m := &w.members[i]
		unchanged := now.Sub(m.since)
		if m.gone || m.slot.pid == 0 || m.word <= awayWord || atomic.LoadUint32(&m.slot.state) != running || unchanged < slowAfter {
			continue
		}
		_, waits := stepOf(m.word)
		if stop := stopped(int(m.slot.pid)); waits && !stop {
			h.Waited = max(h.Waited, unchanged)
			h.Waits++
		} else if h.Slows++; len(h.Slow) < slowTold {
			h.Slow = append(h.Slow, slow{Rank: m.rank, Host: w.task.Host, For: unchanged, Stopped: stop, Place: m.slot.place()})
		}
	}
	for _, l := range w.links {
		if l.live() && l.held != nil {
			h.Waited = max(h.Waited, l.held.Waited)
			h.Waits += l.held.Waits
			h.Slows += l.held.Slows
			h.Slow = append(h.Slow, l.held.Slow...)
		}
	}
	h.Slow = h.Slow[:min(len(h.Slow), slowTold)]
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
			fmt.Fprintf(w.out, "%s: %s %s on, after %d s\n", w.task.Program, loss.RanksText(w.episode), goes, int(now.Sub(w.started).Seconds()))
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
	s := told[0]
	w.started = now.Add(-s.For)
	what, more, waits := "has computed", "", "the run goes on when it does"
	if s.Stopped {
		what = "has been stopped by a signal"
	} else {
		w.patience *= 2
	}
	if others := len(told) - 1 + h.Slows - len(h.Slow); others > 0 {
		more = fmt.Sprintf(" (and %d more)", others)
	}
	switch {
	case h.Waits == 1:
		waits = "another rank waits for it"
	case h.Waits > 1:
		waits = fmt.Sprintf("%d ranks wait for it", h.Waits)
	}
	fmt.Fprintf(w.out, "%s: rank %d on %s%s %s for %d s %s; %s\n",
		w.task.Program, s.Rank, s.Host, more, what, int(s.For.Seconds()), s.Place.Of(1), waits)
}
