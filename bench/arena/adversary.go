package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
)

// The adversary searches for runs in which moving loses, in three classes of runs of 50 supersteps
// and more, by drawing some and changing the worst of them (an evolution with an elite). It
// has access to the load, the platform and the strategy, and in the last class to the mapping
// at each superstep. It uses the seeds for tuning, so that the losses it finds can be fixed.

// class is a class of runs with a promised limit.
type class struct {
	name   string
	limit  float64 // part of the time without moves that a run may lose
	steady bool    // its kinds of loads are
	reacts bool    // its reactions see where processes are
}

var classes = []class{
	{"what was measured goes on", 0.03, steady, false},
	{"loads, hosts and links change", 0.03, !steady, false},
	{"loads turn against the moves", 0.10, steady, true},
}

// has reports whether a duel is of the class.
func (c *class) has(d *duel) bool {
	return kinds[d.kind].steady == c.steady && reactions[d.reaction].sees == c.reacts
}

const (
	generation = 16  // duels that are drawn up together
	elite      = 12  // of the worst, from which others are derived
	fresh      = 0.3 // part of the duels that are newly drawn
	shown      = 5   // of the worst of a class, of different kinds
)

// hunt is the search in a class.
type hunt struct {
	class          *class
	random         *rand.Rand
	drawn, changed fights
	worst          []*fought // descending, each duel once
}

// fights are how many duels were fought, and how many of them lost more than the limit.
type fights struct{ all, over int }

func (f fights) String() string { return fmt.Sprintf("%d of %d", f.over, f.all) }

func newHunts() (all []*hunt) {
	for i := range classes {
		all = append(all, &hunt{class: &classes[i], random: rand.New(rand.NewPCG(uint64(i), 27))})
	}
	return all
}

// generation fights some duels concurrently. The results depend only on earlier generations.
func (h *hunt) generation(ctx context.Context, balance rebalancer.Spec) error {
	var duels [generation]duel
	var by [generation]*fights
	for i := range duels {
		if len(h.worst) == 0 || h.random.Float64() < fresh {
			duels[i], by[i] = drawDuel(h.random, h.class), &h.drawn
		} else {
			at := min(h.random.IntN(len(h.worst)), h.random.IntN(len(h.worst)), elite-1)
			duels[i], by[i] = h.worst[at].duel.mutated(h.random, h.class), &h.changed
		}
	}
	var results [generation]*fought
	if err := frame.AtOnce(ctx, len(duels), func(int) {}, func(ctx context.Context, i int) (err error) {
		results[i], err = duels[i].fight(ctx, balance, nil)
		return err
	}); err != nil {
		return err
	}
	for i, f := range results {
		if f != nil {
			h.take(f, by[i])
		}
	}
	return nil
}

// take enters a duel among the worst. It keeps more than an elite so that several
// kinds are among them.
func (h *hunt) take(f *fought, of *fights) {
	of.all++
	if f.lost() > h.class.limit {
		of.over++
	}
	if slices.ContainsFunc(h.worst, func(o *fought) bool { return o.duel == f.duel }) {
		return
	}
	h.worst = append(h.worst, f)
	slices.SortStableFunc(h.worst, func(a, b *fought) int { return cmp.Compare(b.lost(), a.lost()) })
	kept := make(map[int]int)
	h.worst = slices.DeleteFunc(h.worst, func(o *fought) bool {
		kept[o.duel.kind]++
		return kept[o.duel.kind] > elite/3
	})
	h.worst = h.worst[:min(len(h.worst), 4*elite)]
}

// adversary searches in all classes in turn until the time is over.
func (s *settings) adversary(ctx context.Context, session *frame.Session) error {
	hunts, begun := newHunts(), time.Now()
	for n := 0; time.Since(begun) < s.search; n++ {
		for _, h := range hunts {
			if err := h.generation(ctx, s.spec()); err != nil {
				return err
			}
		}
		if n%10 == 0 {
			session.Progress("generation %d, worst %s, %s and %s", n+1,
				frame.Percent(-hunts[0].most()), frame.Percent(-hunts[1].most()), frame.Percent(-hunts[2].most()))
		}
	}
	session.Print("SIMULATED: all times are those of simulated platforms.")
	session.Table(found(hunts, s.search))
	session.Table(worst(hunts))
	return nil
}

// spec is the strategy that the adversary is against.
func (s *settings) spec() rebalancer.Spec { return s.specs[max(0, s.of(ours))] }

// most returns the loss of the worst duel.
func (h *hunt) most() float64 {
	if len(h.worst) == 0 {
		return 0
	}
	return h.worst[0].lost()
}

// found returns the results of the search in each class.
func found(hunts []*hunt, search time.Duration) frame.Table {
	t := frame.Table{
		Part: "adversary", Title: fmt.Sprintf("Runs that an adversary made in %v so that moving loses, in parts of the time without moves (simulated)", search),
		Header: []string{"runs in which", "limit", "beyond it of those drawn at random", "of those changed to lose more", "worst"}, Text: []int{0},
	}
	for _, h := range hunts {
		t.Add(h.class.name, frame.Percent(-h.class.limit), h.drawn.String(), h.changed.String(), frame.Percent(-h.most()))
	}
	return t
}

// worst are the worst of each class, one of each kind of load. -duel repeats one.
func worst(hunts []*hunt) frame.Table {
	t := frame.Table{Part: "worst", Title: "The worst of each class, one of each kind of load", Header: []string{"duel", "saved", "moves", "without moves"}, Text: []int{0}}
	for _, h := range hunts {
		seen := make(map[int]bool)
		for _, f := range h.worst {
			if !seen[f.duel.kind] && len(seen) < shown && f.lost() > 0 {
				seen[f.duel.kind] = true
				t.Add(f.duel.String(), frame.Percent(-f.lost()), fmt.Sprint(f.moves), seconds(f.without))
			}
		}
	}
	return t
}
