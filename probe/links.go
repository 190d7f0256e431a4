package probe

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

// Way is the cost of messages in one direction of a link.
type Way struct {
	Latency float64 `json:"latency"`  // seconds, of the shortest message
	PerByte float64 `json:"per_byte"` // seconds more for each byte; 0: not found out
}

// Measured reports whether the cost was measured.
func (w Way) Measured() bool { return w.Latency > 0 }

// LinkMeter measures the time of messages between the managers of Sets, and between two ranks of
// each Set, by sending some over the ranks of a run.
//
// Pairs of ranks measure in rounds, in which each rank has one partner at most, so that all links
// take the time of one link times the number of Sets. Several pairs of Sets measure at the same
// time: a link that they share shows the rate that each gets. Two distant Sets are measured by
// several of their nodes at once, and the rates are added: the memory of two nodes limits the data
// in flight between them, and processes that move go between many nodes.
type LinkMeter struct {
	comm      mpi.Comm
	sets      int
	ways      int // pairs of two Sets, at most
	rounds    [][]pair
	hosts     []int    // of ranks that measure lines: one of each node
	lines     [][]pair // measurement rounds of nodes' lines; none for few nodes
	watchdog  *Watchdog
	tolerance time.Duration
	repeats   int     // of the two messages that are compared
	bounded   bool    // the budget limits the search for a rate
	known     [][]Way // results of Measure that are not measured; zero for other links
	buffer    []byte
	now       func() time.Time
}

// A pair is two ranks that measure the link between them. from and to are their Sets. Several pairs
// may measure the same two Sets at once; beside numbers them, and pair 0 consists of the Sets'
// managers.
type pair struct{ lead, follow, from, to, beside int }

// mostBeside is the maximum number of pairs that measure the same two Sets concurrently.
const mostBeside = 4

// NewLinkMeter returns a LinkMeter for ranks of the given Sets and the Sets' managers. Within a Set
// the manager measures with a rank of another node, or of the same node if the Set has no other.
// All ranks give the same arguments. The watchdog records the rank that this rank waits for; a rank
// may be late with a link by the tolerance.
func NewLinkMeter(comm mpi.Comm, sets, managers []int, watchdog *Watchdog, tolerance time.Duration) *LinkMeter {
	m := &LinkMeter{comm: comm, sets: len(managers), ways: 1, watchdog: watchdog, tolerance: tolerance, repeats: 1, now: time.Now}
	var within []pair
	nodes := make([][]int, len(managers)) // by Set
	for set, manager := range managers {
		nodes[set] = nodesOf(comm, sets, manager)
		if mate := mateOf(nodes[set], sets); mate >= 0 {
			within = append(within, pair{lead: manager, follow: mate, from: set, to: set})
		}
	}
	m.rounds = append(m.rounds, within)
	for _, round := range tournament(len(managers)) {
		var pairs []pair
		for _, p := range round {
			leads, follows := nodes[p[0]], nodes[p[1]]
			for k := range min(mostBeside, len(leads), len(follows)) {
				pairs = append(pairs, pair{lead: leads[k], follow: follows[k], from: p[0], to: p[1], beside: k})
				m.ways = max(m.ways, k+1)
			}
		}
		m.rounds = append(m.rounds, pairs)
	}
	return m
}

// nodesOf returns one rank of each node of a manager's Set, the manager first.
func nodesOf(comm mpi.Comm, sets []int, manager int) []int {
	list, nodes := []int{manager}, comm.Engine().Nodes
	seen := map[int]bool{nodes[manager]: true}
	for rank, set := range sets {
		if set == sets[manager] && !seen[nodes[rank]] {
			seen[nodes[rank]] = true
			list = append(list, rank)
		}
	}
	return list
}

// mateOf returns another rank of the Set of a manager, the first of nodes: on another node, or on
// the same node if the Set has no other; -1 if the Set has no other rank.
func mateOf(nodes, sets []int) int {
	if len(nodes) > 1 {
		return nodes[1]
	}
	for other, set := range sets {
		if other != nodes[0] && set == sets[nodes[0]] {
			return other
		}
	}
	return -1
}

