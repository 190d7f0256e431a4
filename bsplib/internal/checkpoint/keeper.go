package checkpoint

import (
	"fmt"
	"io"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// Settings configures a Keeper. Fields are the same on all ranks unless they name a rank.
type Settings struct {
	// Dir is the directory of the run's checkpoints; "" for none.
	Dir string
	// Lock is the lock of Dir, on rank 0; it may be nil.
	Lock *Lock
	// Every and EveryStages are the time and the number of stages after which a
	// checkpoint is due; 0 for never.
	Every       time.Duration
	EveryStages int
	// BetweenLosses is the mean time between losses of the run. If it is not 0, it determines the
	// time between checkpoints, and Every is ignored.
	BetweenLosses time.Duration
	// Deadline is the end of the run's job, zero for none. A checkpoint that ends the run begins early
	// enough to be complete by then.
	Deadline time.Time
	// Requests counts the requests for a checkpoint on this rank; nil if requests are impossible. A
	// request on one rank is enough, and ends the run.
	Requests *atomic.Int64
	// From is the checkpoint that the run resumes from; nil for a run from the start.
	From *Source

	// The description of the run in manifests.
	Caller     *Caller
	Parameters []Parameter
	Procs      int
	State      string // the type of the processes' state
	Layout     Hex    // its encoding

	Comm mpi.Comm
	Host string // of this rank
	// Wall is this machine's time since the run began. Elapsed is the run's time, which includes
	// earlier parts. It is an emulated platform's time if Emulated is true.
	Wall, Elapsed func() time.Duration
	Emulated      bool

	// Tell receives a line about each failure or refusal, and Warn the same line for the account. Log
	// receives progress lines, of checkpoints one in LogEvery at most. Only rank 0 uses them; Tell and
	// Log may be nil.
	Tell, Log io.Writer
	LogEvery  time.Duration
	Warn      func(line string)
	// Completed, if not nil, is called on all ranks when a checkpoint is complete, which was written
	// before a superstep.
	Completed func(dir string, superstep int)
}

// Keeper is a rank's side of the checkpoints of a run. Only the goroutine that drives the rank uses
// it. It calls CouldBeDue and Due before each barrier, Wanted after a barrier at which a stage has
// ended or a checkpoint is due, and Take if Wanted returns true.
type Keeper struct {
	settings *Settings
	from     *Source // that the run resumes from, nil for a run from the start
	control  *control.Channel
	run      string        // its name in checkpoints, on rank 0
	every    time.Duration // between checkpoints, 0 for never
	periodic bool          // checkpoints are due without a request
	served   int64         // requests that have been answered
	told     bool          // a message about the pending request was printed
	stages   int           // since the last attempt
	asked    bool          // a rank without processes has a request
	ended    time.Duration // time of the last attempt
	spoke    time.Duration // time of the last line about a checkpoint
	failures int           // in a row
	written  int           // complete checkpoints
	spent    time.Duration // on all attempts
	deadline deadline
}

// New returns a rank's Keeper.
func New(s Settings) *Keeper {
	k := &Keeper{settings: &s, from: s.From, control: control.New(s.Comm)}
	k.periodic = k.settings.Dir != "" && (k.settings.Every > 0 || k.settings.EveryStages > 0 || k.settings.BetweenLosses > 0)
	if k.settings.Dir != "" && !k.settings.Deadline.IsZero() {
		k.deadline.at = max(1, k.settings.Wall()+time.Until(k.settings.Deadline))
	}
	k.every = k.settings.Every
	if k.settings.BetweenLosses > 0 {
		k.every = leastInterval
	}
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

// Bounds of the time between checkpoints that follows from their cost. The first checkpoint comes
// after leastInterval. With leastIntervals times its cost between two checkpoints they take at most a
// tenth of the time, for any rate of losses.
const (
	leastInterval  = 5 * time.Second
	leastIntervals = 10
)

// interval returns the time between two checkpoints that minimizes the sum of their cost and of the
// work repeated after losses: sqrt(2 C M) for a cost C and a mean time M between losses (Young, A
// first order approximation to the optimum checkpoint interval, Commun. ACM 17(9), 1974).
func interval(cost, betweenLosses time.Duration) time.Duration {
	best := time.Duration(math.Sqrt(2*cost.Seconds()*betweenLosses.Seconds()) * 1e9)
	return max(best, leastInterval, leastIntervals*cost)
}

// Source returns the checkpoint that the run resumes from, nil for a run from the start.
func (k *Keeper) Source() *Source { return k.from }

// Writes reports whether checkpoints have a directory.
func (k *Keeper) Writes() bool { return k.settings.Dir != "" }

// CouldBeDue reports whether Due can return true. It is cheap.
func (k *Keeper) CouldBeDue() bool { return k.periodic || k.deadline.at > 0 || k.requested() }

func (k *Keeper) requested() bool { return k.asked || k.settings.Requests.Load() != k.served }

// Stages returns the number of stages since the last attempt, and CatchUp sets it on a rank that was
// away.
func (k *Keeper) Stages() int        { return k.stages }
func (k *Keeper) CatchUp(stages int) { k.stages = stages }

// RollCall sends requests of ranks without processes to all ranks. All ranks call it.
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

// Due reports whether this rank has a request, or whether the interval has passed when one of its
// processes ends a stage. The barrier sends the result to all ranks.
func (k *Keeper) Due(stage bool) bool {
	if k.requested() {
		return true
	}
	if stage && k.deadline.near(k.settings.Wall()) {
		k.settings.Requests.Add(1)
		return true
	}
	if stage && k.deadline.trial(k.settings.Wall()) {
		return true
	}
	if !k.periodic || !stage {
		return false
	}
	return k.settings.EveryStages > 0 && k.stages+1 >= k.settings.EveryStages || k.every > 0 && k.settings.Wall()-k.ended >= k.every
}

// Wanted reports whether a checkpoint must be taken between two supersteps: it is due on some rank,
// and all processes are between two stages. All ranks call it with the same arguments, and get the
// same result.
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
	k.deadline.stage(k.settings.Wall())
	return due
}

// Snapshot is a rank's data for a checkpoint.
type Snapshot struct {
	Superstep   int                     // that comes next
	Loop, Stage int                     // position at which this rank's processes resume
	Images      iter.Seq2[Image, error] // of the rank's processes, by pid; nil if it has none
	Report      *Report                 // process 0's last report on this rank
}

// Flags in the exchanges of Take.
const (
	flagStop mpi.Flags = 1 << iota // the checkpoint was requested, so the run must end
	flagFail                       // the checkpoint has failed on the rank
)

// attempt is a checkpoint that the ranks try to write.
type attempt struct {
	*Snapshot
	destination
	stop     bool      // the run must end
	failed   bool      // all ranks agree
	failure  string    // reason of the failure, on rank 0
	manifest *Manifest // on rank 0
	begun    time.Duration
	took     time.Duration
}

// destination is the location of a checkpoint. Rank 0 sends it to all ranks.
type destination struct {
	Path   string // of its directory
	ID     ID
	Number int
}

// partReport describes the part that a rank has written. Each rank sends its own to rank 0.
type partReport struct {
	Part        Part
	Loop, Stage int // of its processes
	Report      *Report
	Failure     string
}

// Take writes all processes to disk. All ranks call it after Wanted has returned true. over reports
// whether the checkpoint is complete and was requested, so that the run ends. about then describes
// its path and the time it took, on rank 0.
//
// The first of three exchanges sends the destination to all ranks, the second the reports on parts to
// rank 0; after the third the checkpoint is complete. A failed attempt ends with the exchange that
// reports the failure to all ranks.
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
	k.deadline.attempt(k.ended, a.took)
	if k.settings.BetweenLosses > 0 {
		k.every = interval(a.took, k.settings.BetweenLosses)
	}
	if !a.failed && k.settings.Completed != nil {
		k.settings.Completed(filepath.Join(k.settings.Dir, filepath.Base(a.Path)), a.Superstep)
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

// plan creates the directory on rank 0, and sends its name, and whether the run must end, to all
// ranks.
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

// createFor creates the directory of a checkpoint.
func (k *Keeper) createFor(a *attempt) error {
	dir, err := filepath.Abs(k.settings.Dir)
	if err == nil {
		err = k.settings.Lock.confirm()
	}
	if err != nil {
		return err
	}
	a.ID = ID(rand.Uint64())
	a.Path, a.Number, err = create(dir, k.settings.Caller.Program, k.run)
	return err
}

// write writes this rank's part and sends the report on it to rank 0.
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

// writePart writes this rank's images, if it has processes.
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

// OnHost puts rank and host in front of an error.
func (k *Keeper) OnHost(err error) string {
	return fmt.Sprintf("rank %d on %s: %v", k.settings.Comm.Rank(), k.settings.Host, err)
}

// newManifest returns the manifest of a checkpoint, without its parts.
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

// add adds a rank's part to the manifest, and the program's result if it is the newest so far.
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
		err := k.settings.Lock.confirm()
		if err == nil {
			err = prune(filepath.Dir(a.Path), k.settings.Caller.Program, k.run)
		}
		if err != nil {
			k.tell("warning: an old checkpoint stays: %v", err)
		}
	}
	return nil
}

