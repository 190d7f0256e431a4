package rebalancer

import (
	"math"
	"math/rand/v2"
	"testing"
)

// kinds are supersteps of four processes, by the work of each.
type kinds [][4]float64

// randomKinds returns n random kinds of supersteps, whose durations differ by a factor of up to a
// hundred.
func randomKinds(r *rand.Rand, n int) kinds {
	all := make(kinds, n)
	for i := range all {
		length := math.Pow(10, -2*r.Float64())
		for pid := range all[i] {
			all[i][pid] = length * (0.2 + r.Float64())
		}
	}
	return all
}

// A pattern is a program: it returns a function that gives the processes' work in a superstep, and
// its class.
type pattern func(r *rand.Rand) func(step int) (work [4]float64, class int)

// inTurn is a program that repeats the kinds in order, with the given number of supersteps per stage.
func inTurn(classes int, kinds func(*rand.Rand) kinds) pattern {
	return func(r *rand.Rand) func(int) ([4]float64, int) {
		all := kinds(r)
		return func(step int) ([4]float64, int) { return all[step%len(all)], step % classes }
	}
}

// For any kinds of supersteps in any order, samples give the exact time of all supersteps,
// and their time under another mapping to within the stated error.
func TestSamplesStandForAllSupersteps(t *testing.T) {
	heavy, empty := [4]float64{0.004, 0.008, 0.006, 0.01}, [4]float64{1e-4, 1e-4, 1e-4, 1e-4}
	of := func(k ...[4]float64) func(*rand.Rand) kinds { return func(*rand.Rand) kinds { return k } }
	random := func(n int) func(*rand.Rand) kinds { return func(r *rand.Rand) kinds { return randomKinds(r, n) } }
	for _, c := range []struct {
		name string
		of   pattern
		most float64 // error of the mean, as a part of it
	}{
		{"one kind", inTurn(1, of(heavy)), 0.025},
		{"a heavy and an empty one", inTurn(2, of(heavy, empty)), 0.035},
		{"a heavy and an empty one in stages of their own", inTurn(1, of(heavy, empty)), 0.035},
		{"as long, of other processes", inTurn(2, of([4]float64{0.02, 0.001, 0.001, 0.02}, [4]float64{0.02, 0.02, 0.001, 0.001})), 0.03},
		{"period 3", inTurn(3, random(3)), 0.035},
		{"period 7", inTurn(7, random(7)), 0.035},
		{"period 7 in stages of their own", inTurn(1, random(7)), 0.06},
		{"period 12", inTurn(12, random(12)), 0.04},
		{"period 30", inTurn(30, random(30)), 0.09},
		{"one in 100 is long", func(*rand.Rand) func(int) ([4]float64, int) {
			return func(step int) ([4]float64, int) {
				if step%100 == 37 {
					return [4]float64{0.5, 1.5, 1, 1}, 0
				}
				return heavy, 0
			}
		}, 0.2},
		{"random kinds", func(r *rand.Rand) func(int) ([4]float64, int) {
			all := randomKinds(r, 4)
			return func(int) ([4]float64, int) { return all[r.IntN(len(all))], 0 }
		}, 0.05},
	} {
		const seeds = 100
		squares, all, said, outside := 0.0, 0.0, 0.0, 0
		for seed := range uint64(seeds) {
			r := rand.New(rand.NewPCG(seed, 7))
			steps := 28 + r.IntN(600)
			v, real, shadow := sampledRun(r, steps, c.of(r))
			got := newAudited(v, v.sampled(), speedRange, 0, 0)
			doubt := got.doubt(steps)
			if math.Abs(got.real-real) > 1e-6*real {
				t.Errorf("%s, seed %d: %d supersteps took %.4g s each, by samples %.4g", c.name, seed, steps, real, got.real)
				break
			}
			off := got.start - shadow
			squares, all, said = squares+off*off, all+shadow, said+doubt
			if math.Abs(off) > doubt {
				outside++
			}
		}
		off := math.Sqrt(squares*seeds) / all
		t.Logf("%-48s %4.1f %% off, said %4.1f %%, %d of %d outside", c.name, 100*off, 100*said/all, outside, seeds)
		if off > c.most {
			t.Errorf("%s: where processes began is %.3g of the truth off, at most %.3g expected", c.name, off, c.most)
		}
		if outside > seeds/10 {
			t.Errorf("%s: %d of %d seeds are off by more than said", c.name, outside, seeds)
		}
	}
}

// A few supersteps of a new kind do not cast doubt on all earlier ones.
func TestALateChangeIsNoDoubtOfAll(t *testing.T) {
	said, all := 0.0, 0.0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 7))
		v, _, shadow := sampledRun(r, 34, func(step int) ([4]float64, int) {
			if step >= 31 {
				return [4]float64{0.01, 0.2, 0.01, 0.2}, 0
			}
			return [4]float64{0.02, 0.09, 0.02, 0.01}, 0
		})
		got := newAudited(v, v.sampled(), speedRange, 0, 0)
		said, all = said+got.doubt(34), all+shadow
	}
	if said > 0.15*all {
		t.Errorf("%.3g of what the run would have taken is in doubt, at most 0.15 expected", said/all)
	}
}

// sampledRun returns the view of a call after steps supersteps on two ranks, and the mean time of
// a superstep as it was and with three of the processes on rank 0. Processes' work and ranks'
// speeds vary.
func sampledRun(r *rand.Rand, steps int, next func(step int) ([4]float64, int)) (v View, real, shadow float64) {
	home, where, ones := []int32{0, 0, 0, 1}, []int32{0, 1, 0, 1}, []float64{1, 1}
	a := auditor{start: home}
	a.restart(where, ones)
	var spreads []StepSpread
	for step := range steps {
		work, class := next(step)
		o, speeds := Observation{Class: class}, [2]float64{}
		for rank := range speeds {
			speeds[rank] = math.Exp(r.NormFloat64() / 20)
		}
		var walls, began [2]float64
		for pid, work := range work {
			work *= math.Exp(r.NormFloat64() / 10)
			o.Processes = append(o.Processes, Measure{Pid: pid, Time: work, Span: work / speeds[where[pid]]})
			walls[where[pid]] += work / speeds[where[pid]]
			began[home[pid]] += work / speeds[home[pid]]
		}
		a.observe(&o, where, ones)
		spreads = append(spreads, StepSpread{Steps: 1, Count: len(work), Wall: max(walls[0], walls[1])})
		real += max(walls[0], walls[1]) / float64(steps)
		shadow += max(began[0], began[1]) / float64(steps)
	}
	ranks := []RankState{{Rank: 0, Steps: steps, Elapsed: real * float64(steps)}, {Rank: 1, Steps: steps, Elapsed: real * float64(steps)}}
	return View{
		Platform: &Platform{Ranks: []Rank{{Speed: 1}, {Speed: 1}}, Sets: []Set{{}}}, Learned: &Learned{Speeds: ones, Available: ones},
		Snapshot: &Snapshot{Ranks: ranks, Audits: a.report(ranks), Spreads: spreads},
	}, real, shadow
}
