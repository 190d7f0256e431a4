package ledger

import (
	"encoding/json"
	"io"
	"time"
)

// SummarySchema names the form of a summary.
const SummarySchema = "migbsp.summary/1"

// Summary has the figures of a run for programs. Times are in seconds.
type Summary struct {
	Schema     string         `json:"schema"`
	Program    string         `json:"program"`
	Started    time.Time      `json:"started"`
	Procs      int            `json:"procs"`
	Ranks      int            `json:"ranks"`
	Sets       int            `json:"sets"`
	Emulated   bool           `json:"emulated"`
	Simulated  bool           `json:"simulated,omitempty"`
	Strategy   string         `json:"strategy"`
	Code       int            `json:"code"`
	Reason     string         `json:"reason,omitempty"`
	Supersteps int            `json:"supersteps"`
	Elapsed    float64        `json:"elapsed"`
	Efficiency Efficiency     `json:"efficiency"`
	Before     *Efficiency    `json:"efficiency_before_first_move,omitempty"`
	Budget     Budget         `json:"budget"`
	Machine    *Machine       `json:"machine,omitempty"`
	Emulation  *Emulation     `json:"emulation,omitempty"`
	Result     *Result        `json:"result,omitempty"`
	Calls      CallsSummary   `json:"calls"`
	Saving     *SavingSummary `json:"saving,omitempty"`   // if something was moved
	Capacity   []RankCapacity `json:"capacity,omitempty"` // by rank
	Least      float64        `json:"work_at_least"`      // what budget.work would be on the best of all mappings, at least
	Sites      []SiteSummary  `json:"sites"`
	Wrong      []string       `json:"identities_violated,omitempty"`
}

// CallsSummary adds up the rescheduling calls.
type CallsSummary struct {
	Calls      int     `json:"calls"`
	Balanced   int     `json:"balanced"`
	Moving     int     `json:"moving"`
	Moves      int     `json:"moves"`
	Bytes      int64   `json:"bytes"`
	DecideTime float64 `json:"decide_time"`
	MoveTime   float64 `json:"move_time"`
	Messages   int64   `json:"messages"`
	Talk       int64   `json:"talk_bytes"`
	Judged     int     `json:"judged"`
	Predicted  float64 `json:"predicted"`
	Realised   float64 `json:"realised"`
}

// SavingSummary is what the moves brought, in seconds.
type SavingSummary struct {
	Saving
	Spent   float64 `json:"spent"`   // on calls and moves
	Net     float64 `json:"net"`     // saved, after what was spent
	Without float64 `json:"without"` // what the run would have taken without calls and moves
}

// SiteSummary is a place in the program.
type SiteSummary struct {
	Where     string  `json:"where"`
	Steps     int     `json:"steps"`
	WorkMax   float64 `json:"w_max"`
	WorkAvg   float64 `json:"w_avg"`
	WorkMin   float64 `json:"w_min"`
	H         int64   `json:"h_bytes"`
	Predicted float64 `json:"predicted"`
	Comm      float64 `json:"comm"`
	Total     float64 `json:"total"`
	Slowest   string  `json:"slowest"`
}

// Summarize makes the figures of the run. end is nil if it has not ended.
func (a *Account) Summarize(end *End) *Summary {
	t := a.Whole()
	s := &Summary{
		Schema: SummarySchema, Program: a.Run.Program, Started: a.Run.Started, Procs: a.Run.Procs, Ranks: len(a.Run.Ranks), Sets: len(a.Run.Sets),
		Emulated: a.Run.Emulated, Simulated: a.Run.Simulated, Strategy: a.Run.Strategy, Supersteps: t.Step.Count, Elapsed: t.Elapsed,
		Efficiency: a.Efficiency(&t), Budget: a.Budget(&t), Machine: a.Machine, Emulation: a.Emulation, Result: a.Result,
		Calls: a.CallsSummary(), Least: t.Step.Least.Seconds(), Capacity: a.capacity.Ranks, Wrong: a.Check(),
	}
	if saving, spent, known := a.Saving(); known {
		s.Saving = &SavingSummary{Saving: saving, Spent: spent, Net: saving.Gross() - spent, Without: t.Elapsed + saving.Gross() - spent}
	}
	if end != nil {
		s.Code, s.Reason = end.Code, end.Reason
	}
	if a.before != nil {
		e := a.Efficiency(a.before)
		s.Before = &e
	}
	for i := range a.sites {
		c := &a.sites[i]
		s.Sites = append(s.Sites, SiteSummary{
			Where: c.Step.Site, Steps: c.Step.Count, WorkMax: c.Step.WorkMax.Seconds(), WorkAvg: c.Step.WorkAvg().Seconds(), WorkMin: c.Step.WorkMin.Seconds(),
			H: c.Step.H, Predicted: a.machine().Predict(&c.Step), Comm: c.Step.Comm.Seconds(), Total: c.Step.Total.Seconds(), Slowest: c.usualSlowest(),
		})
	}
	return s
}

// CallsSummary adds up the rescheduling calls so far.
func (a *Account) CallsSummary() CallsSummary {
	c := &a.calls
	return CallsSummary{
		Calls: c.count, Balanced: c.balanced, Moving: c.moving, Moves: c.moves, Bytes: c.bytes, DecideTime: c.took, MoveTime: c.moved,
		Messages: c.messages, Talk: c.talk, Judged: c.judged, Predicted: c.predicted, Realised: c.realised,
	}
}

// WriteJSON prints a value as one JSON text.
func WriteJSON(w io.Writer, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