// conclude reports the outcome of an attempt, on rank 0. Of consecutive failures it reports the
// first, the second, the fourth and so on.
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

// about describes the path of a complete checkpoint and the time it took, on rank 0. The path is
// relative if the user's is.
func (k *Keeper) about(a *attempt) string {
	s := Source{filepath.Join(k.settings.Dir, filepath.Base(a.Path)), a.manifest}
	return fmt.Sprintf("%v: %s in %s", &s, ledger.Bytes(s.Manifest.Bytes()), ledger.Seconds(a.took))
}

// GoBack makes all ranks resume from the newest older checkpoint of the run that fits. failure is the
// error of reading the current one. The result is nil if none fits.
//
// BSP cost: a superstep's, with the manifest to all ranks.
func (k *Keeper) GoBack(failure string) (*Source, error) {
	older, err := Resume(k.settings.Comm, func() (*Source, error) {
		older, s := k.from.Before(), k.settings
		for older != nil && (older.Fits(s.Caller, s.Parameters, s.Procs) != nil || older.FitsState(s.State, s.Layout) != nil) {
			older = older.Before()
		}
		return older, nil
	})
	if older != nil && err == nil {
		k.from = older
		k.tell("%s", older.Instead(failure))
	}
	return older, err
}

// Resumed logs that the processes of the Source have been read, and the time that took.
func (k *Keeper) Resumed(took time.Duration) {
	from := k.from
	k.log("goes on from %v, written %s by %d ranks%s: %s read in %s", from,
		from.Manifest.Written.Format(time.RFC3339), from.Manifest.Ranks, from.otherBuild(), ledger.Bytes(from.Manifest.Bytes()), ledger.Seconds(took))
}

// Costs returns a line on the time that checkpoints have taken, on rank 0; none without an attempt.
// On an emulated platform that time is not part of the run's.
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
