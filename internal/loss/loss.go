// Package loss stores the losses of a run as data: the lost ranks, their hosts, and the continuation
// of the run.
//
// The watchers of a run write a loss (package watch). They write it into the record's directory, and
// into the file that the environment variable MIGBSP_LOSS_FILE names. The program that starts a
// launcher sets the variable, and reads that file with an Inbox.
//
// A file is replaced by rename, so that a reader finds a complete file or none. It holds one loss for
// each start of the program, the latest last: a run ends with its first loss.
package loss

import (
	"fmt"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/shell"
)

const (
	// Variable is the environment variable that names a file for losses.
	Variable = "MIGBSP_LOSS_FILE"
	// SurviveVariable is the environment variable that names the directory of a run that goes on after
	// losses. It has the file of losses, and the checkpoints of a program that was given no directory.
	SurviveVariable = "MIGBSP_SURVIVE_DIR"
	// Name is the name of the file in the directory of a record, and of a continued run.
	Name = "losses.json"
	// Schema is the first field of a file. Fields may be added within it.
	Schema = "migbsp.losses/1"
)

// file is the content of a file.
type file struct {
	Schema string  `json:"schema"`
	Losses []Loss  `json:"losses"`
	Starts []Start `json:"starts,omitempty"` // of a run that goes on after losses
}

// A Loss is the end of a started program by the loss of ranks.
type Loss struct {
	Start    string    `json:"start"`             // a random name of this start of the program
	Node     int       `json:"node"`              // of the watcher that reports it: 0 is rank 0's
	Started  time.Time `json:"started,omitzero"`  // of the program
	Progress time.Time `json:"progress,omitzero"` // end of the last superstep known to the watcher
	Time     time.Time `json:"time"`
	Program  string    `json:"program"`
	Record   string    `json:"record,omitempty"` // the directory of the run's record
	Nodes    []Node    `json:"nodes,omitempty"`  // known to the watcher
	Hosts    []Host    `json:"hosts"`            // the cause first
	Restart  *Restart  `json:"restart,omitempty"`
}

// A Node has ranks of the run.
type Node struct {
	Host  string `json:"host"`
	Ranks []int  `json:"ranks"`
}

// A Host has lost ranks.
type Host struct {
	Name   string `json:"host"`
	Ranks  []int  `json:"ranks"`
	Reason string `json:"reason"` // observed event: ended by signal 9 (killed)
	Place  Place  `json:"place"`
	Gone   bool   `json:"gone,omitempty"` // no rank of the host answers, nor its watcher
}

// A Place is the progress of ranks: superstep, stage and loop.
type Place struct {
	Step  int  `json:"superstep"`      // 0: before the first
	Away  bool `json:"away,omitempty"` // they had no processes
	Loop  int  `json:"loop"`           // the loop of stages, counted from 0
	Stage int  `json:"stages"`         // stages of the loop that had ended
}

// A Restart describes how to continue a run.
type Restart struct {
	Directory  string    `json:"directory,omitempty"`  // of checkpoints
	Checkpoint string    `json:"checkpoint,omitempty"` // the newest complete one
	Written    time.Time `json:"written,omitzero"`     // of the checkpoint
	Command    []string  `json:"command,omitempty"`    // the program with arguments that go on from it
	Superstep  int       `json:"superstep,omitempty"`  // of the checkpoint, which comes next
	First      int       `json:"first,omitempty"`      // superstep in which this part of the run began
	Procs      int       `json:"procs,omitempty"`      // processes of the program
	Launcher   string    `json:"launcher,omitempty"`   // that had started the ranks
}

// Checkpointed returns the newest checkpoint, "" before the first.
func (l *Loss) Checkpointed() string {
	if l.Restart == nil {
		return ""
	}
	return l.Restart.Checkpoint
}

// GoneHosts returns the hosts that do not answer.
func (l *Loss) GoneHosts() (names []string) {
	for _, h := range l.Hosts {
		if h.Gone {
			names = append(names, h.Name)
		}
	}
	return names
}

// Line is the line that reports the loss to a user.
func (l *Loss) Line() string {
	text := l.Program + ": " + l.Cause()
	switch r := l.Restart; {
	case r == nil:
	case r.Checkpoint != "":
		text += "; newest checkpoint: " + r.Checkpoint
		if len(r.Command) > 0 {
			start := ""
			if r.Launcher != "" {
				start = r.Launcher + " ... "
			}
			text += "; to go on from it:  " + start + shell.QuoteAll(r.Command)
		}
	case r.Directory != "":
		text += "; there is no checkpoint yet in " + r.Directory
	default:
		text += "; there is no checkpoint to go on from (-checkpoint, -checkpoint-every)"
	}
	return text
}

// Cause describes the first host: rank 3 on node7 is lost: ended by signal 9 (killed) in superstep 12.
func (l *Loss) Cause() string {
	if len(l.Hosts) == 0 {
		return "a rank is lost"
	}
	h, is := l.Hosts[0], "is"
	if len(h.Ranks) > 1 {
		is = "are"
	}
	return fmt.Sprintf("%s on %s %s lost: %s %s", RanksText(h.Ranks), h.Name, is, h.Reason, h.Place.Of(len(h.Ranks)))
}

// RanksText names ranks, which are in order: rank 3, ranks 4-7,9.
func RanksText(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d", ranks[0])
	}
	var parts []string
	for i := 0; i < len(ranks); {
		j := i
		for j+1 < len(ranks) && ranks[j+1] == ranks[j]+1 {
			j++
		}
		part := fmt.Sprint(ranks[i])
		if j > i {
			part += fmt.Sprint("-", ranks[j])
		}
		if parts = append(parts, part); len(parts) == 8 && j+1 < len(ranks) {
			parts = append(parts, fmt.Sprintf("... (%d in all)", len(ranks)))
			break
		}
		i = j + 1
	}
	return "ranks " + strings.Join(parts, ",")
}

// Of describes the progress of a number of ranks. It counts stages and loops from 0, as programs do.
func (p Place) Of(ranks int) string {
	they, their := "it", "its"
	if ranks > 1 {
		they, their = "they", "their"
	}
	switch {
	case p.Away:
		return fmt.Sprintf("while %s had no processes and took no part", they)
	case p.Step == 0:
		return fmt.Sprintf("before %s first superstep", their)
	}
	text := fmt.Sprintf("in superstep %d", p.Step)
	if p.Stage > 0 {
		text += fmt.Sprintf(", after stage %d of stage loop %d", p.Stage-1, p.Loop)
	}
	return text
}
