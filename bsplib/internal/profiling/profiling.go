// Package profiling writes the profile of a run: the measurements of all ranks, for later runs.
package profiling

import (
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/cluster"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/measure"
	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/ledger"
)

// Settings has all ranks measure the contents of a profile. Its fields are set on rank 0.
type Settings struct {
	Store   *profile.Store
	Earlier *profile.Profile // of an earlier run; nil without one
	// Save stores a profile that has no Key yet. It is called after each checkpoint and at the end of
	// the run.
	Save func(p *profile.Profile)
}

// Profiles returns the Store, nil if profiles are off.
func (s *Settings) Profiles() *profile.Store {
	if s == nil {
		return nil
	}
	return s.Store
}

// Expected returns the seconds that the earlier run took, 0 without an earlier run.
func (s *Settings) Expected() float64 {
	if s == nil || s.Earlier == nil {
		return 0
	}
	return s.Earlier.Seconds
}

// Writer is a rank's part in writing profiles. A nil Writer writes none.
type Writer struct {
	settings *Settings
	first    int           // the superstep that was the first with this mapping
	since    time.Duration // when it began
}

// New returns the Writer of a run that begins with a superstep, nil for nil.
func New(s *Settings, step int) *Writer {
	if s == nil {
		return nil
	}
	return &Writer{settings: s, first: step}
}

// Moved notes that a superstep is the first with a new mapping.
func (w *Writer) Moved(step int, now time.Duration) {
	if w != nil {
		w.first, w.since = step, now
	}
}

// State is a run between two supersteps.
type State struct {
	Control *control.Channel
	Cluster *cluster.Cluster
	Timing  *measure.Timing
	Where   []int32 // rank of each process
	Step    int     // the superstep that comes next
	Ended   bool    // there is none
}

// Write reports this rank's measurements to rank 0, which saves the profile of the run. All ranks call
// it.
//
// BSP cost: l, and h of the totals of all processes at rank 0.
func (w *Writer) Write(s State) error {
	if w == nil {
		return nil
	}
	now := s.Timing.Clock.Now()
	mine := s.Timing.Totals.Report(s.Step)
	all, err := control.Gather(s.Control, 0, &mine, nil)
	if err != nil || s.Control.Comm().Rank() != 0 {
		return err
	}
	total := loads.Sum(len(s.Where), all)
	p := &profile.Profile{
		Written: time.Now().UTC().Truncate(time.Second), Ended: s.Ended,
		Seconds: (s.Timing.Earlier + now).Seconds(), Supersteps: s.Step - 1, States: total.States,
	}
	if n := s.Step - w.first; n > 0 {
		p.Step = (now - w.since).Seconds() / float64(n)
	}
	for _, rank := range s.Where {
		p.Mapping = append(p.Mapping, int(rank))
	}
	cluster.Describe(s.Cluster, p, total.Shares)
	addClasses(p, total.Classes, s.Timing.Account.SiteName)
	if len(p.Classes) > 0 { // else nothing was measured
		w.settings.Save(p)
	}
	return nil
}

// addClasses adds the loads of the classes with most supersteps, and their traffic while the profile
// has room.
func addClasses(p *profile.Profile, all []loads.Class, name func(site int64) string) {
	room := profile.MostFlows
	for _, c := range all[:min(len(all), profile.MostClasses)] {
		class := profile.Class{Site: name(c.Site), Supersteps: c.Steps, Work: c.Work}
		for pid := range class.Work {
			class.Work[pid] /= float64(c.Steps)
		}
		if messages := thinned(c.Messages, len(c.Work)); len(messages) <= room {
			room -= len(messages)
			class.Recorded = c.Recorded
			for _, m := range messages {
				class.Traffic = append(class.Traffic, profile.Flow{From: m.From, To: m.To, Bytes: m.Bytes})
			}
		}
		p.Classes = append(p.Classes, class)
	}
}

// thinned bounds the messages to each of so many processes, by receiver.
func thinned(all []ledger.Message, procs int) (kept []ledger.Message) {
	for begin := 0; begin < len(all); {
		end := begin
		for end < len(all) && all[end].To == all[begin].To {
			end++
		}
		kept = append(kept, ledger.Thin(all[begin:end], procs)...)
		begin = end
	}
	return kept
}
