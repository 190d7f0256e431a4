package rebalancer

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/migbsp/migbsp/internal/wire"
)

// observe lets supersteps pass. Ranks run their processes one after another.
func (s *stage) observe(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil || len(args) != 1+len(s.where) {
		return fmt.Errorf("want a number of supersteps and the work of %d processes", len(s.where))
	}
	work := make([]float64, len(s.where))
	for pid := range work {
		if work[pid], err = strconv.ParseFloat(args[1+pid], 64); err != nil {
			return err
		}
	}
	for range n {
		s.superstep(work)
	}
	return nil
}

func (s *stage) superstep(work []float64) {
	s.step++
	all := Observation{Step: s.step, Count: 1}
	of := make([]Observation, len(s.parts))
	busy := make([]float64, len(s.parts))
	for pid, w := range work {
		rank := s.where[pid]
		m := Measure{Pid: pid, Time: w / s.really[rank], Received: s.heard[pid]}
		for _, t := range m.Received {
			m.Comm += s.platform.Transfer(int(s.where[t.Pid]), int(rank), t.Bytes)
		}
		m.Span = m.Time / s.ranks[rank].Available
		busy[rank] += m.Span
		all.Processes = append(all.Processes, m)
		of[rank].Processes = append(of[rank].Processes, m)
	}
	longest := slices.Max(busy)
	s.whole.Observe(all)
	for rank := range s.parts {
		of[rank].Step, of[rank].Count = s.step, 1
		s.parts[rank].Observe(of[rank])
		s.told[rank].Observe(of[rank])
		s.ranks[rank].Steps++
		s.ranks[rank].Elapsed += longest + s.platform.Barrier + s.late
	}
}

// decide is a call: all controllers come to the same decision, from reports in
// any order that went through their binary forms, and adopt it.
func (s *stage) decide() (Decision, error) {
	detail := func(pid int) Detail { return s.detail[pid] }
	snapshot, err := Merge(s.step, s.whole.Report(s.ranks, detail))
	if err != nil {
		return Decision{}, err
	}
	d := s.whole.Decide(snapshot)
	var reports []Report
	for rank := range s.parts {
		b, _ := s.parts[rank].Report(s.ranks[rank:rank+1], detail).AppendBinary(nil)
		var r Report
		if err := r.UnmarshalBinary(b); err != nil {
			return d, err
		}
		if told, _ := s.told[rank].Report(s.ranks[rank:rank+1], detail).AppendBinary(nil); !bytes.Equal(told, b) {
			return d, fmt.Errorf("rank %d reports something else after notices than after decisions", rank)
		}
		reports = append([]Report{r}, reports...)
	}
	snapshot, err = Merge(s.step, reports...)
	if err != nil {
		return d, err
	}
	text, _ := d.AppendBinary(nil)
	for rank, c := range s.parts {
		same, _ := c.Decide(snapshot).AppendBinary(nil)
		if !bytes.Equal(text, same) {
			return d, fmt.Errorf("rank %d decides differently", rank)
		}
	}
	return d, s.adopt(d)
}

func (s *stage) adopt(d Decision) error {
	b, _ := d.AppendBinary(nil)
	notice := s.whole.Notice(&d, func(pid int) bool { return s.detail[pid].Request >= 0 })
	n, _ := wire.Append(nil, &notice)
	s.whole.Adopt(d)
	for _, c := range s.parts {
		var heard Decision
		if err := heard.UnmarshalBinary(b); err != nil {
			return err
		}
		c.Adopt(heard)
	}
	for rank, c := range s.told {
		var heard Notice
		if err := wire.Read(n, &heard); err != nil {
			return err
		}
		understood, err := c.Understand(heard)
		if err != nil {
			return err
		}
		c.Adopt(understood)
		if !slices.Equal(c.where, s.whole.where) || c.last.After != s.whole.last.After || c.last.Next != s.whole.last.Next || c.last.foretold() != s.whole.last.foretold() ||
			(c.last.Learned.Pending == nil) != (s.whole.last.Learned.Pending == nil) {
			return fmt.Errorf("rank %d knows less after a notice than after the decision", rank)
		}
	}
	for _, m := range d.Moves {
		for _, all := range [2][]*Controller{s.parts, s.told} {
			b, _ := all[m.From].Depart(m.Pid).AppendBinary(nil)
			var h History
			if err := h.UnmarshalBinary(b); err != nil {
				return err
			}
			all[m.To].Arrive(m.Pid, h)
		}
		s.where[m.Pid] = int32(m.To)
	}
	for i := range s.ranks {
		s.ranks[i].Steps, s.ranks[i].Elapsed = 0, 0
	}
	for i := range s.detail {
		s.detail[i].Request = -1
	}
	return nil
}
