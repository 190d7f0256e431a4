package ledger

import "math"

// aloneGain is the part of the time that a run on one host must save to be advised.
const aloneGain = 0.1

// alone finds the host that would do all the work in the least time by itself: what processes
// ran, at the speed of the host's cores that the run gets, with no messages or barriers over
// lines. It returns "" where that saves less than aloneGain of the time, or processes are on one host
// anyway.
//
// Work is taken to need as long on any core of that speed. Fewer hosts may have less memory,
// which nobody here knows.
func (a *Account) alone(t *Totals) (host string, seconds float64) {
	work, cores, speeds := 0.0, make(map[string]float64), make(map[string]float64)
	var hosts []string
	most := make(map[string]float64)
	for _, rank := range a.available() {
		is := &a.Run.Ranks[rank]
		ran, share := 0.0, 1.0
		if rank < len(t.Work) {
			ran = t.Work[rank].Seconds()
		}
		if rank < len(a.capacity.Ranks) {
			c := &a.capacity.Ranks[rank]
			ran, share = c.CPU, c.Share
			most[is.Host] = max(most[is.Host], c.Cores)
		}
		if _, known := cores[is.Host]; !known {
			hosts = append(hosts, is.Host)
		}
		work += ran * is.Speed
		cores[is.Host] += share
		speeds[is.Host] = max(speeds[is.Host], is.Speed)
	}
	used := make(map[string]bool)
	for _, rank := range a.where {
		if int(rank) < len(a.Run.Ranks) {
			used[a.Run.Ranks[rank].Host] = true
		}
	}
	if len(hosts) < 2 || len(used) < 2 {
		return "", 0
	}
	seconds = math.Inf(1)
	for _, name := range hosts {
		n := cores[name]
		if most[name] > 0 {
			n = min(n, most[name])
		}
		if took := work / (n * speeds[name]); took < seconds {
			host, seconds = name, took
		}
	}
	if !(seconds < (1-aloneGain)*t.Elapsed) {
		return "", 0
	}
	return host, seconds
}
