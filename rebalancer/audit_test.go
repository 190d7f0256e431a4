package rebalancer

import (
	"math"
	"testing"
)

// A rank that most of its processes have left is done in a burst, at a rate that it could not
// keep up with all of them: what it would have taken follows from the share that it gets. One
// that has at least as much to do as it had shows its rate.
func TestABurstIsNoRate(t *testing.T) {
	const share = 0.25
	p := Platform{Ranks: []Rank{{Speed: 1}, {Speed: 1}}, Sets: []Set{{}}}
	v := View{Platform: &p, Learned: &Learned{Speeds: []float64{1, 1}, Available: []float64{share, 0.9}}, Snapshot: &Snapshot{}}
	v.Audits = []Audit{
		{Rank: 0, Wall: []float32{0.1}, Parts: []HomeWork{{Shadow: 0, Home: 0, Work: []float32{0.1}}}},
		{Rank: 1, Wall: []float32{1}, Parts: []HomeWork{{Shadow: 0, Home: 0, Work: []float32{0.3}}, {Shadow: 0, Home: 1, Work: []float32{0.4}}}},
	}
	if got, want := newAudited(v, 1).shadow[0], 0.4/share; math.Abs(got-want) > 1e-6 {
		t.Errorf("with all processes where they began %.3g s, want %.3g", got, want)
	}
	// All of rank 0 has come back, slower than its share says; of rank 1 nothing has.
	v.Audits = []Audit{{Rank: 0, Wall: []float32{4}, Parts: []HomeWork{{Shadow: 0, Home: 0, Work: []float32{0.4}}, {Shadow: 0, Home: 1, Work: []float32{0.4}}}}}
	if got, want := newAudited(v, 1).shadow[0], 0.4/0.2; math.Abs(got-want) > 1e-6 {
		t.Errorf("with the work of a rank that shows its rate %.3g s, want %.3g", got, want)
	}
}
