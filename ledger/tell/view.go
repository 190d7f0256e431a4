// Package tell describes a run: a View has its figures, sentences and tables, made from the
// run's account. Text, page and live view only draw them, at different lengths.
package tell

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// A View is the description of a run, which may not have ended.
type View struct {
	Account *ledger.Account
	End     *ledger.End     // nil if the run has not ended
	Record  *ledger.History // that it was made of, nil if that was the account alone

	Whole      ledger.Totals
	Title      string // the program, with the size of its problem
	Wrong      bool   // the result has not passed its checks
	Efficiency ledger.Efficiency
	Parallel   float64 // its parallel efficiency; 0 if it is not known
	Limit      Limit
	Gain       Gain
	Next       []string // advice for the next run, the most promising first
}

// Of makes the view of a run; end is nil if it has not ended.
func Of(a *ledger.Account, end *ledger.End) *View {
	v := &View{Account: a, End: end, Whole: a.Whole(), Title: Title(a)}
	v.Efficiency, v.Gain = a.Efficiency(&v.Whole), v.gain()
	if r := a.Result; r != nil {
		if r.Size != "" {
			v.Title += " (" + r.Size + ")"
		}
		v.Wrong = len(r.Checks) > 0 && !r.Passed()
	}
	if v.Whole.Step.Count > 0 && v.Whole.Elapsed > 0 {
		v.Parallel, v.Limit = v.Efficiency.Parallel, v.limit()
	}
	v.Next = v.next()
	return v
}

// OfRecord makes the view of a recorded run.
func OfRecord(h *ledger.History) *View {
	v := Of(&h.Account, h.End)
	v.Record = h
	return v
}

// Title names the program.
func Title(a *ledger.Account) string {
	if a.Result != nil && a.Result.Title != "" {
		return a.Result.Title
	}
	return a.Run().Program
}

// Reason returns the reason that ended the run early, "" if it goes on or came to its end.
func (v *View) Reason() string {
	if v.End == nil {
		return ""
	}
	return strings.TrimSpace(v.End.Reason)
}

// Before returns the efficiency up to the first move, or nil if the run has no moves.
func (v *View) Before() *ledger.Efficiency {
	if v.Account.Before() == nil {
		return nil
	}
	e := v.Account.Efficiency(v.Account.Before())
	return &e
}

// Budget returns the time budget of the run.
func (v *View) Budget() ledger.Budget { return v.Account.Budget(&v.Whole) }

// Limit is the factor that costs most of the parallel efficiency.
type Limit struct {
	Name  string // "" if no factor limits
	Value float64
	Why   string
}

// limit finds the factor that costs most, unless the efficiency is acceptable.
func (v *View) limit() Limit {
	e := &v.Efficiency
	if e.Parallel >= ledger.Acceptable {
		return Limit{}
	}
	worst := Limit{"load balance", e.InSets, ""}
	if len(v.Account.Run().Sets) > 1 {
		worst.Name += " in Sets"
	}
	for _, l := range []Limit{
		{"load balance between Sets", e.BetweenSets, ""}, {"serialisation", e.Serialisation, "another rank is last each time"},
		{"capacity", e.Capacity, v.denial()}, {"transfer", e.Transfer, ""},
	} {
		if l.Value < worst.Value {
			worst = l
		}
	}
	if worst.Name == "transfer" {
		part := v.largestLoss()
		worst.Why = fmt.Sprintf("%.0f%% %s", 100*ledger.Share(part.Seconds, v.Whole.Elapsed), losses[part.Name])
	}
	return worst
}

// losses name the parts of the time budget other than work, in words that follow a share of the
// time.
var losses = map[string]string{
	"CPU not granted": "without a core",
	"h g":             "sending bytes",
	"S l":             "barriers",
	"rescheduling":    "rescheduling calls",
	"migration":       "moving",
	"unexplained":     "unexplained",
}

// largestLoss returns the largest part of the time budget other than work.
func (v *View) largestLoss() ledger.Part {
	d := v.Budget()
	parts := d.Parts()
	most := parts[len(parts)-1]
	for _, part := range parts[1:] {
		if part.Seconds > most.Seconds {
			most = part
		}
	}
	return most
}

// denial names the main cause for which ranks had work and no processor.
func (v *View) denial() string {
	c := v.Account.Capacity()
	if cause := mainCause(&c); cause.Seconds > 0 {
		return "mostly " + cause.Name
	}
	return "ranks had work and no core"
}

// mainCause returns the largest of the causes for which CPU was not granted.
func mainCause(c *ledger.Capacity) (most ledger.Part) {
	d := c.Causes()
	for _, part := range d.Causes() {
		if part.Seconds > most.Seconds {
			most = part
		}
	}
	return most
}

