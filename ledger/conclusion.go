package ledger

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Conclusion is what a reader of a run should know first. The end of a run, its page, the
// line for a job's comment and the index of runs all say this, in different lengths.
type Conclusion struct {
	Title   string // what ran, with its size
	Ended   bool
	Code    int    // exit code
	Reason  string // what ended it, "" if it came to its end
	Wrong   bool   // the result has not passed its checks
	Elapsed float64
	Clock   string // as Run.Clock
	Steps   int

	Efficiency float64 // parallel; 0 if nothing is known
	Limit      Limit
	Gain       Gain
	Next       []string // what to do, the most promising first
}

// Limit is the factor that costs most of the parallel efficiency.
type Limit struct {
	Name  string // "" where nothing limits
	Value float64
	Why   string
}

// Gain is what rescheduling has brought, in seconds.
type Gain struct {
	Calls, Moving, Moves int
	// Known reports whether there is a time without calls and moves to compare with;
	// Estimated, that it follows from what supersteps took. Otherwise it was computed.
	Known, Estimated bool
	Without          float64 // the run without calls and moves
	Error            float64 // of Without, to either side
	Saved            float64 // Without less the time of the run: costs are paid
	Cost             float64 // of calls and moves
	Why              string  // nothing moved, of a run in which nothing did
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
	part = share(g.Saved, g.Without)
	nearer := g.Without - math.Copysign(g.Error, g.Saved)
	return part, math.Abs(part - share(nearer-g.Without+g.Saved, nearer)), true
}

// Doubtful reports whether the error of what was saved reaches 0.
func (g *Gain) Doubtful() bool {
	return g.Known && g.Estimated && g.Error > 0 && math.Abs(g.Saved) <= g.Error
}

// brought says what has become of moves, which did names. It is the one place that decides
// what may be said of a saving: of is what follows a part of the time, "" for few words.
func (g *Gain) brought(did, of string) string {
	verb, by := "saved", math.Abs(g.Saved)
	if g.Saved < 0 {
		verb = "lost"
	}
	part, error, known := g.Part()
	percentage := percent(math.Abs(part)) + of
	if error > 0 {
		percentage = percent(math.Abs(part)) + " ± " + percent(error) + of
	}
	switch {
	case g.Doubtful() && of == "":
		return fmt.Sprintf("not sure whether %s paid", did)
	case g.Doubtful():
		return fmt.Sprintf("not sure whether %s paid: %s ± %s saved", did, secondsText(g.Saved), secondsText(g.Error))
	case !known:
		return fmt.Sprintf("%s %s about %s", did, verb, secondsText(by))
	case of == "":
		return fmt.Sprintf("%s %s %s", did, verb, percentage)
	case g.Estimated:
		return fmt.Sprintf("%s %s %s ± %s, %s", did, verb, secondsText(by), secondsText(g.Error), percentage)
	}
	return fmt.Sprintf("%s %s %s, %s", did, verb, secondsText(by), percentage)
}

// Conclude draws the conclusions. end is nil if the run has not ended.
func (a *Account) Conclude(end *End) *Conclusion {
	t := a.Whole()
	c := &Conclusion{Title: a.title(), Elapsed: t.Elapsed, Clock: a.Run.Clock(), Steps: t.Step.Count, Gain: a.gain(&t)}
	if r := a.Result; r != nil {
		if r.Size != "" {
			c.Title += " (" + r.Size + ")"
		}
		c.Wrong = len(r.Checks) > 0 && !r.Passed()
	}
	if end != nil {
		c.Ended, c.Code, c.Reason = true, end.Code, strings.TrimSpace(end.Reason)
	}
	if t.Step.Count > 0 && t.Elapsed > 0 {
		e := a.Efficiency(&t)
		c.Efficiency = e.Parallel
		c.Limit = a.limit(&t, &e)
	}
	c.Next = a.next(c, &t)
	return c
}

