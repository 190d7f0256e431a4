package ledger

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Entry is a line of a record: *Run, *Step, *Call, *Move, *Outcome, *Capacity, *Saving,
// *Progress, *Drain, *Parts, *Warning, *Load or *End.
type Entry interface{ kind() string }

func (*Run) kind() string      { return "run" }
func (*Step) kind() string     { return "superstep" }
func (*Load) kind() string     { return "workload" }
func (*Call) kind() string     { return "balance" }
func (*Move) kind() string     { return "migration" }
func (*Outcome) kind() string  { return "outcome" }
func (*Progress) kind() string { return "progress" }
func (*Warning) kind() string  { return "warning" }
func (*End) kind() string      { return "end" }
func (*Capacity) kind() string { return "capacity" }
func (*Saving) kind() string   { return "saving" }
func (*Drain) kind() string    { return "drain" }
func (*Parts) kind() string    { return "parts" }

// blank returns an empty entry of a kind, or nil for an unknown kind.
func blank(kind string) Entry {
	for _, e := range []Entry{new(Run), new(Step), new(Load), new(Call), new(Move), new(Outcome), new(Progress), new(Warning), new(End), new(Capacity), new(Saving), new(Drain), new(Parts)} {
		if e.kind() == kind {
			return e
		}
	}
	return nil
}

// LongestLine is the maximum length of an entry's line in bytes: the work and the messages
// of about 70,000 processes, or the head of a run of 300,000 ranks. A reader may take up to
// about 20 times as many bytes of memory.
const LongestLine = 32 << 20

// appendEntry appends an entry's line.
func appendEntry(b []byte, e Entry) ([]byte, error) {
	switch e := e.(type) {
	case *Step:
		return appendStep(b, e), nil
	case *Load:
		return appendLoad(b, e), nil
	}
	text, err := json.Marshal(e)
	if err != nil {
		return b, fmt.Errorf("ledger: a record of type %s: %w", e.kind(), err)
	}
	b = append(b, `{"type":"`...)
	b = append(b, e.kind()...)
	b = append(b, `",`...)
	b = append(b, text[1:]...)
	return append(b, '\n'), nil
}

// appendStep is appendEntry for a Step, the most frequent entry.
func appendStep(b []byte, s *Step) []byte {
	b = append(b, `{"type":"superstep"`...)
	b = appendSpan(b, s.First, s.Last, s.Count, s.Site)
	b = appendTime(b, "at", s.At)
	b = appendList(b, "w", s.Work, appendSeconds)
	b = appendTime(b, "w_max", s.WorkMax)
	if s.Count > 1 {
		b = appendTime(b, "longest", s.Longest)
	}
	b = appendTime(b, "w_min", s.WorkMin)
	b = appendSome(b, "denied", s.Denied)
	b = appendSome(b, "denied_sum", s.DeniedSum)
	b = appendSome(b, "lost", s.Lost)
	b = appendTime(b, "least", s.Least)
	b = appendInt(b, "slow_rank", int64(s.SlowestRank))
	b = appendInt(b, "slow_pid", int64(s.Slowest))
	b = appendTime(b, "slow_w", s.SlowestWork)
	b = appendInt(b, "talks", int64(s.Talks))
	b = appendInt(b, "h", s.H)
	if s.Ways != [Ways]int64{} {
		b = appendList(b, "ways", s.Ways[:], appendWhole)
	}
	b = appendTime(b, "comm", s.Comm)
	b = appendTime(b, "t", s.Total)
	return append(b, '}', '\n')
}

// appendSpan appends the range of supersteps of an entry.
func appendSpan(b []byte, first, last, count int, site string) []byte {
	b = appendInt(b, "first", int64(first))
	b = appendInt(b, "last", int64(last))
	b = appendInt(b, "count", int64(count))
	return appendText(appendName(b, "site"), site)
}

func appendList[T any](b []byte, name string, all []T, one func([]byte, T) []byte) []byte {
	b = append(appendName(b, name), '[')
	for i, x := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, x)
	}
	return append(b, ']')
}

func appendWhole(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

func appendInt(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(appendName(b, name), n, 10)
}

func appendTime(b []byte, name string, d time.Duration) []byte {
	return appendSeconds(appendName(b, name), d)
}

// appendSome is appendTime for a nonzero time.
func appendSome(b []byte, name string, d time.Duration) []byte {
	if d == 0 {
		return b
	}
	return appendTime(b, name, d)
}

func appendName(b []byte, name string) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			text, _ := json.Marshal(s)
			return append(b, text...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// wireStep is a superstep in a record.
type wireStep struct {
	First    int       `json:"first"`
	Last     int       `json:"last"`
	Count    int       `json:"count"`
	Site     string    `json:"site"`
	At       seconds   `json:"at"`
	Work     []seconds `json:"w"`
	WorkMax  seconds   `json:"w_max"`
	Longest  seconds   `json:"longest"`
	WorkMin  seconds   `json:"w_min"`
	Denied   seconds   `json:"denied"`
	AllOf    seconds   `json:"denied_sum"`
	Lost     seconds   `json:"lost"`
	Least    seconds   `json:"least"`
	SlowRank int       `json:"slow_rank"`
	SlowPid  int       `json:"slow_pid"`
	SlowWork seconds   `json:"slow_w"`
	Talks    int       `json:"talks"`
	H        int64     `json:"h"`
	Ways     []int64   `json:"ways"`
	Comm     seconds   `json:"comm"`
	Total    seconds   `json:"t"`
}

// UnmarshalJSON reads a superstep of a record.
func (s *Step) UnmarshalJSON(b []byte) error {
	var w wireStep
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*s = Step{
		First: w.First, Last: w.Last, Count: w.Count, Site: w.Site, At: w.At.duration(), Ranks: len(w.Work),
		WorkMax: w.WorkMax.duration(), Longest: w.Longest.duration(), WorkMin: w.WorkMin.duration(), Lost: w.Lost.duration(), Denied: w.Denied.duration(), DeniedSum: w.AllOf.duration(), Talks: w.Talks, Least: w.Least.duration(),
		SlowestRank: w.SlowRank, Slowest: w.SlowPid, SlowestWork: w.SlowWork.duration(),
		H: w.H, Comm: w.Comm.duration(), Total: w.Total.duration(),
	}
	copy(s.Ways[:], w.Ways)
	s.Work = make([]time.Duration, len(w.Work))
	for rank, x := range w.Work {
		s.Work[rank] = x.duration()
		s.WorkSum += s.Work[rank]
	}
	return nil
}
