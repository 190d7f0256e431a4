package tell

import (
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// SummarySchema names the form of a summary.
const SummarySchema = "migbsp.summary/1"

// Summary has the figures of a run for programs. Times are in seconds.
type Summary struct {
	Schema     string                `json:"schema"`
	Program    string                `json:"program"`
	Started    time.Time             `json:"started"`
	Procs      int                   `json:"procs"`
	Ranks      int                   `json:"ranks"`
	Sets       int                   `json:"sets"`
	Emulated   bool                  `json:"emulated"`
	Simulated  bool                  `json:"simulated,omitempty"`
	Strategy   string                `json:"strategy"`
	Start      string                `json:"start"`
	Code       int                   `json:"code"`
	Reason     string                `json:"reason,omitempty"`
	Supersteps int                   `json:"supersteps"`
	Elapsed    float64               `json:"elapsed"`
	Efficiency ledger.Efficiency     `json:"efficiency"`
	Before     *ledger.Efficiency    `json:"efficiency_before_first_move,omitempty"`
	Budget     ledger.Budget         `json:"budget"`
	Machine    *ledger.Machine       `json:"machine,omitempty"`
	Emulation  *ledger.Emulation     `json:"emulation,omitempty"`
	Result     *ledger.Result        `json:"result,omitempty"`
	Calls      ledger.Calls          `json:"calls"`
	Saving     *SavingSummary        `json:"saving,omitempty"`   // if something was moved
	Capacity   []ledger.RankCapacity `json:"capacity,omitempty"` // by rank
	Least      float64               `json:"work_at_least"`      // lower bound of budget.work on any mapping
	Parts      []ledger.RunPart      `json:"parts,omitempty"`    // of a run that has gone on after losses
	Span       float64               `json:"span,omitempty"`     // seconds since the first of them began
	Sites      []SiteSummary         `json:"sites"`
	Wrong      []string              `json:"identities_violated,omitempty"`
}

// SavingSummary is the saving of the moves, in seconds.
type SavingSummary struct {
	Step    int     `json:"step"`
	Unmoved float64 `json:"unmoved"`
	Seen    float64 `json:"seen"`
	Error   float64 `json:"error"`
	Spent   float64 `json:"spent"`   // on calls and moves
	Net     float64 `json:"net"`     // saved, calls and moves deducted
	Without float64 `json:"without"` // time of the run without calls and moves
}

// SiteSummary is a call site of the program.
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

// Summary returns the figures of the run.
func (v *View) Summary() *Summary {
	a, t := v.Account, &v.Whole
	run := a.Run()
	s := &Summary{
		Schema: SummarySchema, Program: run.Program, Started: run.Started, Procs: run.Procs, Ranks: len(run.Ranks), Sets: len(run.Sets),
		Emulated: run.Emulated, Simulated: run.Simulated, Strategy: run.Strategy, Start: run.Start(), Supersteps: t.Step.Count, Elapsed: t.Elapsed,
		Efficiency: v.Efficiency, Before: v.Before(), Budget: v.Budget(), Machine: a.Machine, Emulation: a.Emulation, Result: a.Result,
		Calls: *a.Calls(), Least: t.Step.Least.Seconds(), Capacity: a.Capacity().Ranks, Wrong: a.Check(), Parts: a.Parts, Span: span(v).Seconds(),
	}
	if saving, spent, known := a.Saving(); known {
		net := saving.Gross() - spent
		s.Saving = &SavingSummary{saving.Step, saving.Unmoved, saving.Seen, saving.Error, spent, net, t.Elapsed + saving.Gross() - spent}
	}
	if v.End != nil {
		s.Code, s.Reason = v.End.Code, v.End.Reason
	}
	for _, site := range a.Sites() {
		c := &site.Step
		s.Sites = append(s.Sites, SiteSummary{
			Where: c.Site, Steps: c.Count, WorkMax: c.WorkMax.Seconds(), WorkAvg: c.WorkAvg().Seconds(), WorkMin: c.WorkMin.Seconds(),
			H: c.H, Predicted: a.Predict(c), Comm: c.Comm.Seconds(), Total: c.Total.Seconds(), Slowest: site.Slowest(),
		})
	}
	return s
}
