// Package cost predicts the duration of a superstep on a platform under any mapping of processes
// to ranks, and the cost of changing the mapping.
//
// Let w(i,c) be the work of process i in a superstep c, x(i) the rank of process i, v(r) the
// work that rank r does per second, and b(i,j) the bytes from j to i. Then
//
//	T(x)    = mean over c of max over r of W(r,c)/v(r)  +  C(x)  +  L(x)
//	W(r,c)  = sum of w(i,c) over all i with x(i) = r
//	C(x)    = max over ranks, hosts and links of bytes / rate  +  the longest latency in use
//	L(x)    = the barrier of the ranks with processes, in real runs the part beyond C
//	M(x,y)  = the same as C for the states that move from x to y, plus
//	          the latency at both ends of each move in sequence, plus the call that decides it
//
// That is the BSP cost w + g h + l (Valiant 1990), with w the maximum over ranks of different
// speed, h as bytes over the rates of the links, and l by the ranks that take part. Model evaluates it
// for one mapping; MaxTree, FlowTime, BarrierTime and MovingTime update its terms after each
// move of a process, in logarithmic time.
package cost

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

// Model predicts supersteps. It does not change its inputs.
type Model struct {
	Platform *platform.Platform
	Rates    []float64            // by rank, above 0 for drained ranks too
	Shared   Sharing              // of crowded hosts, at these rates
	Partners [][]platform.Traffic // by pid: traffic received in a superstep; nil without messages
	Steps    float64              // supersteps that count as one, if barriers depend on the ranks that take part
	// Exchange is the seconds that messages and barriers take for each that is predicted, as
	// measured; 0 means 1.
	Exchange float64
}

// Compute is the mean over columns of the slowest rank's seconds. work is by pid and column.
func (m *Model) Compute(work [][]float32, where []int32) float64 {
	sum := 0.0
	columns := m.ByColumn(work, where)
	for _, seconds := range columns {
		sum += 1 / float64(len(columns)) * seconds
	}
	return sum
}

// ByColumn are the slowest rank's seconds in each column.
func (m *Model) ByColumn(work [][]float32, where []int32) []float64 {
	if len(work) == 0 {
		return nil
	}
	columns := len(work[0])
	loads := make([]float64, (len(m.Shared.Alone)+len(m.Shared.Capacity))*columns)
	for pid, row := range work {
		for place := range m.Shared.Counts(int(where[pid])) {
			load := loads[place*columns:]
			for c, work := range row {
				load[c] += float64(work)
			}
		}
	}
	slowest := make([]float64, columns)
	for place, rate := range slices.Concat(m.Shared.Alone, m.Shared.Capacity) {
		for c := range slowest {
			slowest[c] = max(slowest[c], loads[place*columns+c]/rate)
		}
	}
	return slowest
}

// Exchanged corrects a predicted communication time by the measured ratio, if any.
func (m *Model) Exchanged(predicted float64) float64 {
	if m.Exchange > 0 {
		return m.Exchange * predicted
	}
	return predicted
}

// Communication returns the time of the partners' traffic per superstep.
func (m *Model) Communication(where []int32) float64 {
	if m.Partners == nil {
		return 0
	}
	flow := m.Platform.NewFlow()
	for pid, partners := range m.Partners {
		for _, t := range partners {
			if t.Pid >= 0 && t.Pid < len(where) && !m.Shared.Crowds.Joint(int(where[t.Pid]), int(where[pid])) {
				m.Platform.Add(&flow, int(where[t.Pid]), int(where[pid]), t.Bytes)
			}
		}
	}
	return m.Exchanged(m.Platform.Time(&flow))
}

// Way returns the time of a message between two ranks: 0 for ranks that share cores,
// because each transfer is then a copy by the same cores.
func (m *Model) Way(from, to int, bytes int64) float64 {
	if m.Shared.Crowds.Joint(from, to) {
		return 0
	}
	return m.Exchanged(m.Platform.Transfer(from, to, bytes))
}

// Barrier returns the time of the barriers in a unit that counts as a superstep: one barrier, or, if
// they depend on the ranks with processes, the actual number.
func (m *Model) Barrier(where []int32) float64 {
	return m.Exchanged(m.Barriers() * Barrier(m.Platform, where))
}

// Exchanges returns the time of messages, and the additional time of barriers.
func (m *Model) Exchanges(where []int32) (sends, waits float64) {
	sends = m.Communication(where)
	return sends, m.Waits(sends, m.Barrier(where))
}

// Waits returns the time of barriers beyond the messages, which overlap with the barrier on a real
// machine.
func (m *Model) Waits(sends, barriers float64) float64 {
	if m.Platform.Leave {
		return max(0, barriers-sends)
	}
	return barriers
}

// Barriers is how many barriers that are.
func (m *Model) Barriers() float64 {
	if m.Platform.Leave {
		return max(1, m.Steps)
	}
	return 1
}

// Latency is that between two ranks.
func Latency(p *platform.Platform, from, to int) float64 {
	return p.Links[p.Ranks[from].Set][p.Ranks[to].Set].Latency
}
