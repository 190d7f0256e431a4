package app

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/migbsp/migbsp/internal/loss"
)

// earlierParts are the parts of a run that ended with a loss. A supervisor starts the next part
// (migbsp run -survive). Only rank 0 uses them.
type earlierParts struct {
	dir    string      // of the supervisor, "" without one
	losses []loss.Loss // by part
}

// readEarlierParts reads the losses of the run from the directory of its supervisor.
func readEarlierParts(dir string) (earlierParts, error) {
	if dir == "" {
		return earlierParts{}, nil
	}
	losses, err := loss.Read(filepath.Join(dir, loss.Name))
	if err != nil {
		return earlierParts{}, fmt.Errorf("%s: %w", loss.SurviveVariable, err)
	}
	return earlierParts{dir, losses}, nil
}

// last returns the loss that ended the part before the current one, nil in the first part.
func (e earlierParts) last() *loss.Loss {
	if len(e.losses) == 0 {
		return nil
	}
	return &e.losses[len(e.losses)-1]
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
	if last := conf.earlier.last(); last != nil && last.Checkpointed() != "" {
		choose("restart", last.Checkpointed())
	} else if last != nil && last.Restart != nil && last.Restart.Procs > 0 && f.procs == 0 {
		choose("procs", strconv.Itoa(last.Restart.Procs)) // this part may have fewer ranks
	}
	return cmp.Or(err, conf.checkCheckpointFlags())
}

// survives reports whether a setting follows from the supervisor.
func (conf *configuration) survives(name string) bool {
	return conf.setting(name).Origin == reasonSurvive
}

// goesOn reports whether the run may have an earlier part.
func (conf *configuration) goesOn() bool {
	return conf.flags.restart != "" || conf.earlier.last() != nil
}
