package tell

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// short is a time, in seconds, too short to judge a machine by.
const short = 0.05

// next returns at most two pieces of advice to make the next run faster. Advice proposes a
// setting that this run did not have, and never contradicts the run's figures.
func (v *View) next() []string {
	t, run := &v.Whole, v.Account.Run()
	switch {
	case v.Wrong:
		return []string{"do not use this result: a check has failed"}
	case t.Step.Count == 0 || t.Elapsed == 0:
		return nil
	}
	var all []string
	say := func(text string) {
		if text != "" {
			all = append(all, text)
		}
	}
	idle := v.idleHosts()
	if run.Clock() == "" && t.Elapsed < short {
		say(idle)
		say(fmt.Sprintf("run too short to judge (%s): try a larger problem", ledger.SecondsOf(t.Elapsed)))
		return all
	}
	limit, _, _ := strings.Cut(v.Limit.Name, " in Sets")
	possible := ledger.Share(max(0, t.Step.WorkMax-t.Step.Least).Seconds(), t.Elapsed)
	alone := ""
	switch {
	case limit == "transfer" && v.largestLoss().Name != "CPU not granted":
		alone = v.alone(1 - advisedGain)
	case limit == "capacity" || limit == "transfer":
		// Other hosts yield less than the cost of exchanges with them, for any balance of work.
		alone = v.alone(1 - advisedGain - possible)
	}
	balanceOff := v.balanceOff()
	say(alone)
	say(balanceOff)
	say(idle)
	ranks := len(v.available())
	busy, _ := v.used()
	uneven := limit != "" && run.Strategy == "off" && run.Procs > ranks && possible >= advisedGain
	if uneven {
		say(v.balanceAuto(possible))
	}
	switch {
	case limit == "":
		if len(all) == 0 {
			say(fmt.Sprintf("nothing has to be done: the efficiency is acceptable (POP asks for %.2f)", ledger.Acceptable))
		}
	case limit == "transfer":
		if alone == "" {
			say(v.lessTransfer())
		}
	case limit == "capacity":
		say(v.moreCapacity())
	case run.Procs < ranks:
		if idle == "" {
			say(fmt.Sprintf("%d of %s have no process: more processes (-procs %d)", ranks-run.Procs, ledger.Count(ranks, "rank"), 4*ranks))
		}
	case run.Procs == ranks && len(busy) == ranks:
		text := "each rank has one process: with more (-procs %d) some can move"
		if strings.HasPrefix(run.Strategy, "off") {
			text = "each rank has one process: with more (-procs %d) and -balance auto some can move"
		}
		say(fmt.Sprintf(text, 4*ranks))
	case possible < 0.05:
		say(fmt.Sprintf("one process limits the others, wherever it runs: more, smaller ones (-procs %d)", 2*run.Procs))
	case limit == "serialisation":
		say(fmt.Sprintf("processes of more kinds on each rank: more of them, dealt out in turn (-procs %d)", 2*run.Procs))
	case run.Strategy == "off":
		if !uneven {
			say(v.balanceAuto(possible))
		}
	case idle != "" || balanceOff != "":
		// The time left to even out counts hosts that the run has left because exchanges with
		// them took longer, and no longer run is advised where moves did not pay.
	default:
		say(fmt.Sprintf("%s of the time is left to even out%s; a longer run leaves time for moves", ledger.Percent(possible), v.shortened()))
	}
	return all[:min(2, len(all))]
}

// balanceOff advises against rescheduling if moves lost time, or if calls without moves
// took much of it. It returns "" if rescheduling is off, or if processes moved because a
// host is drained: the strategy did not choose these moves.
func (v *View) balanceOff() string {
	g := &v.Gain
	switch {
	case v.drainMoved() || strings.HasPrefix(v.Account.Run().Strategy, "off"):
		return ""
	case g.Lost():
		return "-balance off: on this load moves cost more than they saved"
	case g.Moves == 0 && g.Cost >= advisedGain*v.Whole.Elapsed:
		return fmt.Sprintf("-balance off: calls took %s of the time and moved nothing", ledger.Percent(ledger.Share(g.Cost, v.Whole.Elapsed)))
	}
	return ""
}

