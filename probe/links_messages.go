package probe

import (
	"encoding/binary"
	"time"
)

// The rank that leads says with a word of its own what comes next: what to do,
// and how many bytes.
const (
	doEnd  = iota // nothing more
	doPush        // the bytes follow; the answer is a word
	doPull        // the answer are the bytes

	wordBytes = 16
)

const (
	leastPings = 3
	mostPings  = 9
	firstBytes = 8 << 10
	growth     = 4 // of sizes
	mostBytes  = 4 << 20
	plain      = 2 // round trips that a message takes whose bytes show
	obvious    = 8 // and one that need not be compared with a shorter one
	mostTries  = 8 // to see the longer of two messages take longer
	patience   = 8 // times the limit that is spent on finding one
)

// follow answers the rank that leads until it ends.
func (m *LinkMeter) follow(lead int) error {
	word := make([]byte, wordBytes)
	for {
		if err := m.comm.Recv(lead, word); err != nil {
			return err
		}
		n := int(binary.LittleEndian.Uint64(word[8:]))
		var err error
		switch binary.LittleEndian.Uint64(word) {
		case doEnd:
			return nil
		case doPush:
			if n > 0 {
				err = m.comm.Recv(lead, m.bytes(n))
			}
			if err == nil {
				err = m.comm.Send(lead, word)
			}
		case doPull:
			err = m.comm.Send(lead, m.bytes(n))
		}
		if err != nil {
			return err
		}
	}
}

// lead measures the ways to a rank and back, each for about the given time.
func (m *LinkMeter) lead(rank int, each time.Duration) (there, back Way, err error) {
	trip, err := m.roundTrip(rank, each/4)
	if err != nil {
		return there, back, err
	}
	latency := trip.Seconds() / 2
	there.Latency, back.Latency = latency, latency
	if there.PerByte, err = m.perByte(doPush, rank, trip, each); err != nil {
		return there, back, err
	}
	if back.PerByte, err = m.perByte(doPull, rank, trip, each); err != nil {
		return there, back, err
	}
	return there, back, m.say(rank, doEnd, 0)
}

// roundTrip is the shortest time of a word and its answer: of some, after a
// first one that does not count.
func (m *LinkMeter) roundTrip(rank int, limit time.Duration) (time.Duration, error) {
	if _, err := m.timed(doPush, rank, 0); err != nil {
		return 0, err
	}
	least, begin := time.Duration(0), m.now()
	for k := range mostPings {
		if k >= leastPings && m.now().Sub(begin) > limit {
			break
		}
		t, err := m.timed(doPush, rank, 0)
		if err != nil {
			return 0, err
		}
		if k == 0 || t < least {
			least = t
		}
	}
	return least, nil
}

// perByte is by how much a longer message takes longer, per byte; 0 if that was not
// to be seen. Sizes grow as long as there is time; then the last two are compared, so
// that what links let through at once, before they limit the rate, does not count, nor
// does what a message takes however short it is. Each counts with the shortest of two
// times or more, for a rank that has to wait for its core says nothing of the link. Where a
// message takes little longer than a word, the way there is all that was seen, and sizes
// go on to grow beyond the limit.
func (m *LinkMeter) perByte(what uint64, rank int, trip, limit time.Duration) (float64, error) {
	begin := m.now()
	shorter, short, n, long := 0, trip, 0, trip
	for next := firstBytes; next <= mostBytes; next *= growth {
		took, err := m.timed(what, rank, next)
		if err != nil {
			return 0, err
		}
		shorter, short, n, long = n, long, next, took
		spent := m.now().Sub(begin)
		late := spent+(growth+2)*took > limit
		seen := took > obvious*trip || shorter > 0 && took > plain*trip
		if late && seen {
			break
		}
		if late && spent > patience*limit {
			if took <= plain*trip {
				return 0, nil
			}
			break
		}
	}
	for k := 0; k == 0 || k < mostTries && long <= short; k++ {
		for bytes, least := range map[int]*time.Duration{shorter: &short, n: &long} {
			took, err := m.timed(what, rank, bytes)
			if err != nil {
				return 0, err
			}
			*least = min(*least, took)
		}
	}
	return max(0, long-short).Seconds() / float64(n-shorter), nil
}

// timed is what n bytes in one direction and a word in the other take.
func (m *LinkMeter) timed(what uint64, rank, n int) (time.Duration, error) {
	if n == 0 {
		what = doPush // an answer without bytes is none
	}
	answer := m.bytes(wordBytes)
	if what == doPull {
		answer = m.bytes(n)
	}
	begin := m.now()
	if err := m.say(rank, what, n); err != nil {
		return 0, err
	}
	if what == doPush && n > 0 {
		if err := m.comm.Send(rank, m.bytes(n)); err != nil {
			return 0, err
		}
	}
	if err := m.comm.Recv(rank, answer); err != nil {
		return 0, err
	}
	return m.now().Sub(begin), nil
}

func (m *LinkMeter) say(rank int, what uint64, n int) error {
	word := binary.LittleEndian.AppendUint64(nil, what)
	return m.comm.Send(rank, binary.LittleEndian.AppendUint64(word, uint64(n)))
}

// bytes are n bytes with any content.
func (m *LinkMeter) bytes(n int) []byte {
	if n > len(m.buffer) {
		m.buffer = make([]byte, max(n, 2*len(m.buffer)))
	}
	return m.buffer[:n]
}
