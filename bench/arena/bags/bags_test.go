package bags

import (
	"io"
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
