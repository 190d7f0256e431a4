package rebalancer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/share"
)

// Deciding within Sets.
//
// In a run of very many processes no manager gets to know them all. Each has the reports of its own
// Set, which is its Region, and managers make a call together in three exchanges, each of
// one message from every manager to every other one:
//
//	Opening   how the Set's ranks are, how much work there is, and its processes as classes
//	          (package share); of processes that began in other Sets what these must know to
//	          audit the run
//	Figures   what supersteps take now and took elsewhere, as far as this Set's ranks are
//	          concerned; and, with the work that all now agree should go there, the processes
//	          that leave for another Set, one by one
//	Choice    where the processes of this Set are next, and what supersteps take then
//
// Between the last two a manager looks for a better mapping of its own processes alone. A
// superstep takes as long as the slowest Set's, so figures of Sets are combined by their
// maximum: T = max over s of T(s). Nothing is worth making faster than the others will be:
// the search sees these as one rank more, whose work never leaves it.
//
// Out of the same messages all managers conclude the same decision (Council), with the guard,
// the bank and the pace of any other one. Moves between Sets and within them are carried out, and
// paid for, together.
//
// What is lost beside a decision by one who knows all: swaps of single processes between
// Sets; what ranks send to other Sets in the time of their own links; and what moved
// processes say about speeds, so that such moves are judged by the bank alone. Where a rank
// is drained, a process asks for one or programs tell their loads, managers tell each other
// all reports instead (Region.Whole), and decide as in any other run.
type Region struct {
	council  *Council
	set      int
	ranks    []int   // of the Set
	pids     []int32 // of the processes there
	snapshot Snapshot
	rates    []float64 // by place in ranks
	model    *costModel
	weights  []float64 // of its columns
	report   Report
	leaves   []bool // by place in pids
}

// Council is what all managers come to know at a call, the same of them all.
type Council struct {
	c     *Controller
	pids  [][]int32 // by Set: the processes there
	ranks [][]int   // by Set
	place []int32   // by rank: its place in its Set

	all     []Opening
	view    View // of all ranks and no processes
	flows   []share.Flow
	figures []Figures
	bank    *Bank
	way     float64 // seconds that the way home takes
	home    []Move  // the way home, if it is time for it
}

// Council begins a call that is decided within Sets.
func (c *Controller) Council() *Council {
	l := &Council{c: c, pids: make([][]int32, len(c.platform.Sets)), ranks: make([][]int, len(c.platform.Sets)), place: make([]int32, len(c.platform.Ranks))}
	for rank, is := range c.platform.Ranks {
		l.place[rank] = int32(len(l.ranks[is.Set]))
		l.ranks[is.Set] = append(l.ranks[is.Set], rank)
	}
	for pid, rank := range c.where {
		set := c.platform.Ranks[rank].Set
		l.pids[set] = append(l.pids[set], int32(pid))
	}
	return l
}

// local is a rank's place among those of the Set, -1 if it is in another one.
func (r *Region) local(rank int) int32 {
	if r.council.c.platform.Ranks[rank].Set != r.set {
		return -1
	}
	return r.council.place[rank]
}

// Opening is what the manager of a Set tells the others first.
type Opening struct {
	Set, Step int
	State     RankState // of its ranks together
	Available wire.Runs // of each of them
	Spreads   []StepSpread
	Classes   []int // of the supersteps
	Barriers  float64
	Whole     bool      // the call must be decided by who knows all
	Totals    []float64 // by column of what is predicted: work
	Load      share.Set
}

// Guests are what processes of a Set have to do with one rank of another: those that a shadow
// has there, and messages.
type Guests struct {
	Map, Rank      int       // the mapping: as it is, and then the shadows
	Work           []float32 // by sample of the audits
	Sent, Received int64     // bytes per superstep
	State          int64     // bytes
	Latency        float64   // seconds, of their moves home
}

// Region begins the part of a Set's manager, with the reports of the Set's ranks. barriers is
// that of a Snapshot.
//
// Errors: reports that are not of the Set's ranks and processes, each once.
func (l *Council) Region(set, step int, barriers float64, reports ...Report) (*Region, error) {
	r := &Region{council: l, set: set, ranks: l.ranks[set], pids: l.pids[set]}
	var err error
	if r.report, err = l.whole(r.pids, reports); err != nil {
		return nil, err
	}
	// The Set is a run of its own, of ranks and processes that are counted anew.
	local := r.report
	local.Ranks, local.Processes = slices.Clone(local.Ranks), slices.Clone(local.Processes)
	for i := range local.Ranks {
		at := r.local(local.Ranks[i].Rank)
		if at < 0 {
			return nil, fmt.Errorf("rebalancer: rank %d reports to the manager of Set %d", local.Ranks[i].Rank, set)
		}
		local.Ranks[i].Rank = int(at)
	}
	place := make(map[int]int, len(r.pids))
	for i, pid := range r.pids {
		place[int(pid)] = i
	}
	for i := range local.Processes {
		p := &local.Processes[i]
		p.Rank = int(r.local(p.Rank))
		p.Pid = place[p.Pid]
	}
	slices.SortFunc(local.Processes, func(a, b Process) int { return cmp.Compare(a.Pid, b.Pid) })
	audits := local.Audits
	local.Audits = nil
	if r.snapshot, err = Merge(step, local); err != nil {
		return nil, err
	}
	r.snapshot.Barriers, r.snapshot.Audits = barriers, audits
	r.predict()
	return r, nil
}

