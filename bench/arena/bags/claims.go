package bags

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// The paper's bags: tasks, and workers of its two grids. It has tasks of 100, 500, 1000 and
// 2000 Mflop and interpolates its curves; these are the points that its claims refer to.
var (
	claimTasks   = []int{1000, 10000, 100000}
	claimMflop   = []int{100, 200, 400, 800, 1400, 2000}
	claimWorkers = []int{64, 89}
)

// theirs are the policies that the paper compares. Its work queue uses one of the
// three sizes of chunks, but the paper does not state the size.
var (
	theirs     = []string{"gss", "factoring", "lds,beta=5", "lds,beta=20"}
	queueSizes = []string{"1", "quarter", "static"}
)

// setting holds the parameters that the paper does not specify.
type setting struct {
	queue    string // tasks of work queue's chunks: 1, a quarter of an equal share, all of it
	parallel bool
	order    string // of the workers' first requests
	cost     float64
}

// plain is the setting without further assumptions.
var plain = setting{queue: "1", order: "contiguous"}

func (s setting) String() string {
	var parts []string
	switch s.queue {
	case "1":
		parts = append(parts, "k=1")
	case "quarter":
		parts = append(parts, "k=N/4W")
	case "static":
		parts = append(parts, "k=N/W")
	}
	if s.parallel {
		parts = append(parts, "parallel sends")
	}
	if s.order != "contiguous" {
		parts = append(parts, s.order+" speed")
	}
	if s.cost > 0 {
		parts = append(parts, fmt.Sprintf("a message costs %g s", s.cost))
	}
	return strings.Join(parts, ", ")
}

// settingsTried are all combinations, those that differ least from plain first.
func settingsTried() (all []setting) {
	for _, cost := range []float64{0, 0.1, 1} {
		for _, order := range []string{"contiguous", "descending"} {
			for _, parallel := range []bool{false, true} {
				for _, queue := range queueSizes {
					all = append(all, setting{queue, parallel, order, cost})
				}
			}
		}
	}
	return all
}

// place is a bag of the paper.
type place struct{ tasks, mflop, workers int }

// load is the workload.
func (at place) load() string {
	return fmt.Sprintf("bag:n=%d,flops=%de6,workers=%d", at.tasks, at.mflop, at.workers)
}

// curves are the times of one setting, by policy; work queue's under its own name.
type curves map[place]map[string]float64

// best reports whether a policy is first of the paper's.
func (c curves) best(at place, specs ...string) bool {
	least := math.Inf(1)
	for _, spec := range specs {
		least = min(least, c[at][spec])
	}
	for _, t := range c[at] {
		if t < least*(1-1e-9) {
			return false
		}
	}
	return true
}

// worst reports whether a policy is last.
func (c curves) worst(at place, spec string) bool {
	for _, t := range c[at] {
		if t > c[at][spec]*(1+1e-9) {
			return false
		}
	}
	return true
}

// alike is by how much two times may differ that the paper's plots do not tell apart.
const alike = 0.15

// near reports whether policies take about as long.
func (c curves) near(at place, specs ...string) bool {
	least, most := math.Inf(1), 0.0
	for _, spec := range specs {
		least, most = min(least, c[at][spec]), max(most, c[at][spec])
	}
	return most <= least*(1+alike)
}

// claim is a claim of the paper about its curves, under conditions that a setting meets or not.
type claim struct {
	number int
	says   string
	meets  func(c curves, at place) (condition, met bool)
}

const (
	wq   = "workqueue"
	lds5 = "lds,beta=5"
	lds2 = "lds,beta=20"
)

var claims = []claim{
	{1, "1000 tasks, 64 hosts: GSS best from 100 to about 800 Mflop, above it factoring beats GSS", func(c curves, at place) (bool, bool) {
		if at.tasks != 1000 || at.workers != 64 || at.mflop == 800 {
			return false, false
		}
		return true, at.mflop < 800 && c.best(at, "gss") || at.mflop > 800 && c[at]["factoring"] < c[at]["gss"]
	}},
	{2, "1000 tasks, 90 hosts: the same, with the change at about 1400 Mflop", func(c curves, at place) (bool, bool) {
		if at.tasks != 1000 || at.workers != 89 || at.mflop == 1400 {
			return false, false
		}
		return true, at.mflop < 1400 && c.best(at, "gss") || at.mflop > 1400 && c[at]["factoring"] < c[at]["gss"]
	}},
	{3, "1000 tasks: work queue worst", func(c curves, at place) (bool, bool) {
		return at.tasks == 1000, at.tasks == 1000 && c.worst(at, wq)
	}},
	{3, "1000 tasks: LDS(5) like factoring", func(c curves, at place) (bool, bool) {
		return at.tasks == 1000, at.tasks == 1000 && c.near(at, "factoring", lds5)
	}},
	{4, "10 000 tasks: work queue worst", func(c curves, at place) (bool, bool) {
		return at.tasks == 10000, at.tasks == 10000 && c.worst(at, wq)
	}},
	{5, "10 000 tasks, 64 hosts: GSS, factoring and LDS(5) alike at 100 Mflop, from 400 on LDS(5) and LDS(20) best", func(c curves, at place) (bool, bool) {
		if at.tasks != 10000 || at.workers != 64 || at.mflop == 200 {
			return false, false
		}
		return true, at.mflop == 100 && c.near(at, "gss", "factoring", lds5) || at.mflop >= 400 && c.best(at, lds5, lds2)
	}},
	{6, "10 000 tasks, 90 hosts: GSS best to 200 Mflop, factoring from 200 to 600, LDS above", func(c curves, at place) (bool, bool) {
		if at.tasks != 10000 || at.workers != 89 || at.mflop == 200 {
			return false, false
		}
		return true, at.mflop == 100 && c.best(at, "gss") || at.mflop == 400 && c.best(at, "factoring") || at.mflop > 600 && c.best(at, lds5, lds2)
	}},
	{7, "100 000 tasks: LDS best everywhere", func(c curves, at place) (bool, bool) {
		return at.tasks == 100000, at.tasks == 100000 && c.best(at, lds5, lds2)
	}},
	{7, "100 000 tasks: LDS about 30 % below factoring (20 to 40)", func(c curves, at place) (bool, bool) {
		if at.tasks != 100000 {
			return false, false
		}
		below := 1 - min(c[at][lds5], c[at][lds2])/c[at]["factoring"]
		return true, below >= 0.2 && below <= 0.4
	}},
}

