package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// appendLoad appends a Load's line.
func appendLoad(b []byte, l *Load) []byte {
	b = append(b, loadPrefix...)
	b = append(b, `,"first":`...)
	b = strconv.AppendInt(b, int64(l.First), 10)
	b = appendInt(b, "last", int64(l.Last))
	b = appendInt(b, "count", int64(l.Count))
	b = append(b, `,"site":`...)
	b = appendText(b, l.Site)
	b = append(b, `,"work":[`...)
	for pid, work := range l.Work {
		if pid > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, work)
	}
	b = append(b, `],"msg":[`...)
	for i, m := range l.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(m.From), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(m.To), 10)
		b = append(b, ',')
		b = append(appendNumber(b, m.Bytes), ']')
	}
	if l.State != nil {
		b = append(b, `],"state":[`...)
		for pid, bytes := range l.State {
			if pid > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, bytes, 10)
		}
	}
	b = append(b, ']')
	if l.Over > 0 {
		b = appendNumber(appendName(b, "over"), l.Over)
	}
	return append(b, '}', '\n')
}

// loadPrefix is how a Load's line begins.
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
