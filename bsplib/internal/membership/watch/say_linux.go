package watch

import (
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/internal/loss"
)

// host returns the lost host for the file of losses.
func (e *end) host() loss.Host {
	return loss.Host{Name: e.Host, Ranks: e.Ranks, Reason: e.Seen, Place: e.Place, Gone: e.Node}
}

// held returns the ranks that wait and the ranks that they may wait for, on all nodes that reported
// any.
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