// count returns how many conditions of a claim a setting meets.
func (k *claim) count(c curves) (met, of int) {
	for at := range c {
		if condition, holds := k.meets(c, at); condition {
			of++
			if holds {
				met++
			}
		}
	}
	return met, of
}

// simulateClaims finds the curves of settings.
func (s *settings) simulateClaims(ctx context.Context, session *frame.Session, tried []setting) (map[setting]curves, error) {
	p, err := s.grid()
	if err != nil {
		return nil, err
	}
	all := make(map[setting]curves)
	for n, set := range tried {
		if all[set] != nil {
			continue // with another size of work queue's chunks
		}
		session.Progress("settings %d of %d", n+1, len(tried))
		var cells []*cell
		for _, at := range places() {
			c, err := newCell(p, fmt.Sprintf("%s,cost=%g", at.load(), set.cost))
			if err != nil {
				return nil, err
			}
			c.parallel, c.mapping = set.parallel, set.order
			c.specs = append([]string{wq, fmt.Sprintf("workqueue,k=%d", max(1, at.tasks/(4*at.workers))), "static"}, theirs...)
			cells = append(cells, c)
		}
		if err := runAll(ctx, cells); err != nil {
			return nil, err
		}
		for i, queue := range queueSizes {
			of := set
			of.queue = queue
			all[of] = make(curves)
			for k, at := range places() {
				times := make(map[string]float64)
				for _, spec := range theirs {
					times[spec] = cells[k].times[spec]
				}
				times[wq] = cells[k].times[cells[k].specs[i]]
				all[of][at] = times
			}
		}
	}
	return all, nil
}

// places returns all bags of the paper.
func places() (all []place) {
	for _, tasks := range claimTasks {
		for _, workers := range claimWorkers {
			for _, mflop := range claimMflop {
				if tasks < 100000 || mflop != 200 && mflop != 1400 { // where nothing changes any more
					all = append(all, place{tasks, mflop, workers})
				}
			}
		}
	}
	return all
}

func claimsPart(ctx context.Context, s *settings, session *frame.Session) error {
	tried := settingsTried()
	all, err := s.simulateClaims(ctx, session, tried)
	if err != nil {
		return err
	}
	t := frame.Table{
		Part: "claims", Title: fmt.Sprintf("The paper's claims: conditions met, of those that they are made of, by setting (%d tried)", len(tried)),
		Header: []string{"", "claim", plain.String(), setting{queue: "static", order: plain.order}.String(), "best", "settings as good", "the plainest of them"}, Text: []int{0, 1, 6},
		Notes: []string{
			"k: tasks of a chunk of work queue. Where nothing else is said the master sends one chunk after the other, workers ask in the order of the file, and a message costs the master no more than its way takes.",
			fmt.Sprintf("Alike are times that differ by at most %.0f %%.", 100*alike),
		},
	}
	for i := range claims {
		k := &claims[i]
		most, as, first := -1, 0, setting{}
		for _, set := range tried {
			met, _ := k.count(all[set])
			switch {
			case met > most:
				most, as, first = met, 1, set
			case met == most:
				as++
			}
		}
		met, of := k.count(all[plain])
		static, _ := k.count(all[setting{queue: "static", order: plain.order}])
		t.Add(fmt.Sprint(k.number), k.says, ratio(met, of), ratio(static, of), ratio(most, of), fmt.Sprint(as), first.String())
		session.Record(fmt.Sprintf("claim %d", k.number), "conditions met, plainly", "", float64(met)/float64(of))
	}
	session.Table(t)
	return nil
}

func ratio(met, of int) string { return fmt.Sprintf("%d of %d", met, of) }
