package watch

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/migbsp/migbsp/internal/loss"
)

// teller reports ranks that others wait for: once when that begins, and once when it ends.
type teller struct {
	program string
	out     io.Writer

	episode  []int         // ranks in the last report, if they are still slow
	started  time.Time     // when it began
	patience time.Duration // for which ranks wait before the next report; it doubles with each
}

// tell reports the ranks of h. Reports on a program that often has long stages become rarer.
func (r *teller) tell(h *holdup, now time.Time) {
	if len(r.episode) > 0 {
		if !slices.ContainsFunc(h.Slow, func(s slow) bool { return slices.Contains(r.episode, s.Rank) }) {
			goes := "go"
			if len(r.episode) == 1 {
				goes = "goes"
			}
			fmt.Fprintf(r.out, "%s: %s %s on, after %d s\n", r.program, loss.RanksText(r.episode), goes, int(now.Sub(r.started).Seconds()))
			r.episode = nil
		}
		return
	}
	told := slices.DeleteFunc(slices.Clone(h.Slow), func(s slow) bool { return !s.Stopped && !s.stuck && h.Waited < r.patience })
	if len(told) == 0 {
		return
	}
	for _, s := range told {
		r.episode = append(r.episode, s.Rank)
	}
	slices.Sort(r.episode)
	s := told[0]
	r.started = now.Add(-s.For)
	what, more, waits := "has computed", "", "the run goes on when it does"
	if s.Stopped {
		what = "has been stopped by a signal"
	} else {
		r.patience *= 2
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
	fmt.Fprintf(r.out, "%s: rank %d on %s%s %s for %d s %s%s; %s\n",
		r.program, s.Rank, s.Host, more, what, int(s.For.Seconds()), s.Place.Of(1), s.process, waits)
}