// tournament pairs each of n with each other, in rounds that pair each at most once.
func tournament(n int) [][][2]int {
	even := n + n%2
	var rounds [][][2]int
	for round := range even - 1 {
		var pairs [][2]int
		for i := range even / 2 {
			a, b := (round+i)%(even-1), (round-i+even-1)%(even-1)
			if i == 0 {
				b = even - 1
			}
			if a < n && b < n {
				pairs = append(pairs, [2]int{min(a, b), max(a, b)})
			}
		}
		rounds = append(rounds, pairs)
	}
	return rounds
}

// Neighbours adds measurements of nodes' lines: rounds are pairs of nodes, by their indexes among
// the nodes in the order of their first ranks. A line is measured with each partner.
func (m *LinkMeter) Neighbours(rounds func(nodes int) [][][2]int) {
	seen := make(map[int]bool)
	for rank := range m.comm.Size() {
		if node := m.comm.Engine().Nodes[rank]; !seen[node] {
			seen[node] = true
			m.hosts = append(m.hosts, rank)
		}
	}
	for _, round := range rounds(len(m.hosts)) {
		var pairs []pair
		for _, p := range round {
			pairs = append(pairs, pair{lead: m.hosts[p[0]], follow: m.hosts[p[1]]})
		}
		m.lines = append(m.lines, pairs)
	}
}

// MeasureLines is Measure for the lines of nodes: the seconds of a byte by rank, nil if lines are
// not measured, and 0 where bytes did not show.
func (m *LinkMeter) MeasureLines(budget time.Duration) ([]float64, error) {
	if len(m.lines) == 0 {
		return nil, nil
	}
	n := m.comm.Size()
	figures := make([]int64, len(m.lines)*n) // by round and rank
	err := m.inRounds(m.lines, budget, "measure lines", func(round int, p pair, each time.Duration) error {
		if m.comm.Rank() == p.follow {
			return m.follow(p.lead)
		}
		there, back, err := m.lead(p, each)
		slower := int64(math.Round(max(there.PerByte, back.PerByte) * unitsPerByte))
		figures[round*n+p.lead], figures[round*n+p.follow] = slower, slower
		return err
	})
	if err == nil {
		err = mpi.Combine(m.comm, mpi.Sum, figures)
	}
	if err != nil {
		return nil, fmt.Errorf("measuring lines: %w", err)
	}
	byNode := make(map[int]float64)
	for at, figure := range figures {
		node, line := m.comm.Engine().Nodes[at%n], float64(figure)/unitsPerByte
		if known := byNode[node]; line > 0 && (known == 0 || line < known) {
			byNode[node] = line
		}
	}
	lines := make([]float64, n)
	for rank := range lines {
		lines[rank] = byNode[m.comm.Engine().Nodes[rank]]
	}
	return lines, nil
}

// inRounds makes this rank's pair measure in each round. The budget is for all rounds.
func (m *LinkMeter) inRounds(all [][]pair, budget time.Duration, what string, measure func(round int, p pair, each time.Duration) error) error {
	defer m.watchdog.Work()
	rounds := time.Duration(len(all))
	each := budget / (2 * rounds)
	limit := 4*each + m.tolerance
	others := func() { m.watchdog.Await(-1, what, rounds*limit) }
	others()
	for round, pairs := range all {
		for _, p := range pairs {
			partner := p.partner(m.comm.Rank())
			if partner < 0 {
				continue
			}
			m.watchdog.Await(partner, "measure their link", limit)
			if err := measure(round, p, each); err != nil {
				return fmt.Errorf("ranks %d and %d: %w", p.lead, p.follow, err)
			}
			others()
		}
	}
	return nil
}

