package forecast

import (
	"math"
	"slices"
)

const (
	// waveLeast is the part of the work of busy processes from which a process is active: waiting for
	// a turn takes some time as well.
	waveLeast = 0.1
	// waveReach is the maximum shift of a wave per superstep, in pids. Wavefronts shift by 1, or
	// by the width of a block of processes; a larger limit fits more noise.
	waveReach = 4
	// waveDoubt is the part of the changes that a wave may leave unexplained. A wrongly detected
	// wave moves processes to ranks where they will not work.
	waveDoubt = 0.1
	// waveColumns is the number of columns needed to detect a wave if most processes have worked: two
	// columns may look shifted by chance.
	waveColumns = 3
	// waveSamples is the number of samples of the coming supersteps. Each costs the search as much as a
	// phase.
	waveSamples = 16
)

// wave is work that moves over the processes, as in wavefronts and pipelines: the processes active
// in a superstep are those of the one before, shifted by some pids.
type wave struct {
	active [][]bool // by column since the first of the wave, by pid
	work   float64  // mean of those that work
	shift  int      // pids per superstep
}

// goOn assumes that work which moves as a wave continues as one. It makes the columns samples of
// the coming supersteps: the wave ends with the run, and the input at its beginning stays the
// same until then.
//
// It returns false if classes of supersteps alternate, if processes work, stop and
// work again, or if no work would be left before the end.
func goOn(past *Series) (*Series, bool) {
	m := past.clone()
	w, ok := m.findWave()
	if !ok || m.Horizon == 0 {
		return nil, false
	}
	m.Columns, m.Ahead = min(waveSamples, m.Horizon, m.Samples), true
	m.Classes = make([]int, m.Columns)
	works, passes := make([]bool, m.Columns), w.passes(m.Horizon)
	for pid := range m.Rows {
		m.Rows[pid] = make([]float32, m.Columns)
		for s := range works {
			if passes(pid, 1+s*m.Horizon/m.Columns, (s+1)*m.Horizon/m.Columns) {
				m.Rows[pid][s], works[s] = float32(w.work), true
			}
		}
	}
	return m, !slices.Contains(works, false)
}

// findWave returns the shift that best explains the active processes, over as many of the
// last columns of one class as it holds: other waves may have preceded.
func (m *Series) findWave() (w wave, found bool) {
	var active [][]bool
	var work []float64 // by column: mean of those that work
	for c := range m.Columns {
		if c > 0 && m.Classes[c] != m.Classes[c-1] {
			active, work = nil, nil
		}
		busy, mean := m.busy(c)
		active, work = append(active, busy), append(work, mean)
	}
	for first := range len(active) - 1 {
		w = wave{active: active[first:]}
		workers, once := w.begins()
		if len(w.active) < waveColumns && 2*workers > len(m.Rows) {
			break
		}
		if once && w.fit() {
			for _, x := range work[first:] {
				w.work += x / float64(len(w.active))
			}
			return w, true
		}
	}
	return w, false
}

// busy returns, for each process, whether it is active in a column, and the mean work of the active
// processes. A process is active if its work is at least waveLeast times the contraharmonic mean of
// the column.
func (m *Series) busy(column int) (active []bool, mean float64) {
	sum, squares := 0.0, 0.0
	for _, row := range m.Rows {
		w := float64(row[column])
		sum, squares = sum+w, squares+w*w
	}
	least, all, workers := waveLeast*ratioOr(squares, sum, 0), 0.0, 0.0
	active = make([]bool, len(m.Rows))
	for pid, row := range m.Rows {
		if w := float64(row[column]); w > 0 && w >= least {
			active[pid], all, workers = true, all+w, workers+1
		}
	}
	return active, ratioOr(all, workers, 0)
}

// fit finds the shift that leaves fewest changes unexplained, and reports whether these
// are few.
func (w *wave) fit() bool {
	changes, least := w.unexplained(0), 0.0
	if changes < float64(len(w.active)-1) {
		return false
	}
	w.shift, least = bestShift(waveReach, changes, w.unexplained)
	return least <= waveDoubt*changes
}

// bestShift returns the shift, by up to most pids in either direction, that minimizes of, and the
// minimum; 0 if no shift is below less.
func bestShift(most int, less float64, of func(shift int) float64) (best int, least float64) {
	least = less
	for shift := 1; shift <= most; shift++ {
		for _, d := range [2]int{shift, -shift} {
			if x := of(d); x < least {
				best, least = d, x
			}
		}
	}
	return best, least
}

// unexplained counts the differences between a superstep and the shifted one before. Work that enters
// from beyond the first or the last pid counts as explained.
func (w *wave) unexplained(shift int) (count float64) {
	for c := 1; c < len(w.active); c++ {
		before, now := w.active[c-1], w.active[c]
		for pid := max(0, shift); pid < min(len(now), len(now)+shift); pid++ {
			if now[pid] != before[pid-shift] {
				count++
			}
		}
	}
	return count
}

// begins counts the processes that have worked at all, and reports whether all begin to at most once, and so end.
func (w *wave) begins() (workers int, once bool) {
	once = true
	for pid := range w.active[0] {
		begins := 0
		for c, active := range w.active {
			if active[pid] && (c == 0 || !w.active[c-1][pid]) {
				begins++
			}
		}
		workers, once = workers+min(begins, 1), once && begins <= 1
	}
	return workers, once
}

// passes reports whether work of the wave passes a process in a range of supersteps from the last column on.
func (w *wave) passes(horizon int) func(pid, from, to int) bool {
	last := w.active[len(w.active)-1]
	n, far := len(last), max(w.shift, -w.shift)
	if w.shift < 0 { // in the direction of the wave
		last = slices.Clone(last)
		slices.Reverse(last)
	}
	behind := make([]int, n) // by place: the nearest process with work, at it or behind it
	for place, at := 0, math.MinInt; place < n; place++ {
		if last[place] {
			at = place
		}
		behind[place] = at
	}
	source := horizon // coming supersteps with input at the beginning, while the first process works
	if left := horizon - (n-1)/far; left >= 0 {
		source = left
	}
	return func(pid, from, to int) bool {
		if w.shift < 0 {
			pid = n - 1 - pid
		}
		at := pid - far*from
		if at >= 0 {
			at = behind[at]
		} else if !last[0] || at < -far*source {
			return false
		}
		return at >= pid-far*to
	}
}
