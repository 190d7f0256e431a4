package ledger

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// aloneGain is the part of the time that a run on one host must save to be advised.
const aloneGain = 0.1

// alone names the host that would do all the work in the least time by itself, and says how long:
// for what processes ran, at the speed of the host's cores that the run gets, with no messages or
// barriers over lines. It returns "" where that saves less than aloneGain of the time, or
// processes are on one host anyway.
//
// Work is taken to need as long on any core of that speed. Fewer hosts may have less memory,
// which nobody here knows.
func (a *Account) alone(t *Totals) string {
	type place struct{ cores, most, speed float64 }
	work, places, used := 0.0, make(map[string]place), make(map[string]bool)
	for _, rank := range a.available() {
		is := &a.Run.Ranks[rank]
		p, ran, share := places[is.Host], 0.0, 1.0
		if rank < len(t.Step.Work) {
			ran = t.Step.Work[rank].Seconds()
		}
		if rank < len(a.capacity.Ranks) {
			c := &a.capacity.Ranks[rank]
			ran, share, p.most = c.CPU, c.Share, max(p.most, c.Cores)
		}
		work += ran * is.Speed
		p.cores, p.speed = p.cores+share, max(p.speed, is.Speed)
		places[is.Host] = p
	}
	for _, rank := range a.where {
		if int(rank) < len(a.Run.Ranks) {
			used[a.Run.Ranks[rank].Host] = true
		}
	}
	if len(used) < 2 {
		return ""
	}
	host, seconds := "", math.Inf(1)
	for _, name := range slices.Sorted(maps.Keys(places)) {
		p := places[name]
		if p.most > 0 {
			p.cores = min(p.cores, p.most)
		}
		if took := work / (p.cores * p.speed); took < seconds {
			host, seconds = name, took
		}
	}
	if !(seconds < (1-aloneGain)*t.Elapsed) {
		return ""
	}
	return fmt.Sprintf("on %s alone this would take about %s: fewer hosts, or a larger problem", host, secondsText(seconds))
}
