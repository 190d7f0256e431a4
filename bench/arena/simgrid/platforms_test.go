package simgrid

import "testing"

// The routes of 50 platforms, zones in zones of all kinds, are SimGrid's, and so are the
// times that computing and messages take there.
func testPlatforms(t *testing.T, both *programs) {
	pairs := 0
	for seed := range uint64(50) {
		file, err := write(t.TempDir(), seed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := both.route(t.Context(), file)
		switch {
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case r.refused != nil || r.refusedThere != "":
			t.Errorf("seed %d: refused here: %v, in SimGrid: %q", seed, r.refused, r.refusedThere)
			continue
		case r.differing > 0:
			t.Errorf("seed %d: %d of %d routes differ: %s", seed, r.differing, r.pairs, r.first)
		case r.off() > 1e-6:
			t.Errorf("seed %d: %.9f s, in SimGrid %.9f s", seed, r.ours, r.theirs)
		}
		pairs += r.pairs
	}
	t.Logf("%d routes", pairs)
}
