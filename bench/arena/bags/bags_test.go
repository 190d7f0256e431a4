package bags

import (
	"io"
	"math"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// There are bags of all kinds, and platforms drawn at random are the same for the same number.
func TestGroups(t *testing.T) {
	session := frame.NewSession(t.TempDir(), io.Discard)
	s := &settings{examples: filepath.Join("..", "..", "..", "examples"), drawn: 2}
	groups := must.Get(s.groups(session))(t)
	bags := 0
	for _, g := range groups {
		bags += len(g.cells)
	}
	if want := len(places()) + 2*4*2 + 2*4*2 + 4*3*5*2 + 4; bags != want {
		t.Errorf("%d bags, want %d", bags, want)
	}
	last := groups[len(groups)-1].cells
	for _, c := range last {
		c.specs = []string{"gss", "auto"}
	}
	if err := runAll(t.Context(), last); err != nil || last[1].over("auto") < 1 {
		t.Errorf("%v: %v times the bound", err, last[1].over("auto"))
	}
	a := must.Get(draw(session, 7))(t)
	b, err := draw(session, 7)
	if err != nil || len(a.Hosts) != len(b.Hosts) || a.Hosts[3].Speed != b.Hosts[3].Speed || len(a.Hosts) < 21 {
		t.Errorf("%v: %d hosts, then %d", err, len(a.Hosts), len(b.Hosts))
	}
}

// A claim counts the places that it speaks of, and those where it holds.
func TestClaims(t *testing.T) {
	times := make(curves)
	for _, at := range places() {
		times[at] = map[string]float64{wq: 9, "gss": 3, "factoring": 2, lds5: 1.45, lds2: 1.4}
	}
	for i, want := range []struct{ met, of int }{{2, 5}, {1, 5}, {12, 12}, {0, 12}, {12, 12}, {4, 5}, {3, 5}, {8, 8}, {8, 8}} {
		if met, of := claims[i].count(times); met != want.met || of != want.of {
			t.Errorf("%s: %d of %d, want %d of %d", claims[i].says, met, of, want.met, want.of)
		}
	}
	if n := len(settingsTried()); n != 36 || settingsTried()[0] != plain {
		t.Errorf("%d settings, the first is %v", n, settingsTried()[0])
	}
}

// references are times over the bound that another simulator has found, which was written
// from the same rules, on the same hosts and the real routes to them: tasks, millions of
// operations of each, workers, and the policies in the order of referred.
var references = []struct {
	tasks, mflop, workers int
	over                  []float64
}{
	{1000, 100, 64, []float64{5.71, 2.79, 2.26, 2.05, 2.75}},
	{1000, 1000, 64, []float64{1.23, 2.64, 1.94, 1.23, 1.76}},
	{1000, 1000, 89, []float64{1.15, 3.02, 2.04, 1.71, 1.71}},
	{10000, 100, 89, []float64{7.42, 2.90, 1.97, 1.34, 1.64}},
	{10000, 1000, 64, []float64{1.06, 2.55, 1.89, 1.10, 1.05}},
	{100000, 100, 64, []float64{5.58, 2.57, 1.89, 1.07, 1.04}},
	{100000, 1000, 64, []float64{1.04, 2.55, 1.86, 1.06, 1.03}},
	{100000, 1000, 89, []float64{1.04, 2.85, 1.87, 1.02, 1.04}},
}

// apart are those with 1000 tasks on 64 hosts, where the whole bag is given out before most
// workers of LDS have predicted anything, and the next size counts of one that has not.
func apart(tasks, workers int, spec string) bool {
	return tasks == 1000 && workers == 64 && (spec == lds5 || spec == lds2)
}

var referred = []string{"workqueue", "gss", "factoring", "lds,beta=5", "lds,beta=20"}

// Two simulators that were written from the same rules agree within 1 %.
func TestReferences(t *testing.T) {
	s := &settings{examples: filepath.Join("..", "..", "..", "examples")}
	p := must.Get(s.grid())(t)
	for _, r := range references {
		if testing.Short() && r.tasks > 10000 {
			continue
		}
		c := must.Get(newCell(p, place{r.tasks, r.mflop, r.workers}.load()))(t)
		c.specs = referred
		must.Do(t, runAll(t.Context(), []*cell{c}))
		for i, spec := range referred {
			if got := c.over(spec); math.Abs(got/r.over[i]-1) > 0.01 && !apart(r.tasks, r.workers, spec) {
				t.Errorf("%s, %s: %.3f times the bound, want %.2f", place{r.tasks, r.mflop, r.workers}.load(), spec, got, r.over[i])
			}
		}
	}
}