// whole puts the reports of some processes together, with those that they leave out.
func (l *Council) whole(pids []int32, reports []Report) (Report, error) {
	c := l.c
	all := Report{}
	if len(reports) == 0 {
		return all, fmt.Errorf("rebalancer: nothing is reported")
	}
	s, err := mergeReports(reports)
	if err != nil {
		return all, err
	}
	all = Report{Ranks: s.Ranks, Processes: s.Processes, Spreads: s.Spreads, Classes: s.Classes, Audits: s.Audits}
	there := make(map[int]bool, len(all.Processes))
	for i := range all.Processes {
		p := &all.Processes[i]
		if p.Pid < 0 || p.Pid >= len(c.where) || p.Rank != int(c.where[p.Pid]) || there[p.Pid] {
			return all, fmt.Errorf("rebalancer: process %d is reported on rank %d", p.Pid, p.Rank)
		}
		there[p.Pid] = true
		c.reports.note(p, all.Classes)
	}
	for _, r := range reports {
		all.Told = append(all.Told, r.Told...)
	}
	for _, pid := range pids {
		if there[int(pid)] {
			continue
		}
		p, known := c.reports.expected(int(pid), all.Classes)
		if !known {
			return all, fmt.Errorf("rebalancer: process %d is not reported, and was not before", pid)
		}
		all.Processes = append(all.Processes, p)
	}
	if len(all.Processes) != len(pids) {
		return all, fmt.Errorf("rebalancer: %d processes are reported, of %d", len(all.Processes), len(pids))
	}
	return all, nil
}

// predict makes the model of the Set's processes on its ranks.
func (r *Region) predict() {
	c := r.council.c
	here := c.platform.Links[r.set][r.set]
	platform := &Platform{Sets: []Set{{}}, Links: [][]Link{{here}}}
	learned := &Learned{Trust: c.last.Learned.Trust}
	for _, rank := range r.ranks {
		is := c.platform.Ranks[rank]
		is.Set = 0
		platform.Ranks = append(platform.Ranks, is)
		if c.platform.Lines != nil {
			platform.Lines = append(platform.Lines, c.platform.Line(rank))
		}
		learned.Speeds = append(learned.Speeds, c.last.Learned.Speeds[rank])
	}
	learned.Available = available(platform, &r.snapshot)
	where := make([]int32, len(r.pids))
	for i, pid := range r.pids {
		where[i] = r.local(int(c.where[pid]))
	}
	// Messages of other Sets have their own figures, and no part in the search.
	s := r.snapshot
	s.Processes = slices.Clone(s.Processes)
	for i := range s.Processes {
		s.Processes[i].Partners = r.within(s.Processes[i].Partners)
	}
	v := View{Platform: platform, Snapshot: &s, Where: where, Rates: rates(&s, learned), Learned: learned, Alpha: c.last.After.Alpha}
	if c.spec.banked() {
		v.Bank = new(Bank)
	}
	r.rates, r.model = v.Rates, newForecastModel(v)
	r.weights = r.model.Trend()
}

// within are those partners that are in the Set, by their places in pids.
func (r *Region) within(partners []Traffic) (in []Traffic) {
	for _, t := range partners {
		if at, is := slices.BinarySearch(r.pids, int32(t.Pid)); is {
			in = append(in, Traffic{Pid: at, Bytes: t.Bytes})
		}
	}
	return in
}

// Processes is how many there are in the Set.
func (r *Region) Processes() int { return len(r.pids) }

// Whole is what a manager tells the others where they must know all: the report of its Set, which
// leaves nothing out.
func (r *Region) Whole() Report { return r.report }

