package checkpoint

import (
	"fmt"
	"io"
	"iter"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// Settings are what a Keeper works with. Where no rank is named all have the same.
type Settings struct {
	// Dir is the directory of the run's checkpoints; "" if none is to be written.
	Dir string
	// Every and EveryStages are the time and the number of stages after which a
	// checkpoint is due; 0 for never.
	Every       time.Duration
	EveryStages int
	// Requests counts the requests for a checkpoint on this rank; nil if there can
	// be none. A request on one rank is enough, and ends the run.
	Requests *atomic.Int64
	// From is the checkpoint that the run goes on from; nil if it has begun anew.
	From *Source

	// What manifests say of the run.
	Caller     *Caller
	Parameters []Parameter
	Procs      int
	State      string // the type of the processes' state
	Layout     Hex    // how it is encoded

	Comm mpi.Comm
	Host string // of this rank
	// Wall is this machine's time since the run began, Elapsed the run's own, over
	// restarts; Emulated says that these are of different machines.
	Wall, Elapsed func() time.Duration
	Emulated      bool

	// Tell receives a line about each thing that does not go as asked, and Warn the
	// same for the account. Log receives lines on how the run goes, of checkpoints
	// no more than one in LogEvery. Rank 0 uses them; Tell and Log may be nil.
	Tell, Log io.Writer
	LogEvery  time.Duration
	Warn      func(line string)
	// Completed, unless it is nil, is called on all ranks when a checkpoint is complete.
	Completed func(dir string)
}

// Keeper is a rank's part in the checkpoints of a run. The goroutine that drives
// the rank uses it: before each barrier CouldBeDue and Due, after one where a
// stage has ended or a checkpoint is due Wanted, and if that says so Take.
type Keeper struct {
	settings *Settings
	from     *Source // the checkpoint that the run goes on from, nil if it has begun anew
	control  *control.Channel
	run      string        // its name in checkpoints, on rank 0
	periodic bool          // checkpoints are due without a request
	served   int64         // requests that have been answered
	told     bool          // that there is a request
	stages   int           // since the last attempt
	asked    bool          // another rank has a request, which is away most of the time
	ended    time.Duration // when that was
	spoke    time.Duration // when there was last a line about a checkpoint
	failures int           // in a row
	written  int           // complete checkpoints
	spent    time.Duration // on all attempts
}

// New makes a rank's Keeper.
func New(s Settings) *Keeper {
	k := &Keeper{settings: &s, from: s.From, control: control.New(s.Comm)}
	k.periodic = k.settings.Dir != "" && (k.settings.Every > 0 || k.settings.EveryStages > 0)
	if k.settings.Requests == nil {
		k.settings.Requests = new(atomic.Int64)
	}
	if k.from == nil {
		k.run = newRun()
	} else {
		k.run = k.from.Manifest.Run
	}
	return k
}

// Source is the checkpoint that the run goes on from, nil if it has begun anew.
func (k *Keeper) Source() *Source { return k.from }

// Writes reports whether there is a directory to write checkpoints to.
func (k *Keeper) Writes() bool { return k.settings.Dir != "" }

// CouldBeDue reports, at the least cost, whether Due can be true.
func (k *Keeper) CouldBeDue() bool { return k.periodic || k.requested() }

func (k *Keeper) requested() bool { return k.asked || k.settings.Requests.Load() != k.served }

// Stages is how many stages have ended since the last attempt, and CatchUp tells that to
// a rank that was away.
func (k *Keeper) Stages() int        { return k.stages }
func (k *Keeper) CatchUp(stages int) { k.stages = stages }

// RollCall has ranks that are away most of the time tell the others of their requests. All
// ranks call it.
//
// BSP cost: l.
func (k *Keeper) RollCall() error {
	flags := mpi.Flags(0)
	if k.requested() {
		flags = flagStop
	}
	all, err := k.control.Exchange(flags)
	if err != nil || all == 0 {
		return err
	}
	if k.asked = k.settings.Dir != ""; !k.asked {
		k.Wanted(true, false)
	}
	return nil
}

// Due reports whether this rank has a request, or knows that it is time where one
// of its processes ends a stage. The ranks' barrier makes it known to all.
func (k *Keeper) Due(stage bool) bool {
	if k.requested() {
		return true
	}
	if !k.periodic || !stage {
		return false
	}
	return k.settings.EveryStages > 0 && k.stages+1 >= k.settings.EveryStages || k.settings.Every > 0 && k.settings.Wall()-k.ended >= k.settings.Every
}

// Wanted reports whether a checkpoint is to be taken between two supersteps: some
// rank's is due, and all processes stand between two stages. All ranks call it
// with the same, and get the same.
func (k *Keeper) Wanted(due, between bool) bool {
	switch {
	case due && k.settings.Dir == "":
		k.served = k.settings.Requests.Load()
		k.tell("%s; the run goes on", k.settings.Caller.NoDirectory)
		return false
	case !between:
		if due && !k.told {
			k.told = true
			k.log("a checkpoint is written when this stage has ended, and then the run ends")
		}
		return false
	}
	k.stages++
	return due
}

// Snapshot is what a rank has to write.
type Snapshot struct {
	Superstep   int                     // that comes next
	Loop, Stage int                     // where this rank's processes go on
	Images      iter.Seq2[Image, error] // of the rank's processes, by pid; nil if it has none
	Report      *Report                 // what process 0 has reported while it was on this rank
}

// What ranks add to the exchanges of Take.
const (
	flagStop mpi.Flags = 1 << iota // there is a request, so that the run is to end
	flagFail                       // the checkpoint has failed on the rank
)

// attempt is a checkpoint that the ranks try to write.
type attempt struct {
	*Snapshot
	destination
	stop     bool      // the run is to end
	failed   bool      // all ranks agree
	failure  string    // why, on rank 0
	manifest *Manifest // on rank 0
	begun    time.Duration
	took     time.Duration
}

// destination is what rank 0 tells all ranks of a checkpoint that is to be written.
type destination struct {
	Path   string // of its directory
	ID     ID
	Number int
}

// partReport is what a rank has written, and tells rank 0.
type partReport struct {
	Part        Part
	Loop, Stage int // of its processes
	Report      *Report
	Failure     string
}

// Take writes all processes to disk. All ranks call it where Wanted was true.
// over reports whether the checkpoint is complete and was requested, so that the
// run ends; about then says on rank 0 where it is and what it took.
//
// Of the three exchanges the first tells the ranks where to write, the second
// rank 0 what they have written; after the third the checkpoint is complete. One
// that fails ends with the exchange that tells the ranks so.
//
// Errors: the engine's.
//
// BSP cost: three barriers, and the bytes of the images to disk.
func (k *Keeper) Take(s *Snapshot) (over bool, about string, err error) {
	a := &attempt{Snapshot: s, begun: k.settings.Wall()}
	for _, next := range []func(*attempt) error{k.plan, k.write, k.finish} {
		if err := next(a); err != nil {
			return false, "", err
		}
		if a.failed {
			break
		}
	}
	k.stages, k.ended, k.told, k.asked = 0, k.settings.Wall(), false, false
	a.took = k.ended - a.begun
	if !a.failed && k.settings.Completed != nil {
		k.settings.Completed(filepath.Join(k.settings.Dir, filepath.Base(a.Path)))
	}
	if k.settings.Comm.Rank() == 0 {
		k.conclude(a)
	}
	if a.failed || !a.stop {
		return false, "", nil
	}
	if k.settings.Comm.Rank() == 0 {
		about = k.about(a)
	}
	return true, about, nil
}

// plan makes the directory on rank 0, and tells all ranks of it and whether the
// run is to end.
func (k *Keeper) plan(a *attempt) error {
	flags := mpi.Flags(0)
	if asked := k.settings.Requests.Load(); asked != k.served {
		k.served = asked
		flags |= flagStop
	}
	if k.settings.Comm.Rank() == 0 {
		if err := k.createFor(a); err != nil {
			a.failure = err.Error()
			flags |= flagFail
		}
		for to := range k.settings.Comm.Size() {
			if err := control.Send(k.control, to, &a.destination); err != nil {
				return err
			}
		}
	}
	all, err := k.control.Exchange(flags)
	if err != nil {
		return err
	}
	a.stop, a.failed = all&flagStop != 0, all&flagFail != 0
	return control.Each(k.control, func(_ int, d *destination) error {
		a.destination = *d
		return nil
	})
}

// createFor makes the directory of a checkpoint.
func (k *Keeper) createFor(a *attempt) error {
	dir, err := filepath.Abs(k.settings.Dir)
	if err != nil {
		return err
	}
	a.ID = ID(rand.Uint64())
	a.Path, a.Number, err = create(dir, k.settings.Caller.Program, k.run)
	return err
}

// write has each rank write its part and tell rank 0 about it.
func (k *Keeper) write(a *attempt) error {
	said, flags := k.writePart(a), mpi.Flags(0)
	if said.Failure != "" {
		flags = flagFail
	}
	if err := control.Send(k.control, 0, said); err != nil {
		return err
	}
	all, err := k.control.Exchange(flags)
	if err != nil {
		return err
	}
	if a.failed = all&flagFail != 0; k.settings.Comm.Rank() != 0 {
		return nil
	}
	a.manifest = k.newManifest(a)
	err = control.Each(k.control, func(_ int, said *partReport) error {
		if a.failure == "" {
			a.failure = said.Failure
		}
		a.manifest.add(said)
		return nil
	})
	if err == nil && a.failed {
		remove(a.Path)
	}
	return err
}

// writePart writes this rank's images, where it has any.
func (k *Keeper) writePart(a *attempt) *partReport {
	said := &partReport{Loop: a.Loop, Stage: a.Stage, Report: a.Report}
	if a.Images == nil {
		return said
	}
	var err error
	said.Part, err = writePart(a.Path, a.ID, k.settings.Comm.Rank(), a.Images)
	said.Part.Host = k.settings.Host
	if err != nil {
		said.Failure = k.OnHost(err)
	}
	return said
}

// OnHost says where an error of this rank has happened.
func (k *Keeper) OnHost(err error) string {
	return fmt.Sprintf("rank %d on %s: %v", k.settings.Comm.Rank(), k.settings.Host, err)
}

// newManifest is the manifest of a checkpoint, without its parts.
func (k *Keeper) newManifest(a *attempt) *Manifest {
	build := ledger.ThisBuild()
	return &Manifest{
		ID: a.ID, Run: k.run, Number: a.Number, Written: time.Now().UTC().Truncate(time.Millisecond),
		Program: k.settings.Caller.Program, Version: build.Version, Commit: build.Commit,
		Args: k.settings.Caller.Args, Parameters: k.settings.Parameters, Job: k.settings.Caller.Job,
		Procs: k.settings.Procs, Ranks: k.settings.Comm.Size(), Engine: k.settings.Comm.Engine().Text, Superstep: a.Superstep,
		Elapsed: k.settings.Elapsed().Seconds(), State: k.settings.State, Layout: k.settings.Layout,
	}
}

// add takes in what a rank has written, and the last report of process 0.
func (m *Manifest) add(said *partReport) {
	if len(said.Part.Records) > 0 {
		m.Parts = append(m.Parts, said.Part)
		if said.Part.Records[0].Pid == 0 {
			m.Loop, m.Stage = said.Loop, said.Stage
		}
	}
	if r := said.Report; r != nil && (m.Report == nil || m.Report.Step <= r.Step) {
		m.Report = r
	}
}

// finish writes the manifest, and then removes older checkpoints.
func (k *Keeper) finish(a *attempt) error {
	flags := mpi.Flags(0)
	if k.settings.Comm.Rank() == 0 {
		if err := commit(a.Path, a.manifest); err != nil {
			a.failure, flags = k.OnHost(err), flagFail
			remove(a.Path)
		}
	}
	all, err := k.control.Exchange(flags)
	if err != nil {
		return err
	}
	if a.failed = all&flagFail != 0; !a.failed && k.settings.Comm.Rank() == 0 {
		if err := prune(filepath.Dir(a.Path), k.settings.Caller.Program, k.run); err != nil {
			k.tell("warning: an old checkpoint stays: %v", err)
		}
	}
	return nil
}

// conclude says on rank 0 what became of an attempt. Of failures in a row it tells
// the first, the second, the fourth and so on.
func (k *Keeper) conclude(a *attempt) {
	k.spent += a.took
	if !a.failed {
		k.failures = 0
		k.written++
		if now := k.ended; !a.stop && (k.spoke == 0 || now > k.spoke+k.settings.LogEvery) {
			k.spoke = now
			k.log("checkpoint %s", k.about(a))
		}
		return
	}
	if k.failures++; bits.OnesCount(uint(k.failures)) > 1 && !a.stop {
		return
	}
	line := "warning: no checkpoint: " + a.failure + "; the run goes on"
	if a.stop {
		line += ", though it was asked to end"
	}
	k.tell("%s", line)
	k.settings.Warn(line)
}

// about says where a complete checkpoint is and what it took, on rank 0. The path
// is in the words of the user.
func (k *Keeper) about(a *attempt) string {
	s := Source{filepath.Join(k.settings.Dir, filepath.Base(a.Path)), a.manifest}
	return fmt.Sprintf("%v: %s in %s", &s, ledger.Bytes(s.Manifest.Bytes()), ledger.Seconds(a.took))
}

// GoBack has all ranks go on from the checkpoint before the one that they could not read,
// as failure says. The result is nil if there is none.
//
// BSP cost: a superstep's, with the manifest to all ranks.
func (k *Keeper) GoBack(failure string) (*Source, error) {
	older, err := Resume(k.settings.Comm, func() (*Source, error) { return k.from.Before(), nil })
	if older != nil && err == nil {
		k.from = older
		k.tell("%s", older.Instead(failure))
	}
	return older, err
}

// Resumed logs that the processes of the Source have been read in that time.
func (k *Keeper) Resumed(took time.Duration) {
	from := k.from
	k.log("goes on from %v, written %s by %d ranks%s: %s read in %s", from,
		from.Manifest.Written.Format(time.RFC3339), from.Manifest.Ranks, from.otherBuild(), ledger.Bytes(from.Manifest.Bytes()), ledger.Seconds(took))
}

// Costs says what checkpoints have cost, on rank 0; nothing if there was none. On
// an emulated platform that is no part of the run's time.
func (k *Keeper) Costs() []string {
	if k == nil || k.spent == 0 {
		return nil
	}
	part := "part of unexplained"
	if k.settings.Emulated {
		part = "of this machine's time, none of the platform's"
	}
	return []string{fmt.Sprintf("checkpoints: %d written in %s, %s", k.written, ledger.Seconds(k.spent), part)}
}

func (k *Keeper) tell(format string, args ...any) { k.line(k.settings.Tell, format, args...) }

func (k *Keeper) log(format string, args ...any) { k.line(k.settings.Log, format, args...) }

// line writes a line in the program's name to w, on rank 0.
func (k *Keeper) line(w io.Writer, format string, args ...any) {
	if w != nil && k.settings.Comm.Rank() == 0 {
		fmt.Fprintf(w, "%s: %s\n", k.settings.Caller.Program, fmt.Sprintf(format, args...))
	}
}
