package watch

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// String is the report of a loss.
func (e *end) String() string {
	is := "is"
	if len(e.Ranks) > 1 {
		is = "are"
	}
	return fmt.Sprintf("%s on %s %s lost: %s %s", ranksText(e.Ranks), e.Host, is, e.Seen, e.Place.of(len(e.Ranks)))
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
		w.task.Program, s.Rank, s.Host, more, what, int(s.For.Seconds()), s.Place.of(1), waits)
}