// available returns the ranks on hosts that are not drained.
func (v *View) available() (ranks []int) {
	for rank, is := range v.Account.Run().Ranks {
		if !slices.ContainsFunc(v.Account.Drained(), func(d ledger.Drain) bool { return d.Host == is.Host }) {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// drainMoved reports whether processes moved because a host is drained: the strategy is not
// to blame for the cost of these moves.
func (v *View) drainMoved() bool {
	return slices.ContainsFunc(v.Account.Drained(), func(d ledger.Drain) bool { return d.Left > 0 })
}

// used returns the ranks that have processes now, and their hosts.
func (v *View) used() (ranks map[int]bool, hosts map[string]bool) {
	ranks, hosts = make(map[int]bool), make(map[string]bool)
	for _, rank := range v.Account.Where() {
		if int(rank) < len(v.Account.Run().Ranks) {
			ranks[int(rank)], hosts[v.Account.Run().Ranks[rank].Host] = true, true
		}
	}
	return ranks, hosts
}

// onHosts reports whether the ranks that processes may be on are on several hosts.
func (v *View) onHosts() bool {
	ranks, is := v.available(), v.Account.Run().Ranks
	return slices.ContainsFunc(ranks, func(rank int) bool { return is[rank].Host != is[ranks[0]].Host })
}

// advisedGain is the part of the time that a run on one host, or moves, must save to be advised
// before all else.
const advisedGain = 0.1

// alone names the host that would do all the work in the least time by itself, with an
// estimate of that time: the CPU time of all processes at the speed of the host's cores,
// without messages or barriers between hosts. It returns "" if that takes more than this part
// of the time, or if all processes are on one host already.
//
// It assumes that work takes as long on any core of equal speed. The memory of the host is
// not known here and may be too small.
func (v *View) alone(most float64) string {
	type place struct{ cores, most, speed float64 }
	work, places := 0.0, make(map[string]place)
	given := v.Account.Capacity().Ranks
	for _, rank := range v.available() {
		is := &v.Account.Run().Ranks[rank]
		p, ran, share := places[is.Host], 0.0, 1.0
		if rank < len(v.Whole.Step.Work) {
			ran = v.Whole.Step.Work[rank].Seconds()
		}
		if rank < len(given) {
			c := &given[rank]
			ran, share, p.most = c.CPU, c.Share, max(p.most, c.Cores)
		}
		work += ran * is.Speed
		p.cores, p.speed = p.cores+share, max(p.speed, is.Speed)
		places[is.Host] = p
	}
	if _, hosts := v.used(); len(hosts) < 2 {
		return ""
	}
	host, seconds := "", math.Inf(1)
	for _, name := range slices.Sorted(maps.Keys(places)) {
		p := places[name]
		if p.most > 0 {
			p.cores = min(p.cores, p.most)
		}
		if took := work / (p.cores * p.speed); took < seconds {
			host, seconds = name, took
		}
	}
	if !(seconds < most*v.Whole.Elapsed) {
		return ""
	}
	return fmt.Sprintf("on %s alone this would take about %s: fewer hosts, or a larger problem", host, ledger.SecondsOf(seconds))
}

// balanceAuto advises a run without moves to make some, which can even out this part of the time.
func (v *View) balanceAuto(possible float64) string {
	return fmt.Sprintf("-balance auto: moves can even out %s of the time%s", ledger.Percent(possible), v.shortened())
}

// shortened returns the part of the time that exchanges between hosts take. Moves may shorten it;
// by how much is not known before a run. It is "" if that part is small or the run has a single
// host.
func (v *View) shortened() string {
	t := &v.Whole
	exchanged := ledger.Share(max(0, t.Elapsed-t.DecideTime-t.MoveTime-t.Step.WorkMax.Seconds()), t.Elapsed)
	if !v.onHosts() || exchanged < advisedGain {
		return ""
	}
	return fmt.Sprintf(", and shorten the %s that exchanges take", ledger.Percent(exchanged))
}

// lessTransfer advises on the largest part of the time that is not work; "" if balanceOff
// has advised on it.
func (v *View) lessTransfer() string {
	switch v.largestLoss().Name {
	case "CPU not granted":
		return v.moreCapacity()
	case "h g":
		// At least two processes for each rank, or none could move.
		if fewer := v.Account.Run().Procs / 2; fewer >= 2*len(v.available()) {
			return fmt.Sprintf("communication-bound: fewer processes on each rank send less (-procs %d)", fewer)
		}
		return "communication-bound: " + v.larger()
	case "S l":
		return "bound by barriers: " + v.larger()
	case "rescheduling", "migration":
		if v.balanceOff() != "" {
			return ""
		}
		return "a longer run: calls and moves come at its begin and pay later"
	}
	return cmp.Or(v.Unexplained(), "what is unexplained is neither work nor what g and l predict: -table full")
}

// larger advises on more work for each rank. If several hosts or ranks have processes, it also
// proposes fewer of them.
func (v *View) larger() string {
	switch ranks, hosts := v.used(); {
	case len(hosts) > 1:
		return "a larger problem, or fewer hosts"
	case len(ranks) > 1:
		return "a larger problem, or fewer ranks"
	}
	return "a larger problem"
}

// working returns the CPU that was given to the ranks that advice can be about: ranks that
// have processes now and whose hosts are not drained. Other ranks have zeros.
func (v *View) working() ledger.Capacity {
	has, _ := v.used()
	given := v.Account.Capacity().Ranks
	c := ledger.Capacity{Ranks: make([]ledger.RankCapacity, len(given))}
	for _, rank := range v.available() {
		if has[rank] && rank < len(given) {
			c.Ranks[rank] = given[rank]
		}
	}
	return c
}

// moreCapacity advises on the main cause for which CPU was not granted where processes are
// now.
func (v *View) moreCapacity() string {
	now, all := v.working(), v.Account.Capacity()
	left, ever := now.Causes(), all.Causes()
	if ever.Sum() > 0 && left.Sum() < ever.Sum()/2 {
		return "most of what was not granted was so on hosts that the run has left"
	}
	cause := mainCause(&now).Name
	p := v.crowded(&now, cause)
	have := ledger.Count(p.ranks, "rank") + " on " + p.host
	get, fewer := "get", "fewer ranks there"
	if p.ranks == 1 {
		get, fewer = "gets", "another host"
	}
	switch {
	case cause == "ranks sharing cores" && p.ranks > 1:
		return fmt.Sprintf("%s share %s: fewer ranks do the same", have, coresText(p.cores))
	case cause == "quota":
		return fmt.Sprintf("a quota grants %s to %s: ask for more, or %s", coresText(p.cores), have, fewer)
	case cause == "steal", cause == "other programs", cause == "ranks sharing cores":
		return fmt.Sprintf("%s %s %s: whole nodes (--exclusive), or %s", have, get, coresText(p.got), fewer)
	case cause == "waiting in work":
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
	if cores < 9.95 {
		return fmt.Sprintf("%.2g cores", cores)
	}
	return fmt.Sprintf("%.0f cores", cores)
}

// crowd is the ranks of a host: the cores that they may use together, as known at the start
// of the run, and the cores that they got.
type crowd struct {
	host       string
	ranks      int
	cores, got float64
	given      ledger.Capacity // of its ranks alone
}

// crowded returns the host that gives each of its ranks least, of those where this cause costs
// most, or of all where it comes second on each of them.
func (v *View) crowded(now *ledger.Capacity, cause string) crowd {
	var all []crowd
	for rank := range now.Ranks {
		r := &now.Ranks[rank]
		if rank >= len(v.Account.Run().Ranks) || r.Elapsed == 0 {
			continue
		}
		name := v.Account.Run().Ranks[rank].Host
		i := slices.IndexFunc(all, func(p crowd) bool { return p.host == name })
		if i < 0 {
			i = len(all)
			all = append(all, crowd{host: name})
		}
		all[i].ranks++
		all[i].got += r.Share
		all[i].cores = max(all[i].cores, r.Cores)
		all[i].given.Ranks = append(all[i].given.Ranks, *r)
	}
	if by := slices.DeleteFunc(slices.Clone(all), func(p crowd) bool { return mainCause(&p.given).Name != cause }); len(by) > 0 {
		all = by
	}
	var least crowd
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

// idleHosts returns the number of hosts without a process at the end, and how much larger
// the work would have to be for all hosts to pay. Drained hosts do not count. It returns ""
// if no other host is idle.
func (v *View) idleHosts() string {
	_, busy := v.used()
	hosts := maps.Clone(busy)
	for _, rank := range v.available() {
		hosts[v.Account.Run().Ranks[rank].Host] = true
	}
	all, used := len(hosts), len(busy)
	if used == all || used == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s idle", all-used, ledger.Count(all, "host"))
	if v.Account.Run().Procs < all {
		return text + fmt.Sprintf(": -procs %d or more use all", all)
	}
	factor := v.worksForAll()
	if !(factor > 1) || factor > 1e4 {
		return text
	}
	return fmt.Sprintf("this size is faster on %d of %s: all pay from about %s times the work per superstep on", used, ledger.Count(all, "host"), twoDigits(factor))
}

// twoDigits returns a number from 1 on with two digits, and zeros where it is larger than these.
func twoDigits(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.2g", x)
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return fmt.Sprintf("%.0f", math.Round(x/unit)*unit)
}

// worksForAll estimates the factor by which the work of a superstep must grow before the ranks that
// processes have left pay, if communication does not change. It compares the time of supersteps
// apart from work before the first move and after it. It returns 0 if too little is known.
func (v *View) worksForAll() float64 {
	b, t := v.Account.Before(), &v.Whole
	if b == nil || b.Step.Count == 0 || t.Step.Count <= b.Step.Count {
		return 0
	}
	beside := func(elapsed, work, calls float64, count int) float64 {
		return (elapsed - work - calls) / float64(count)
	}
	all := beside(b.Elapsed, b.Step.WorkMax.Seconds(), b.DecideTime+b.MoveTime, b.Step.Count)
	few := beside(t.Elapsed-b.Elapsed, (t.Step.WorkMax - b.Step.WorkMax).Seconds(), t.DecideTime+t.MoveTime-b.DecideTime-b.MoveTime, t.Step.Count-b.Step.Count)
	used, _ := v.used()
	available := v.available()
	work, every, left := 0.0, 0.0, 0.0
	for rank, w := range t.Step.Work {
		if rank >= len(v.Account.Run().Ranks) {
			return 0
		}
		speed := v.Account.Run().Ranks[rank].Speed
		work += w.Seconds() * speed
		if slices.Contains(available, rank) {
			every += speed
		}
		if used[rank] {
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
