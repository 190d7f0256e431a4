package sim

import "testing"

// FuzzSpecs reads workloads and bags by any figures.
func FuzzSpecs(f *testing.F) {
	f.Add("lu:n=2000,p=50")
	f.Add("bag:n=10000,flops=5e8,kb=1,tail=1.5")
	for _, k := range kinds {
		f.Add(k.name)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if w, err := ParseWorkload(text); err == nil && (w.Processes() < 1 || w.Steps() < 1) {
			t.Errorf("%q has %d processes and %d supersteps", text, w.Processes(), w.Steps())
		}
		ParseBag(text)
	})
}