// Gain is the saving of rescheduling, in seconds.
type Gain struct {
	Calls, Moving, Moves int
	// Known reports whether the time without calls and moves is known; Estimated, whether
	// it is estimated from the times of supersteps. Otherwise it was computed.
	Known, Estimated bool
	Without          float64 // the run without calls and moves
	Error            float64 // of Without, to either side
	Saved            float64 // Without less the time of the run: costs are paid
	Cost             float64 // of calls and moves
	Why              string  // why no process moved, if the run had no moves
}

// noMove matches the recorded reason of a call without moves, with the process that the strategy
// looked at.
var noMove = regexp.MustCompile(`^no move was found that pays(; process \d+: [^;]*)?`)

// gain compares the run with the same work without calls and moves. A run without moves
// has neither a saving nor a loss, only the cost of its calls.
func (v *View) gain() Gain {
	a := v.Account
	c := a.Calls()
	g := Gain{Calls: c.Calls, Moving: c.Moving, Moves: c.Moves, Cost: c.DecideTime + c.MoveTime}
	saving, spent, known := a.Saving()
	switch e := a.Emulation; {
	case c.Moves == 0:
		g.Why = noMove.ReplaceAllString(c.Why, "no move would pay")
		return g
	case e != nil && e.Without > 0:
		g.Known, g.Without, g.Saved = true, e.Without, e.Without-e.With
		return g
	case known:
		g.Saved, g.Error = saving.Gross()-spent, saving.Error
	case c.Judged > 0 && !a.Compared() && !a.Run().Simulated: // in records without that comparison
		g.Saved = c.Realised - g.Cost
	default:
		return g
	}
	g.Estimated, g.Without = true, v.Whole.Elapsed+g.Saved
	g.Known = g.Without > 0
	return g
}

// Lost reports whether the run has taken longer than it would have without calls and moves,
// by more than the estimate's error.
func (g *Gain) Lost() bool { return g.Known && g.Saved < -g.Error && g.Saved < 0 }

// Part returns the part of the time without moves that was saved, negative if it was lost,
// and its error towards 0. It is not known where that error would reach 0, nor where there
// is an estimate without an error.
func (g *Gain) Part() (part, error float64, known bool) {
	if !g.Known || g.Estimated && !(math.Abs(g.Saved) > g.Error && g.Error > 0) {
		return 0, 0, false
	}
	part = ledger.Share(g.Saved, g.Without)
	nearer := g.Without - math.Copysign(g.Error, g.Saved)
	return part, math.Abs(part - ledger.Share(nearer-g.Without+g.Saved, nearer)), true
}

// Doubtful reports whether the saving, with its error, may be 0.
func (g *Gain) Doubtful() bool {
	return g.Known && g.Estimated && g.Error > 0 && math.Abs(g.Saved) <= g.Error
}

// Brought returns the effect of moves, which did names. It alone decides which savings may be
// claimed. of is appended to percentages; if it is empty, the text is short.
func (g *Gain) Brought(did, of string) string {
	verb, by := "saved", ledger.SecondsOf(math.Abs(g.Saved))
	if g.Saved < 0 {
		verb = "lost"
	}
	part, error, known := g.Part()
	percentage := ledger.Percent(math.Abs(part)) + of
	if error > 0 {
		percentage = ledger.Percent(math.Abs(part)) + " ± " + ledger.Percent(error) + of
	}
	switch {
	case g.Doubtful() && of == "":
		return fmt.Sprintf("not sure whether %s paid", did)
	case g.Doubtful():
		return fmt.Sprintf("not sure whether %s paid: %s ± %s saved", did, ledger.SecondsOf(g.Saved), ledger.SecondsOf(g.Error))
	case !known:
		return fmt.Sprintf("%s %s about %s", did, verb, by)
	case of == "":
		return fmt.Sprintf("%s %s %s", did, verb, percentage)
	case g.Estimated:
		by += " ± " + ledger.SecondsOf(g.Error)
	}
	return fmt.Sprintf("%s %s %s, %s", did, verb, by, percentage)
}

// explained is the part of the elapsed time that may be unexplained without a word.
const explained = 0.10

// Unexplained names the main part of the unexplained time, "" if all of it is less than a
// tenth of the run: time outside of supersteps, calls and moves, or ends of supersteps
// longer than h*g and l.
func (v *View) Unexplained() string {
	d, t, s := v.Budget(), &v.Whole, &v.Whole.Step
	if d.Unexplained < explained*d.Elapsed {
		return ""
	}
	inside := s.Total.Seconds()
	outside := d.Elapsed - inside - t.DecideTime - t.MoveTime
	ends := inside - (s.WorkMax + s.Lost).Seconds() - d.Transfer - d.Latency
	why, most := "", max(outside, ends)
	switch late := inside - (s.WorkMax + s.Lost + s.Comm).Seconds(); {
	case most == outside:
		why = "passed outside of supersteps: for the account, checkpoints and the end of the run"
	case v.Account.Machine == nil:
		why = "is what ends of supersteps took; g and l are not known"
	case late > ends/2:
		why = "passed between the end of supersteps on the first rank and the begin of the next one's work on the slowest: it had no core, or waited for bytes longer than others"
	case s.Left() == 0:
		why = "is what ends of supersteps took beyond l, with nothing sent: a rank had no core, or the system had another one in hand"
	default:
		why = "is what ends of supersteps took beyond h g and l: others used the network or the cores"
	}
	return fmt.Sprintf("unexplained: %s of it %s", ledger.SecondsOf(most), why)
}