// Measure takes about the time of budget, or longer if links are so slow or so many that a few
// short messages over each take longer. All ranks call it, and get the same result: the cost from
// Set a to Set b in [a][b], and within a Set in [a][a]. The costs within Sets of one rank are zero.
func (m *LinkMeter) Measure(budget time.Duration) ([][]Way, error) {
	figures := make([]int64, 2*m.ways*m.sets*m.sets)
	err := m.inRounds(m.unknown(), budget, "measure links", func(_ int, p pair, each time.Duration) error { return m.take(p, each, figures) })
	if err == nil {
		err = mpi.Combine(m.comm, mpi.Sum, figures)
	}
	if err != nil {
		return nil, fmt.Errorf("measuring links: %w", err)
	}
	ways := make([][]Way, m.sets)
	for a := range ways {
		ways[a] = make([]Way, m.sets)
		for b := range ways[a] {
			if ways[a][b] = m.noted(figures, a, b); m.knows(a, b) {
				ways[a][b] = m.known[a][b]
			}
		}
	}
	return ways, nil
}

// Figures travel as whole numbers: a time in picoseconds, a time for a byte in
// attoseconds.
const (
	unitsPerSecond = 1e12
	unitsPerByte   = 1e18
)

// partner returns the other rank of a pair, -1 for a rank that is not in it.
func (p pair) partner(rank int) int {
	switch rank {
	case p.lead:
		return p.follow
	case p.follow:
		return p.lead
	}
	return -1
}

// take is this rank's part in measuring its pair. The rank that leads notes the
// figures.
func (m *LinkMeter) take(p pair, each time.Duration, figures []int64) error {
	if m.comm.Rank() == p.follow {
		return m.follow(p.lead)
	}
	there, back, err := m.lead(p, each)
	m.note(figures, p.beside, p.from, p.to, there)
	if p.from != p.to {
		m.note(figures, p.beside, p.to, p.from, back)
	}
	return err
}

// at returns the index of a pair's figures for one direction.
func (m *LinkMeter) at(beside, from, to int) int { return 2 * ((beside*m.sets+from)*m.sets + to) }

func (m *LinkMeter) note(figures []int64, beside, from, to int, w Way) {
	at := m.at(beside, from, to)
	figures[at] = max(1, int64(math.Round(w.Latency*unitsPerSecond)))
	figures[at+1] = int64(math.Round(w.PerByte * unitsPerByte))
}

// noted returns the cost between Sets from the figures of their managers; on a long link the rates
// of all pairs that have measured it are added.
func (m *LinkMeter) noted(figures []int64, from, to int) Way {
	w, rate, pairs := Way{Latency: float64(figures[m.at(0, from, to)]) / unitsPerSecond}, 0.0, 1
	if 2*w.Latency > farTrip.Seconds() {
		pairs = m.ways
	}
	for beside := range pairs {
		if perByte := figures[m.at(beside, from, to)+1]; perByte > 0 {
			rate += unitsPerByte / float64(perByte)
		}
	}
	if rate > 0 {
		w.PerByte = 1 / rate
	}
	return w
}

// The leading rank sends a word before each message: an order and a number of bytes.
const (
	doEnd  = iota // the pair is measured
	doPush        // the bytes follow; the answer is a word
	doPull        // the answer is the bytes

	wordBytes = 16
)

// follow answers the rank that leads until it ends.
func (m *LinkMeter) follow(lead int) error {
	word := make([]byte, wordBytes)
	for {
		if err := mpi.Recv(m.comm, lead, word); err != nil {
			return err
		}
		n := int(binary.LittleEndian.Uint64(word[8:]))
		var err error
		switch binary.LittleEndian.Uint64(word) {
		case doEnd:
			return nil
		case doPush:
			if n > 0 {
				err = mpi.Recv(m.comm, lead, m.bytes(n))
			}
			if err == nil {
				err = mpi.Send(m.comm, lead, word)
			}
		case doPull:
			err = mpi.Send(m.comm, lead, m.bytes(n))
		}
		if err != nil {
			return err
		}
	}
}