// gain compares the run with the same work without calls and moves.
func (a *Account) gain(t *Totals) Gain {
	c := &a.calls
	g := Gain{Calls: c.count, Moving: c.moving, Moves: c.moves, Cost: c.took + c.moved}
	if c.moves == 0 {
		g.Why = c.why
	}
	saving, spent, known := a.Saving()
	switch e := a.Emulation; {
	case c.count == 0:
	case e != nil && e.Without > 0:
		g.Known, g.Without, g.Saved = true, e.Without, e.Without-e.With
	case known:
		g.Known, g.Estimated = true, true
		g.Saved, g.Error = saving.Gross()-spent, saving.Error
		g.Without = t.Elapsed + g.Saved
		g.Known = g.Without > 0
	case c.judged > 0 && a.saving.Step == 0 && !a.Run.Simulated: // in records without that comparison
		g.Known, g.Estimated = true, true
		g.Saved = c.realised - g.Cost
		g.Without = t.Elapsed + g.Saved
		g.Known = g.Without > 0
	}
	return g
}

// limit finds the factor that costs most, unless the efficiency is acceptable.
func (a *Account) limit(t *Totals, e *Efficiency) Limit {
	if e.Parallel >= Acceptable {
		return Limit{}
	}
	inSets := "load balance"
	if len(a.Run.Sets) > 1 {
		inSets += " in Sets"
	}
	all := []Limit{
		{inSets, e.InSets, ""}, {"load balance between Sets", e.BetweenSets, ""},
		{"serialisation", e.Serialisation, "another rank is last each time"}, {"capacity", e.Capacity, a.denial()},
		{"transfer", e.Transfer, ""},
	}
	worst := all[0]
	for _, l := range all {
		if l.Value < worst.Value {
			worst = l
		}
	}
	if worst.Name == "transfer" {
		part := a.largestLoss(t)
		worst.Why = fmt.Sprintf("%.0f%% %s", 100*share(part.Seconds, t.Elapsed), causes[part.Name])
	}
	return worst
}

// causes are the parts of the time budget beside work, behind a share of the time.
var causes = map[string]string{
	"CPU not granted": "without a core",
	"h g":             "sending bytes",
	"S l":             "barriers",
	"rescheduling":    "rescheduling calls",
	"migration":       "moving",
	"unexplained":     "unexplained",
}

// largestLoss returns the largest part of the time budget beside work.
func (a *Account) largestLoss(t *Totals) Part {
	d := a.Budget(t)
	parts := d.Parts()
	most := parts[len(parts)-1]
	for _, part := range parts[1:] {
		if part.Seconds > most.Seconds {
			most = part
		}
	}
	return most
}

// short is a time, in seconds, in which nothing can be learnt of a machine.
const short = 0.05

// next finds what whoever started the run could do to make the next one faster, two things
// at most.
func (a *Account) next(c *Conclusion, t *Totals) []string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	switch {
	case c.Wrong:
		return []string{"do not use this result: a check has failed"}
	case t.Step.Count == 0 || t.Elapsed == 0:
		return nil
	}
	limit, _, _ := strings.Cut(c.Limit.Name, " in Sets")
	alone := ""
	if limit == "transfer" && a.largestLoss(t).Name != "CPU not granted" {
		alone = a.alone(t)
	}
	if alone != "" {
		say("%s", alone)
	}
	if c.Gain.Lost() && !a.drainMoved() && !strings.HasPrefix(a.Run.Strategy, "off") {
		say("-balance off: on this load moves cost more than they saved")
	}
	if text := a.idleHosts(t); text != "" {
		say("%s", text)
	}
	if c.Clock == "" && t.Elapsed < short {
		say("a run of %s says little of the machine: take a larger one", secondsText(t.Elapsed))
		return all[:min(2, len(all))]
	}
	ranks := len(a.available())
	possible := share(max(0, t.Step.WorkMax-t.Step.Least).Seconds(), t.Elapsed)
	switch {
	case limit == "":
		say("nothing has to be done: the efficiency is acceptable (POP asks for %.2f)", Acceptable)
	case limit == "transfer":
		if alone == "" {
			all = append(all, a.lessTransfer(t))
		}
	case limit == "capacity":
		all = append(all, a.moreCapacity())
	case a.Run.Procs == ranks:
		say("each rank has one process: with more (-procs %d) some can move", 4*ranks)
	case possible < 0.05:
		say("one process limits the others, wherever it runs: more, smaller ones (-procs %d)", 2*a.Run.Procs)
	case limit == "serialisation":
		say("processes of more kinds on each rank: more of them, dealt out in turn (-procs %d)", 2*a.Run.Procs)
	case a.Run.Strategy == "off":
		say("-balance auto: moves can even out %s of the time%s", percent(possible), a.shortened(t))
	default:
		say("%s of the time is left to even out%s; a longer run leaves time for moves", percent(possible), a.shortened(t))
	}
	return all[:min(2, len(all))]
}

