package ledger

import (
	"fmt"
	"time"
)

// Parts are the parts of a run that goes on after losses: the earlier ones, and the current one.
type Parts struct {
	List []RunPart `json:"list"`
}

// A RunPart is a start of the program in a run that goes on after losses. Unknown times are zero.
type RunPart struct {
	Began     time.Time `json:"began"`             // the launcher was started
	Started   time.Time `json:"started,omitzero"`  // the program
	Up        time.Time `json:"up,omitzero"`       // its first superstep, only of the last part
	Progress  time.Time `json:"progress,omitzero"` // end of its last superstep
	Noticed   time.Time `json:"noticed,omitzero"`  // the loss was reported
	Ended     time.Time `json:"ended,omitzero"`    // the launcher had ended
	Saved     time.Time `json:"saved,omitzero"`    // time of the checkpoint that the next part resumes
	Hosts     []string  `json:"hosts,omitempty"`   // at most MostPartHosts
	AllHosts  int       `json:"all_hosts,omitempty"`
	Ranks     int       `json:"ranks,omitempty"`
	First     int       `json:"first,omitempty"`     // superstep
	Last      int       `json:"last,omitempty"`      // superstep of the loss
	Superstep int       `json:"superstep,omitempty"` // first superstep of the next part
	Cause     string    `json:"cause,omitempty"`     // of its end
}

// MostPartHosts is the maximum number of hosts that a RunPart names.
const MostPartHosts = 8

// LostTime is the time that a loss took from a run.
type LostTime struct {
	Noticing time.Duration // from the last superstep to the report
	Ending   time.Duration // from the report to the end of the launcher
	Starting time.Duration // from there to the start of the program in the next part
	Repeated time.Duration // between the checkpoint and the last superstep
}

// Whole returns the sum.
func (l *LostTime) Whole() time.Duration { return l.Noticing + l.Ending + l.Starting + l.Repeated }

// between returns the time from a to b, 0 if one is unknown or clocks disagree.
func between(a, b time.Time) time.Duration {
	if a.IsZero() || b.IsZero() {
		return 0
	}
	return max(0, b.Sub(a))
}

// LossOf returns the time that the loss of a part took, given the next part.
func (p *RunPart) LossOf(next *RunPart) LostTime {
	l := LostTime{
		Noticing: between(p.Progress, p.Noticed), Ending: between(p.Noticed, p.Ended),
		Starting: between(p.Ended, next.Started), Repeated: between(p.Saved, p.Progress),
	}
	if p.Saved.IsZero() && p.Superstep == 0 { // the next part begins from the start
		l.Repeated = between(p.Started, p.Progress)
	}
	return l
}

// check reports parts that cannot be.
func (p *Parts) check() error {
	for i := range p.List {
		if err := p.List[i].check(); err != nil {
			return err
		}
	}
	return nil
}

func (p *RunPart) check() error {
	if p.First < 0 || p.Last < 0 || p.Superstep < 0 || p.Ranks < 0 || p.AllHosts < len(p.Hosts) || len(p.Hosts) > MostPartHosts {
		return fmt.Errorf("a part with supersteps %d to %d on %d ranks and %d hosts", p.First, p.Last, p.Ranks, p.AllHosts)
	}
	return nil
}

// Span returns the time from the start of the first part, when the last one has taken a time since
// its first superstep; 0 without parts.
func Span(parts []RunPart, elapsed time.Duration) time.Duration {
	if len(parts) == 0 {
		return 0
	}
	return between(parts[0].Began, parts[len(parts)-1].Up) + elapsed
}