// Open is what the other managers are told first; the guests are by Set.
func (r *Region) Open() (o Opening, guests [][]Guests) {
	o = Opening{
		Set: r.set, Step: r.snapshot.Step, Spreads: r.snapshot.Spreads, Classes: r.snapshot.Classes, Barriers: r.snapshot.Barriers,
		Whole: len(r.report.Told) > 0, Totals: r.model.Totals(),
	}
	for i, s := range r.snapshot.Ranks {
		o.Available = append(o.Available, s.Available)
		o.Whole = o.Whole || s.Drained
		if i == 0 {
			o.State = s
			o.State.Elapsed, o.State.Rank = 0, r.set
		}
		all := &o.State
		all.Steps, all.Remaining = max(all.Steps, s.Steps), min(all.Remaining, s.Remaining)
		all.Recent, all.Called, all.Moved = max(all.Recent, s.Recent), max(all.Called, s.Called), max(all.Moved, s.Moved)
	}
	measured, _ := MeasuredStep(r.snapshot.Ranks)
	o.State.Elapsed = measured * float64(o.State.Steps)
	for i := range r.snapshot.Processes {
		o.Whole = o.Whole || r.snapshot.Processes[i].Request >= 0
	}
	for at, rate := range r.rates {
		o.Load.Rate += rate
		o.Load.Fastest = max(o.Load.Fastest, r.model.Shared.Alone[at])
	}
	r.classify(&o.Load, func(class, at int) {})
	return o, r.guests()
}

// work is what the process in a place has to do in a superstep to come.
func (r *Region) work(at int) (work float64) {
	for c, x := range r.model.Rows[at] {
		work += r.weights[c] * float64(x)
	}
	return work
}

// classify sorts the Set's processes into classes; each is told of those that can move.
func (r *Region) classify(load *share.Set, each func(class, at int)) {
	type key struct{ size, partner int }
	number := make(map[key]int)
	load.Work, load.Classes = 0, nil
	for at := range r.pids {
		p, work := &r.snapshot.Processes[at], r.work(at)
		load.Work += work
		if p.Pinned {
			continue
		}
		partner, most := -1, 0.0
		for _, s := range p.Sets {
			if s.Bytes > most {
				partner, most = s.Set, s.Bytes
			}
		}
		k := key{share.SizeOf(work), partner}
		class, known := number[k]
		if !known {
			class = len(load.Classes)
			number[k] = class
			load.Classes = append(load.Classes, share.Class{Size: k.size, Partner: partner})
		}
		is := &load.Classes[class]
		is.Count, is.Work, is.Bytes = is.Count+1, is.Work+work, is.Bytes+float64(p.State)
		each(class, at)
	}
}

// guests sums up, by Set, what the Set's processes have to do with ranks of others.
func (r *Region) guests() [][]Guests {
	c := r.council.c
	all := make([][]Guests, len(c.platform.Sets))
	number := make(map[[2]int]int)
	of := func(mapping, rank int) *Guests {
		set, key := c.platform.Ranks[rank].Set, [2]int{mapping, rank}
		at, known := number[key]
		if !known {
			at = len(all[set])
			number[key] = at
			all[set] = append(all[set], Guests{Map: mapping, Rank: rank})
		}
		return &all[set][at]
	}
	for mapping, where := range r.council.mappings() {
		for at, pid := range r.pids {
			p, to := &r.snapshot.Processes[at], int(where[pid])
			for _, t := range p.Partners {
				from := int(where[r.pid(t)])
				if from != to && r.local(from) < 0 {
					of(mapping, from).Sent += t.Bytes
				}
				if from != to && r.local(to) < 0 {
					of(mapping, to).Received += t.Bytes
				}
			}
			if r.local(to) < 0 {
				g := of(mapping, to)
				g.State += p.State
				g.Latency += cost.Latency(&c.platform, int(c.where[pid]), to)
			}
		}
	}
	for i := range r.snapshot.Audits {
		for _, part := range r.snapshot.Audits[i].Parts {
			if r.local(part.Home) >= 0 {
				continue
			}
			g := of(1+part.Shadow, part.Home)
			if g.Work == nil {
				g.Work = make([]float32, len(part.Work))
			}
			for s := range min(len(g.Work), len(part.Work)) {
				g.Work[s] += part.Work[s]
			}
		}
	}
	return all
}

// pid is the process of a partner, or process 0 if there is none of that number.
func (r *Region) pid(t Traffic) int {
	if t.Pid < 0 || t.Pid >= len(r.council.c.where) {
		return 0
	}
	return t.Pid
}

// Figures are what the ranks of a Set take in a superstep, and who leaves it.
type Figures struct {
	Set     int
	Seen    []float64 // by superstep that was seen: seconds of its slowest rank
	Longest []float64 // and work of the longest process
	Work    []float64 // and of all
	Before  []float64 // by superstep that is predicted, by weight: seconds of the slowest rank
	Audit   auditSeries
	Traffic []traffic // as it is, and with each shadow
	Known   traffic   // as it is, without what ranks send to other Sets, as in Choice
	Ways    []traffic // to each shadow
	Waits   []float64 // latencies on these ways, of the rank with most
}

// traffic is what messages take on some ranks' own links, and what goes between Sets.
type traffic struct {
	Ranks   float64 // seconds of the busiest rank
	Between []setBytes
}

// setBytes is what goes from one Set to another, or within one.
type setBytes struct {
	From, To int
	Bytes    int64
}

// mappings are the one that is, and the shadows.
func (l *Council) mappings() [][]int32 {
	return append([][]int32{l.c.where}, l.c.auditor.mappings()...)
}