// onHosts reports whether the ranks that processes may be on are on several hosts.
func (a *Account) onHosts() bool {
	ranks := a.available()
	other := func(rank int) bool { return a.Run.Ranks[rank].Host != a.Run.Ranks[ranks[0]].Host }
	return slices.ContainsFunc(ranks, other)
}

// shortened says what part of the time exchanges between hosts take, which moves may shorten as
// well: how far, only a run can tell. It is "" where they take little or there is one host.
func (a *Account) shortened(t *Totals) string {
	exchanged := share(max(0, t.Elapsed-t.DecideTime-t.MoveTime-t.Step.WorkMax.Seconds()), t.Elapsed)
	if !a.onHosts() || exchanged < aloneGain {
		return ""
	}
	return fmt.Sprintf(", and shorten the %s that exchanges take", percent(exchanged))
}

// lessTransfer advises on the largest part of the time beside work.
func (a *Account) lessTransfer(t *Totals) string {
	hosts, ranks := "ranks", a.available()
	if a.onHosts() {
		hosts = "hosts"
	}
	switch a.largestLoss(t).Name {
	case "CPU not granted":
		return a.moreCapacity()
	case "h g":
		if a.Run.Procs > len(ranks) {
			return fmt.Sprintf("communication-bound: fewer processes per host send less (-procs %d)", max(len(ranks), a.Run.Procs/2))
		}
		return "communication-bound: a larger problem, or fewer " + hosts
	case "S l":
		return "bound by barriers: a larger problem, or fewer " + hosts
	case "rescheduling", "migration":
		return "a longer run: calls and moves come at its begin and pay later"
	}
	return cmp.Or(a.UnexplainedCause(t), "what is unexplained is neither work nor what g and l predict: -table full")
}

