package app

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/ledger"
)

// earlierParts are the parts of a run that ended with a loss. A supervisor starts the next part
// (migbsp run -survive). Only rank 0 uses them.
type earlierParts struct {
	dir    string       // of the supervisor, "" without one
	losses []loss.Loss  // of earlier parts
	starts []loss.Start // by part, with the current one
	begun  time.Time    // when this part had its settings
}

// readEarlierParts reads the losses of the run from the directory of its supervisor.
func readEarlierParts(dir string) (earlierParts, error) {
	if dir == "" {
		return earlierParts{}, nil
	}
	path := filepath.Join(dir, loss.Name)
	losses, err := loss.Read(path)
	starts, wrong := loss.ReadStarts(path)
	if err = cmp.Or(err, wrong); err != nil {
		return earlierParts{}, fmt.Errorf("%s: %w", loss.SurviveVariable, err)
	}
	return earlierParts{dir, losses, starts, time.Now()}, nil
}

// last returns the loss that ended the part before the current one, nil in the first part.
func (e earlierParts) last() *loss.Loss {
	if len(e.losses) == 0 {
		return nil
	}
	return &e.losses[len(e.losses)-1]
}

// parts returns the parts of the run, the current one last, or nil in the first part. The current
// one begins in a superstep.
func (e earlierParts) parts(first int) []ledger.RunPart {
	if len(e.starts) < 2 {
		return nil
	}
	var all []ledger.RunPart
	for _, s := range e.starts {
		p := ledger.RunPart{Began: s.Began, Ended: s.Ended, Cause: s.Cause}
		if i := slices.IndexFunc(e.losses, func(l loss.Loss) bool { return l.Start == s.Loss }); s.Loss != "" && i >= 0 {
			addLoss(&p, &e.losses[i])
		}
		all = append(all, p)
	}
	last := &all[len(all)-1]
	last.Started, last.First = e.begun.UTC(), first
	return all
}

// addLoss adds the facts of a part's loss.
func addLoss(p *ledger.RunPart, l *loss.Loss) {
	p.Started, p.Progress, p.Noticed, p.Cause = l.Started, l.Progress, l.Time, l.Cause()
	for _, h := range l.Hosts {
		p.Last = max(p.Last, h.Place.Step)
	}
	for _, n := range l.Nodes {
		p.AllHosts++
		p.Ranks += len(n.Ranks)
		if len(p.Hosts) < ledger.MostPartHosts {
			p.Hosts = append(p.Hosts, n.Host)
		}
	}
	if r := l.Restart; r != nil {
		p.First, p.Superstep, p.Saved = r.First, r.Superstep, r.Written
	}
}

// record returns the directory of the record of the part before the current one, "" if it had none.
func (e earlierParts) record() string {
	if last := e.last(); last != nil {
		return last.Record
	}
	return ""
}

// unseen reports whether the part before the current one ended without a loss: its launcher was
// killed, or ranks were before watchers were connected.
func (e earlierParts) unseen() bool {
	return len(e.starts) > 1 && e.starts[len(e.starts)-2].Loss == ""
}

// skew is the assumed difference between the clocks of two hosts.
const skew = time.Minute

// resumes returns the checkpoint that the current part resumes, or "": the checkpoint of the last loss
// or, if no watcher has seen the end of the previous part, the newest in a directory that was written
// since the run began.
func (e earlierParts) resumes(dir string) string {
	if e.unseen() && dir != "" {
		from, err := checkpoint.Newest(dir, func(error) {})
		if err == nil && from.Manifest.Written.After(e.starts[0].Began.Add(-skew)) {
			return from.Path
		}
	}
	if last := e.last(); last != nil {
		return last.Checkpointed()
	}
	return ""
}

// expected is the assumed time between losses of a run without any, and frequent a lower bound of the
// measured time.
const (
	expected = 6 * time.Hour
	frequent = time.Minute
)

// betweenLosses returns the mean time between losses, as measured in this run but limited to the
// range from frequent to expected.
func (e earlierParts) betweenLosses() time.Duration {
	if len(e.losses) == 0 {
		return expected
	}
	ran := time.Duration(0)
	for _, l := range e.losses {
		ran += max(0, l.Time.Sub(l.Started))
	}
	return max(frequent, min(expected, ran/time.Duration(len(e.losses))))
}

// reasonSurvive is the origin of settings that follow from a supervisor.
const reasonSurvive = "-survive"

// surviveLosses completes the settings of a run with a supervisor: checkpoints in its directory at
// intervals that follow from their cost, unless the user has settings for them. After a loss the run
// resumes from its newest checkpoint, regardless of the user's -restart for the first part.
func (conf *configuration) surviveLosses(flags *flag.FlagSet) (err error) {
	conf.earlier, err = readEarlierParts(os.Getenv(loss.SurviveVariable))
	if err != nil || conf.earlier.dir == "" {
		return err
	}
	f := conf.flags
	choose := func(name, value string) {
		for i := range conf.values {
			if v := &conf.values[i]; v.Name == name {
				v.Choose(value, reasonSurvive)
				err = errors.Join(err, flags.Set(name, value))
			}
		}
	}
	if f.checkpoint == "" {
		choose("checkpoint", filepath.Join(conf.earlier.dir, "checkpoints"))
	}
	if f.every == "" {
		choose("checkpoint-every", everyAuto)
	}
	last := conf.earlier.last()
	if from := conf.earlier.resumes(conf.checkpointDir()); from != "" {
		choose("restart", from)
	} else if last != nil && last.Restart != nil && last.Restart.Procs > 0 && f.procs == 0 {
		choose("procs", strconv.Itoa(last.Restart.Procs)) // this part may have fewer ranks
	}
	return cmp.Or(err, conf.checkCheckpointFlags())
}

// firstStep returns the first superstep of this part of the run.
func (conf *configuration) firstStep() int {
	if from := conf.plan.Checkpoint.From; from != nil {
		return from.Manifest.Superstep
	}
	return 0
}

// survives reports whether a setting follows from the supervisor.
func (conf *configuration) survives(name string) bool {
	return conf.setting(name).Origin == reasonSurvive
}

// goesOn reports whether the run may have an earlier part.
func (conf *configuration) goesOn() bool {
	return conf.flags.restart != "" || conf.earlier.last() != nil || conf.earlier.unseen()
}

// checkpointDir returns the directory of -checkpoint, "" without one.
func (conf *configuration) checkpointDir() string {
	return strings.NewReplacer("%j", Job(), "%p", conf.say.name, "%%", "%").Replace(conf.flags.checkpoint)
}