// Predictions describes the predictions of load by rescheduling calls, if the program predicts its
// loads; "" otherwise.
func (v *View) Predictions() string {
	c := v.Account.Calls()
	if c.Told == 0 {
		return ""
	}
	n := float64(c.Told)
	return fmt.Sprintf("Predicted by the loads that the program tells in %d of %s: these were off by %s of the work on average, the past by %s.",
		c.ByTold, ledger.Count(c.Calls, "call"), ledger.Percent(c.ToldError/n), ledger.Percent(c.PastError/n))
}

// Drained lists the hosts that the run is keeping empty, or returns "".
func (v *View) Drained() string {
	var texts []string
	for _, d := range v.Account.Drained() {
		texts = append(texts, d.Host+strings.TrimPrefix(d.String(), d.Host+" is drained"))
	}
	return strings.Join(texts, "; ")
}

// clock labels times that are not this machine's.
func (v *View) Clock() string {
	if clock := v.Account.Run().Clock(); clock != "" {
		return " (" + strings.ToLower(clock) + ")"
	}
	return ""
}

// On names the platform of times that are not this machine's, "" if it has no name.
func (v *View) On() string { return Base(v.Account.Run().Platform) }

// Base returns the name of a file without where it is.
func Base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// Facts returns a name and a value for each thing that heads a whole report.
func (v *View) Facts() []ledger.Detail {
	run, r := v.Account.Run(), cmp.Or(v.Account.Result, &ledger.Result{})
	facts := []ledger.Detail{{Name: "Size", Value: r.Size}, {Name: "Processes", Value: fmt.Sprint(run.Procs)},
		{Name: "Supersteps", Value: fmt.Sprint(v.Whole.Step.Count)}, {Name: "Ranks", Value: fmt.Sprint(len(run.Ranks)) + v.InSets()}}
	add := func(name, value string) { facts = append(facts, ledger.Detail{Name: name, Value: value}) }
	if r.Seconds > 0 {
		add("Time in seconds", PlainSeconds(r.Seconds)+v.Clock())
	}
	add("Elapsed seconds", PlainSeconds(v.Whole.Elapsed)+v.Clock())
	if rate, unit := Rate(r, 1); unit != "" {
		add(unit+" total", rate)
		rate, unit = Rate(r, len(run.Ranks))
		add(unit+" per rank", rate)
	}
	add("Balancing", run.Strategy)
	add("Start", run.Start())
	if run.Job != "" {
		add("Job", run.Job)
	}
	facts = append(facts, r.Details...)
	verified := "SUCCESSFUL"
	switch {
	case len(r.Checks) == 0:
		verified = "not performed"
	case !r.Passed():
		verified = "UNSUCCESSFUL"
	case r.Verdict() != "PASSED":
		verified = r.Verdict()
	}
	add("Verification", verified)
	return facts
}

// InSets names the Sets of the ranks, or returns "" if the run has a single Set.
func (v *View) InSets() string {
	run := v.Account.Run()
	if len(run.Sets) < 2 {
		return ""
	}
	count := make([]int, len(run.Sets))
	for _, rank := range run.Ranks {
		count[rank.Set]++
	}
	var parts []string
	for set, n := range count[:min(4, len(count))] {
		parts = append(parts, fmt.Sprintf("%s %d", run.Sets[set].Name, n))
	}
	if more := len(count) - 4; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf(" in %d Sets (%s)", len(count), strings.Join(parts, ", "))
}

// Rate returns the work per second of each of a number of parts, and its unit; the unit is
// "" if the rate is not known.
func Rate(r *ledger.Result, parts int) (value, unit string) {
	if !(r.Seconds > 0) || !(r.Work > 0) {
		return "", ""
	}
	x, prefix := Scaled(r.Work/r.Seconds/float64(parts), 1000)
	return fmt.Sprintf("%.4g", x), prefix + r.Unit + "/s"
}

// Scaled returns a number below the limit, and the prefix of its unit.
func Scaled(x, limit float64) (float64, string) {
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T", "P"} {
		if x < limit {
			break
		}
		x, prefix = x/1000, p
	}
	return x, prefix
}

// PlainSeconds prints seconds without a unit, with four digits or more.
func PlainSeconds(x float64) string {
	if math.Abs(x) >= 9999.5 && math.Abs(x) < 1e12 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}