// lead measures both directions to the other rank of a pair, each for about the given time. The
// result of a pair other than the managers counts on long links only.
func (m *LinkMeter) lead(p pair, each time.Duration) (there, back Way, err error) {
	rank := p.follow
	trip, err := m.roundTrip(rank, each/4)
	if err != nil {
		return there, back, err
	}
	latency := trip.Seconds() / 2
	there.Latency, back.Latency = latency, latency
	if m.bounded {
		if p.beside == 0 {
			there.PerByte, err = m.roughPerByte(rank, trip, each)
		}
		if err == nil {
			err = m.order(rank, doEnd, 0)
		}
		back.PerByte = there.PerByte
		return there, back, err
	}
	if p.beside > 0 && trip <= farTrip {
		return there, back, m.order(rank, doEnd, 0)
	}
	if there.PerByte, err = m.perByte(doPush, rank, trip, each); err != nil {
		return there, back, err
	}
	if back.PerByte, err = m.perByte(doPull, rank, trip, each); err != nil {
		return there, back, err
	}
	return there, back, m.order(rank, doEnd, 0)
}

// The shortest of a few round trips counts: a trip in which a rank had to wait for its core is no
// measurement of the link. After four, more trips change little, and ten are enough if they take
// microseconds. On a long link two are enough: waiting is small compared with them, and there are
// many pairs.
const (
	farPings   = 2
	leastPings = 4
	mostPings  = 10
)

// roundTrip returns the shortest of several times of a word and its answer.
func (m *LinkMeter) roundTrip(rank int, limit time.Duration) (time.Duration, error) {
	least, same, begin := time.Duration(0), false, m.now()
	for k := range mostPings {
		if m.enoughPings(k, least, m.now().Sub(begin), limit, same) {
			break
		}
		t, err := m.timed(doPush, rank, 0)
		if err != nil {
			return 0, err
		}
		same = k > 0 && (t-least).Abs() <= least/sameTrip
		if k == 0 || t < least {
			least = t
		}
	}
	return least, nil
}

// sameTrip is the part of a trip's time, as a divisor, by which two trips of a long link differ.
// Trips of a rank that waits for its core differ by more.
const sameTrip = 4

// enoughPings reports whether k trips, the shortest of which took least, are enough after the time
// passed. same reports whether the last trip agrees with the shortest. Before a run fewer trips are
// enough, unless they differ.
func (m *LinkMeter) enoughPings(k int, least, passed, limit time.Duration, same bool) bool {
	switch far := least > max(limit, farTrip); {
	case far && m.bounded:
		return k >= farPings && same || k >= leastPings
	case far, m.bounded && least > limit:
		return k >= farPings
	}
	return k >= leastPings && passed > limit
}

// Sizes of messages, of which each is compared with the next. The first is more than links that
// limit the rate let through at once (some KiB), and takes 8 ms on a line of 8 Mbit/s; the last
// takes 3 ms at 10 Gbit/s. The steps are such that most of all bytes are in the last two. MPI asks
// for room before messages of 64 KiB and more, which takes a trip: of the sizes for short links the
// first two are below that limit, of those for long links all but the first are above it.
var (
	sizes    = []int{8 << 10, 56 << 10, 448 << 10, 4 << 20}
	farSizes = []int{8 << 10, 128 << 10, 512 << 10, 2 << 20}
)

const (
	// visible is the ratio of a message's time to a word's time that shows its bytes beyond
	// the noise of a round trip.
	visible = 2
	// obvious is the ratio from which a message need not be compared with a shorter one: the part
	// of its time that is not the rate is then at most an eighth.
	obvious = 8
	// mostTries to see the longer of two messages take longer: it fails only if the
	// shorter one is delayed each time.
	mostTries = 8
	// sameTime is the part of a message's time, as a divisor, by which another may differ if
	// neither was delayed.
	sameTime = 8
	// overrun is the multiple of the limit, or of a long trip, that may be spent until bytes show,
	// and until two sizes are compared well: on long links the bytes of short messages seem to take
	// no time.
	overrun = 8
	// farTrip is longer than a busy node usually keeps a rank from its core: a trip that takes
	// longer than this and than the limit is a trip of a long link.
	farTrip = 10 * time.Millisecond
)