// available returns the ranks on hosts that are not drained.
func (a *Account) available() (ranks []int) {
	for rank := range a.Run.Ranks {
		if !slices.ContainsFunc(a.drained, func(d Drain) bool { return d.Host == a.Run.Ranks[rank].Host }) {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// drainMoved reports whether processes moved because a host is drained: what these moves cost
// is no fault of the strategy.
func (a *Account) drainMoved() bool {
	return slices.ContainsFunc(a.drained, func(d Drain) bool { return d.Left > 0 })
}

// working returns what those ranks were given that advice can be of: they have processes now,
// and their hosts are not drained. There is a zero for each other rank.
func (a *Account) working() Capacity {
	has := make(map[int]bool)
	for _, rank := range a.where {
		has[int(rank)] = true
	}
	c := Capacity{Ranks: make([]RankCapacity, len(a.capacity.Ranks))}
	for _, rank := range a.available() {
		if has[rank] && rank < len(c.Ranks) {
			c.Ranks[rank] = a.capacity.Ranks[rank]
		}
	}
	return c
}

// mainCause returns the largest of the causes for which CPU was not granted.
func (c *Capacity) mainCause() Part {
	d := c.causes()
	most := Part{}
	for _, part := range d.Causes() {
		if part.Seconds > most.Seconds {
			most = part
		}
	}
	return most
}

// denial names the main cause for which ranks had work and no processor.
func (a *Account) denial() string {
	if cause := a.capacity.mainCause(); cause.Seconds > 0 {
		return "mostly " + cause.Name
	}
	return "ranks had work and no core"
}

// moreCapacity advises on the main cause for which CPU was not granted where processes are
// now.
func (a *Account) moreCapacity() string {
	now := a.working()
	here, all := now.causes(), a.capacity.causes()
	if all.Sum() > 0 && here.Sum() < all.Sum()/2 {
		return "most of what was not granted was so on hosts that the run has left"
	}
	p := a.crowded(&now)
	have := Count(p.ranks, "rank") + " on " + p.host
	switch now.mainCause().Name {
	case "ranks sharing cores":
		return fmt.Sprintf("%s share %s: fewer ranks do the same", have, coresText(p.cores))
	case "quota":
		return fmt.Sprintf("a quota grants %s to %s: ask for more, or put fewer ranks there", coresText(p.cores), have)
	case "steal", "other programs":
		gets := "get"
		if p.ranks == 1 {
			gets = "gets"
		}
		return fmt.Sprintf("%s %s %s: whole nodes (--exclusive), or fewer ranks there", have, gets, coresText(p.got))
	case "waiting in work":
		return "processes wait or sleep in their work: files, locks, page faults?"
	}
	return "cores did other work: whole nodes (--exclusive), or fewer ranks"
}

func coresText(cores float64) string {
	switch {
	case cores > 0.45 && cores < 0.55:
		return "half a core"
	case cores < 0.95:
		return fmt.Sprintf("%.2g of a core", cores)
	case cores < 1.05:
		return "a core"
	}
	return fmt.Sprintf("%.2g cores", cores)
}

// crowd is the ranks of a host: how many cores they may use together, as they were told when
// the run began, and how many they got of these.
type crowd struct {
	host       string
	ranks      int
	cores, got float64
}

// crowded returns the host that gives each of its ranks least.
func (a *Account) crowded(now *Capacity) crowd {
	var all []crowd
	index := make(map[string]int)
	for rank := range now.Ranks {
		r := &now.Ranks[rank]
		if rank >= len(a.Run.Ranks) || r.Elapsed == 0 {
			continue
		}
		name := a.Run.Ranks[rank].Host
		i, known := index[name]
		if !known {
			i = len(all)
			index[name] = i
			all = append(all, crowd{host: name})
		}
		all[i].ranks++
		all[i].got += r.Share
		all[i].cores = max(all[i].cores, r.Cores)
	}
	least := crowd{host: "this host"}
	for i, p := range all {
		if p.cores > 0 {
			p.got = min(p.got, p.cores)
		} else {
			p.cores = p.got // in records without it
		}
		if i == 0 || p.got/float64(p.ranks) < least.got/float64(least.ranks) {
			least = p
		}
	}
	least.host = cmp.Or(least.host, "this host")
	return least
}

// idleHosts says how many hosts have no process at the end, and how much larger the work
// would have to be for all of them to pay. Hosts that are drained do not count. It returns ""
// if all have some.
func (a *Account) idleHosts(t *Totals) string {
	busy := make(map[string]bool)
	for _, r := range a.Run.Ranks {
		busy[r.Host] = false
	}
	for i := range a.drained {
		delete(busy, a.drained[i].Host)
	}
	for _, rank := range a.where {
		if int(rank) < len(a.Run.Ranks) {
			busy[a.Run.Ranks[rank].Host] = true
		}
	}
	all, used := len(busy), 0
	for _, is := range busy {
		if is {
			used++
		}
	}
	if used == all || used == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s idle", all-used, Count(all, "host"))
	if a.Run.Procs < all {
		return text + fmt.Sprintf(": -procs %d or more use all", all)
	}
	factor := a.worksForAll(t)
	if !(factor > 1) || factor > 1e4 {
		return text
	}
	return fmt.Sprintf("this size is faster on %d of %s: all pay from about %.2g times the work per superstep on", used, Count(all, "host"), factor)
}

// worksForAll estimates by how much the work of a superstep would have to grow for the
// ranks that processes have left to pay, if communication stayed as it is: what a superstep
// takes beside work was measured before the first move and after it. It returns 0 if too
// little is known.
func (a *Account) worksForAll(t *Totals) float64 {
	b := a.before
	if b == nil || b.Step.Count == 0 || t.Step.Count <= b.Step.Count {
		return 0
	}
	beside := func(elapsed, work, calls float64, count int) float64 {
		return (elapsed - work - calls) / float64(count)
	}
	all := beside(b.Elapsed, b.Step.WorkMax.Seconds(), b.DecideTime+b.MoveTime, b.Step.Count)
	few := beside(t.Elapsed-b.Elapsed, (t.Step.WorkMax - b.Step.WorkMax).Seconds(), t.DecideTime+t.MoveTime-b.DecideTime-b.MoveTime, t.Step.Count-b.Step.Count)
	used := make(map[int32]bool)
	for _, rank := range a.where {
		used[rank] = true
	}
	available := a.available()
	work, every, left := 0.0, 0.0, 0.0
	for rank, w := range t.Step.Work {
		if rank >= len(a.Run.Ranks) {
			return 0
		}
		speed := a.Run.Ranks[rank].Speed
		work += w.Seconds() * speed
		if slices.Contains(available, rank) {
			every += speed
		}
		if used[int32(rank)] {
			left += speed
		}
	}
	work /= float64(t.Step.Count)
	slower := work/left - work/every
	if !(slower > 0) || math.IsInf(slower, 0) {
		return 0
	}
	return (all - few) / slower
}
