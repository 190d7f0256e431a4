package hostfile

import (
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestExamplesAreRight(t *testing.T) {
	ranks := map[string]int{
		"two-sets": 8, "clusters-of-clusters": 16, "grid5000": 16, "laptop": 4, "busy-node": 8,
	}
	paths := must.Get(filepath.Glob("../examples/*.hosts"))(t)
	for _, path := range paths {
		f, err := Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range f.Warnings {
			t.Error(w)
		}
		if !f.Emulated() {
			t.Errorf("%s gives no figures", path)
		}
		name := filepath.Base(path[:len(path)-len(".hosts")])
		if want, ok := ranks[name]; ok && f.Ranks() != want {
			t.Errorf("%s has %d ranks, want %d", path, f.Ranks(), want)
		}
		delete(ranks, name)
	}
	if len(ranks) > 0 {
		t.Errorf("missing are %v", ranks)
	}
}

func TestClustersOfClustersKeepsTheOrderOfThePapers(t *testing.T) {
	f := must.Get(Read("../examples/clusters-of-clusters.hosts"))(t)
	want := []struct {
		name string
		ghz  float64
	}{{"labtec", 1.5}, {"corisco", 1.2}, {"frontal", 1.0}, {"ice", 1.6}, {"aquario", 2.0}}
	if len(f.Sets) != len(want) {
		t.Fatalf("%d Sets, want %d", len(f.Sets), len(want))
	}
	for i, w := range want {
		s := f.Sets[i]
		if got := s.Speed / 0.05; s.Name != w.name || got < w.ghz-1e-9 || got > w.ghz+1e-9 {
			t.Errorf("Set %d is %s with %g GHz, want %s with %g", i, s.Name, got, w.name, w.ghz)
		}
	}
	if got := len(f.Links); got != 10 {
		t.Errorf("%d links, want one for each pair of Sets, 10", got)
	}
}
