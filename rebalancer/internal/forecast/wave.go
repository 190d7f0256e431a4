package forecast

import (
	"math"
	"slices"
)

const (
	// waveLeast is the part of what the busy ones do from which on a process works: waiting for one's
	// turn takes some time as well.
	waveLeast = 0.1
	// waveReach is how many pids further in a superstep a wave may go. Wavefronts go by 1, or
	// by the width of a block of processes; each more is another way to fit by chance.
	waveReach = 4
	// waveDoubt is the part of the changes that a wave may leave unexplained. A wave that is
	// seen where there is none moves processes to where they will not work.
	waveDoubt = 0.1
	// waveColumns is how many columns show a wave where most have worked: two may look shifted by
	// chance.
	waveColumns = 3
	// waveSamples stand for the supersteps to come. Each costs the search as much as a phase.
	waveSamples = 16
	// waveLine columns show how the work of those that work changes, if the slope of a line through
	// them is waveSlope times its standard error: 3 for one chance in a few hundred that there is none.
	// It is believed to grow by waveGrowth at most.
	waveLine   = 4
	waveSlope  = 3
	waveGrowth = 4
)

// wave is work that wanders over the processes, as in wavefronts and pipelines: who
// works in a superstep is who worked in the one before, so many pids further.
type wave struct {
	first  int      // column from which on it is seen: before it others may have begun
	active [][]bool // by column from there on, by pid
	shift  int      // pids per superstep
	source int      // supersteps to come in which something comes in at the beginning
}

// busy tells, by pid, who works in a column: who does a part of what the busy ones do.
func (m *Series) busy(column int) []bool {
	sum, squares := 0.0, 0.0
	for _, row := range m.Rows {
		w := float64(row[column])
		sum, squares = sum+w, squares+w*w
	}
	least := waveLeast * ratioOr(squares, sum, 0)
	active := make([]bool, len(m.Rows))
	for pid, row := range m.Rows {
		active[pid] = row[column] > 0 && float64(row[column]) >= least
	}
	return active
}

// workerMeans is, by column of a wave, the mean work of the processes that work.
func (m *Series) workerMeans(w wave) []float64 {
	means := make([]float64, len(w.active))
	for c, active := range w.active {
		sum, workers := 0.0, 0
		for pid, works := range active {
			if works {
				sum += float64(m.Rows[pid][w.first+c])
				workers++
			}
		}
		means[c] = ratioOr(sum, float64(workers), 0)
	}
	return means
}

// goOn takes it that work which comes in a wave goes on as one. It makes the columns samples of
// the supersteps to come: the wave ends with
// the run, what comes in at its beginning stays as it is until then, and the work of those
// that work goes on along its line.
//
// There is none where classes of supersteps take turns, where processes work, stop and
// work again, or where nothing would be left to do before the end.
func goOn(past *Series) (*Series, bool) {
	m := past.clone()
	if m.Columns < 2 || m.Horizon == 0 {
		return nil, false
	}
	w, ok := m.findWave()
	if !ok {
		return nil, false
	}
	w.source = m.Horizon
	if left := m.Horizon - (len(m.Rows)-1)/max(w.shift, -w.shift); left >= 0 {
		w.source = left
	}
	means := m.workerMeans(w)
	level, share := m.waveLevel(w, means), m.waveShares(w, means)
	samples := min(waveSamples, m.Horizon, m.Samples)
	rows, works := make([][]float32, len(m.Rows)), make([]bool, samples)
	all := make([]float32, samples*len(rows))
	passed := w.passed()
	for pid := range rows {
		rows[pid] = all[pid*samples : (pid+1)*samples]
		for s := range samples {
			from, to := 1+s*m.Horizon/samples, (s+1)*m.Horizon/samples
			if passed(pid, from, to) > 0 {
				rows[pid][s], works[s] = float32(level(float64(from+to)/2)*share[pid]), true
			}
		}
	}
	for _, any := range works {
		if !any {
			return nil, false
		}
	}
	m.Rows, m.Columns, m.Ahead = rows, samples, true
	return m, true
}

