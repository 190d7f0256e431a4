package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Load is the work and the messages of the processes in one superstep, or in several that
// ended at one site of the program, added up. It does not depend on the mapping, so that it
// can be simulated on another platform.
type Load struct {
	First int    // number of the (first) superstep
	Last  int    // of the last; others in between may have ended elsewhere
	Count int    // supersteps added up
	Site  string // file:line where they ended, as in Step; SeveralSites for different positions

	Work     []float64 // by process: seconds on a rank of speed 1
	Messages []Message // by receiver and sender, each pair once
	State    []int64   // by process: bytes that a move would take along; nil if they have not changed
	Over     float64   // other seconds, the same on any platform
}

// Message is the number of bytes sent from one process to another.
type Message struct {
	From, To int
	Bytes    float64
}

// SeveralSites is the Site of supersteps that ended at several positions.
const SeveralSites = "several"

// check refuses figures that no superstep can have.
func (l *Load) check(run *Run) error {
	if l.Count < 1 || l.First < 1 || l.Last < l.First || l.Count > l.Last-l.First+1 {
		return fmt.Errorf("workload: %d supersteps between %d and %d", l.Count, l.First, l.Last)
	}
	if len(l.Work) != run.Procs {
		return fmt.Errorf("workload of superstep %d: work of %d processes; expected %d, as the run has", l.First, len(l.Work), run.Procs)
	}
	if len(l.State) != run.Procs && l.State != nil {
		return fmt.Errorf("workload of superstep %d: state of %d processes; expected %d, as the run has", l.First, len(l.State), run.Procs)
	}
	if !(l.Over >= 0) || math.IsInf(l.Over, 0) {
		return fmt.Errorf("workload of superstep %d: %g s over; expected a number from 0 on", l.First, l.Over)
	}
	for pid, work := range l.Work {
		if !(work >= 0) || math.IsInf(work, 0) {
			return fmt.Errorf("workload of superstep %d: process %d works %g s; expected a number from 0 on", l.First, pid, work)
		}
	}
	for pid, bytes := range l.State {
		if bytes < 0 {
			return fmt.Errorf("workload of superstep %d: the state of process %d has %d bytes; expected a number from 0 on", l.First, pid, bytes)
		}
	}
	for _, m := range l.Messages {
		if m.From < 0 || m.From >= run.Procs || m.To < 0 || m.To >= run.Procs || !(m.Bytes >= 0) || math.IsInf(m.Bytes, 0) {
			return fmt.Errorf("workload of superstep %d: %g bytes from process %d to %d; expected a number from 0 on, and processes below %d",
				l.First, m.Bytes, m.From, m.To, run.Procs)
		}
	}
	return nil
}

// mostMessages bounds the messages of a Load, but leaves each process the messages of
// leastSenders others.
const (
	mostMessages = 1 << 16
	leastSenders = 16
)

// Senders returns the number of others that a process can have messages from in a Load of
// procs processes.
func Senders(procs int) int { return max(leastSenders, mostMessages/max(1, procs)) }

// thinned returns messages by receiver with no more than Senders for each.
func thinned(all []Message, procs int) []Message {
	if Senders(procs) >= procs {
		return all
	}
	kept := all[:0]
	for begin := 0; begin < len(all); {
		end := begin
		for end < len(all) && all[end].To == all[begin].To {
			end++
		}
		kept = append(kept, Thin(all[begin:end], procs)...)
		begin = end
	}
	return kept
}

// Thin leaves at most Senders messages to one process: from processes at equal distances
// from it, with the bytes of all. If all processes send to all, each sender and each
// receiver keeps its sum. Thin reuses the memory of the list.
func Thin(to []Message, procs int) []Message {
	most := Senders(procs)
	if len(to) <= most {
		return to
	}
	every := (procs + most - 1) / most
	all, left := 0.0, 0.0
	kept := to[:0]
	for _, m := range to {
		all += m.Bytes
		if m.Bytes > 0 && (m.From-m.To+procs)%procs%every == every/2 {
			left += m.Bytes
			kept = append(kept, m)
		}
	}
	if len(kept) == 0 { // no message at such a distance
		kept = to[:most]
		for _, m := range kept {
			left += m.Bytes
		}
	}
	for i := range kept {
		if left > 0 {
			kept[i].Bytes *= all / left
		}
	}
	return kept
}

// appendLoad appends a Load's line.
func appendLoad(b []byte, l *Load) []byte {
	b = appendSpan(append(b, loadPrefix...), l.First, l.Last, l.Count, l.Site)
	b = appendList(b, "work", l.Work, appendNumber)
	b = appendList(b, "msg", l.Messages, appendMessage)
	if l.State != nil {
		b = appendList(b, "state", l.State, appendWhole)
	}
	if l.Over > 0 {
		b = appendNumber(appendName(b, "over"), l.Over)
	}
	return append(b, '}', '\n')
}

func appendMessage(b []byte, m Message) []byte {
	b = appendWhole(append(b, '['), int64(m.From))
	b = appendWhole(append(b, ','), int64(m.To))
	return append(appendNumber(append(b, ','), m.Bytes), ']')
}

// loadPrefix is the beginning of a Load's line.
const loadPrefix = `{"type":"workload"`

func isLoad(line []byte) bool { return bytes.HasPrefix(line, []byte(loadPrefix)) }

// appendNumber writes whole numbers exactly, others with nine digits.
func appendNumber(b []byte, x float64) []byte {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.AppendInt(b, int64(x), 10)
	}
	return strconv.AppendFloat(b, finite(x), 'g', 9, 64)
}

// UnmarshalJSON reads a Load of a record.
func (l *Load) UnmarshalJSON(b []byte) error {
	var w struct {
		First    int         `json:"first"`
		Last     int         `json:"last"`
		Count    int         `json:"count"`
		Site     string      `json:"site"`
		Work     []float64   `json:"work"`
		Messages [][]float64 `json:"msg"`
		State    []int64     `json:"state"`
		Over     float64     `json:"over"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*l = Load{First: w.First, Last: w.Last, Count: w.Count, Site: w.Site, Work: w.Work, State: w.State, Over: w.Over}
	for _, m := range w.Messages {
		if len(m) != 3 || m[0] != math.Trunc(m[0]) || m[1] != math.Trunc(m[1]) {
			return fmt.Errorf("workload of superstep %d: %v is no message; expected the sender, the receiver and bytes", l.First, m)
		}
		l.Messages = append(l.Messages, Message{From: int(m[0]), To: int(m[1]), Bytes: m[2]})
	}
	return nil
}