// perByte returns the additional time per byte of a longer message; 0 if it does not show. Sizes
// grow while time is left; then the last two are compared, so that neither the bytes that links let
// through before they limit the rate nor the fixed time of a message counts. The shortest of two or
// more times counts for each size, because a rank that has to wait for its core gives no
// measurement of the link; more than two are taken if these differ. If a message takes little
// longer than a word, its bytes have not shown yet, and sizes grow beyond the limit.
//
// On a long link the bytes of both messages must show, and both must be so long that MPI asks for
// room before it sends them. TCP starts with few bytes in flight, so the shorter message takes some
// additional trips if it is sent first: it is the one timed again.
func (m *LinkMeter) perByte(what uint64, rank int, trip, limit time.Duration) (float64, error) {
	enough, repeats, sizes := overrun*limit, m.repeats, sizes
	far := trip > max(limit, farTrip)
	if far {
		enough, repeats, sizes = overrun*trip, 1, farSizes
	}
	shorter, short, n, long := 0, trip, 0, trip
	seen := func() bool {
		return long > obvious*trip || shorter > 0 && long > visible*trip && (!far || short > visible*trip)
	}
	spent := time.Duration(0) // but for delays
	for k, next := range sizes {
		took, err := m.timed(what, rank, next)
		if err != nil {
			return 0, err
		}
		shorter, short, n, long = n, long, next, took
		spent += took
		last := k+1 == len(sizes)
		late := !last && spent+took*time.Duration(2+sizes[k+1]/next) > limit
		if !last && !(late && (seen() || spent > enough)) {
			continue
		}
		if late && spent > enough && took <= visible*trip {
			return 0, nil
		}
		again, same := map[int]*time.Duration{shorter: &short, n: &long}, false
		if far && shorter > 0 {
			delete(again, n)
		}
		for begin, try := m.now(), 0; try < repeats && !same || try < mostTries && long <= short && m.now().Sub(begin) <= enough; try++ {
			same = true
			for bytes, least := range again {
				took, err := m.timed(what, rank, bytes)
				if err != nil {
					return 0, err
				}
				same = same && (took-*least).Abs() <= *least/sameTime
				*least = min(*least, took)
			}
		}
		if spent += long - took; late && (seen() || spent > enough) {
			break
		}
	}
	return max(0, long-short).Seconds() / float64(n-shorter), nil
}

// roughPerByte returns the time per byte in one direction by two messages, 0 if a trip or the shorter
// message exceeds the limit. A longer message that takes much longer than the shorter one suggests met a rank
// that had to wait, and is sent again.
func (m *LinkMeter) roughPerByte(rank int, trip, limit time.Duration) (float64, error) {
	const unlikely = 2
	if trip > limit {
		return 0, nil
	}
	short, err := m.timed(doPush, rank, sizes[0])
	if err != nil || short > trip+limit {
		return 0, err
	}
	long, likely := time.Duration(0), trip+(short-trip)*time.Duration(sizes[1]/sizes[0])
	for try := 0; try < 2 && err == nil && (try == 0 || long > unlikely*likely); try++ {
		var took time.Duration
		took, err = m.timed(doPush, rank, sizes[1])
		if try == 0 || took < long {
			long = took
		}
	}
	return max(0, long-short).Seconds() / float64(sizes[1]-sizes[0]), err
}

// timed measures n bytes in one direction and a word in the other.
func (m *LinkMeter) timed(what uint64, rank, n int) (time.Duration, error) {
	if n == 0 {
		what = doPush // an answer without bytes is none
	}
	answer := m.bytes(wordBytes)
	if what == doPull {
		answer = m.bytes(n)
	}
	begin := m.now()
	if err := m.order(rank, what, n); err != nil {
		return 0, err
	}
	if what == doPush && n > 0 {
		if err := mpi.Send(m.comm, rank, m.bytes(n)); err != nil {
			return 0, err
		}
	}
	if err := mpi.Recv(m.comm, rank, answer); err != nil {
		return 0, err
	}
	return m.now().Sub(begin), nil
}

// order sends the word that comes before a message.
func (m *LinkMeter) order(rank int, what uint64, n int) error {
	word := binary.LittleEndian.AppendUint64(nil, what)
	return mpi.Send(m.comm, rank, binary.LittleEndian.AppendUint64(word, uint64(n)))
}

// bytes are n bytes with any content.
func (m *LinkMeter) bytes(n int) []byte {
	if n > len(m.buffer) {
		m.buffer = make([]byte, max(n, 2*len(m.buffer)))
	}
	return m.buffer[:n]
}