// findWave looks for the shift that explains best who works when, in as many of the
// last columns as it does.
func (m *Series) findWave() (wave, bool) {
	active := make([][]bool, m.Columns)
	for c := range active {
		active[c] = m.busy(c)
	}
	alike := m.Columns - 1 // from there on all columns are of one class
	for alike > 0 && m.Class(alike-1) == m.Class(m.Columns-1) {
		alike--
	}
	for first := alike; first < m.Columns-1; first++ {
		w := wave{first: first, active: active[first:]}
		if len(w.active) < waveColumns && 2*w.workers() > len(m.Rows) {
			break
		}
		if w.fit() {
			return w, true
		}
	}
	return wave{}, false
}

// fit finds the shift that leaves fewest changes unexplained, and reports whether these
// are few.
func (w *wave) fit() bool {
	changes, least := w.unexplained(0), 0.0
	if changes < float64(len(w.active)-1) || !w.once() {
		return false
	}
	w.shift, least = bestShift(waveReach, changes, w.unexplained)
	return least <= waveDoubt*changes
}

// bestShift is the shift by up to so many pids, one way or the other, of which something is least, and how much that is;
// 0 where it is less of none.
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

// unexplained counts where a superstep is not the one before, shifted. What comes in
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

// once reports whether all processes begin to work at most once, and so end.
func (w *wave) once() bool {
	for pid := range w.active[0] {
		begins := 0
		for c, active := range w.active {
			if active[pid] && (c == 0 || !w.active[c-1][pid]) {
				begins++
			}
		}
		if begins > 1 {
			return false
		}
	}
	return true
}

// workers counts the processes that have worked at all.
func (w *wave) workers() int {
	count := 0
	for pid := range w.active[0] {
		if slices.ContainsFunc(w.active, func(active []bool) bool { return active[pid] }) {
			count++
		}
	}
	return count
}

// passed counts, for a process and a range of supersteps from the last column, the
// places of the wave that pass it and at which there is work.
func (w *wave) passed() func(pid, from, to int) int {
	last := w.active[len(w.active)-1]
	n, far := len(last), max(w.shift, -w.shift)
	along := func(pid int) int { // in the direction of the wave
		if w.shift < 0 {
			return n - 1 - pid
		}
		return pid
	}
	sums := make([]int, n+1) // of the places from the first process on
	for place := range n {
		sums[place+1] = sums[place]
		if last[along(place)] {
			sums[place+1]++
		}
	}
	// before counts the working places below one; those before the first process work as
	// it does, as far as something comes in.
	before := func(place int) int {
		switch {
		case place > 0:
			return sums[place]
		case last[along(0)]:
			return -min(-place, far*w.source)
		}
		return 0
	}
	return func(pid, from, to int) int {
		at := along(pid)
		return before(at-far*from+1) - before(at-far*to)
	}
}

// waveLevel is the mean work of those that work, by supersteps from the last column: it goes on along
// its line, if that has a slope which chance does not explain as well.
func (m *Series) waveLevel(w wave, means []float64) func(ahead float64) float64 {
	var n, x, y, xx, xy, yy float64
	for c, mean := range means {
		if at := float64(w.first + c); mean > 0 {
			n, x, y, xx, xy, yy = n+1, x+at, y+mean, xx+at*at, xy+at*mean, yy+mean*mean
		}
	}
	mean, last := y/n, float64(m.Columns-1)
	spread, joint := xx-x*x/n, xy-x*y/n
	slope := joint / spread
	free, left := n-2, max(0, yy-y*y/n-slope*joint)
	// Student's quantile beside that of many points, to 5 %.
	doubt := waveSlope * (1 + 9/(free*free)) * math.Sqrt(left/free/spread)
	if n < waveLine || math.Abs(slope) <= doubt {
		slope = 0
	}
	return func(ahead float64) float64 {
		return min(max(mean+slope*(last+ahead-x/n), 0), waveGrowth*mean)
	}
}

// waveShares is how much more than the mean each process works when it does; 1 where
// it has not been seen.
func (m *Series) waveShares(w wave, means []float64) []float64 {
	shares := make([]float64, len(m.Rows))
	for pid := range shares {
		count := 0
		for c, active := range w.active {
			if active[pid] {
				shares[pid] += float64(m.Rows[pid][w.first+c]) / means[c]
				count++
			}
		}
		shares[pid] = ratioOr(shares[pid], float64(count), 1)
	}
	return shares
}
