package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// The saving reported by auto has the sign of the actual one, and its stated error is right:
// as reported at the last call, for all kinds of loads, compared with the same run without moves.
func TestSavedIsTrue(t *testing.T) {
	auto := must.Get(rebalancer.Parse("auto"))(t)
	all := make([]*judged, len(kinds)*len(platforms))
	must.Do(t, frame.AtOnce(t.Context(), len(all), func(int) {}, func(ctx context.Context, i int) (err error) {
		kind := i / len(platforms)
		all[i], err = judge(ctx, &duel{kind: kind, platform: i % len(platforms), seed: uint64(kind + 1)}, auto)
		return err
	}))
	all = slices.DeleteFunc(all, func(j *judged) bool { return j == nil })
	within, signs, wrong := 0, 0, 0
	for _, j := range all {
		if math.Abs(j.said-j.saved) <= j.doubt+0.01*j.took {
			within++
		}
		if math.Abs(j.saved) > 0.03*j.took {
			signs++
			if j.said*j.saved < 0 {
				wrong++
			}
		}
	}
	t.Logf("%d runs: %d within the error or 1 %% of the time; of %d that differ by 3 %% %d have the wrong sign", len(all), within, signs, wrong)
	if len(all) < 55 || within < len(all)*8/10 || wrong > signs/30 {
		t.Errorf("%d runs: %d within the error, %d of %d with the wrong sign", len(all), within, wrong, signs)
	}
}

// Hosts that are not as fast as declared are found out by the processes that move, before anything is lost that
// keeps others from moving.
func TestWrongSpeedsAreFoundOut(t *testing.T) {
	auto := must.Get(rebalancer.Parse("auto"))(t)
	wrong := slices.IndexFunc(kinds, func(k kind) bool { return k.name == "declared wrong" })
	for platform, least := range map[string]float64{"equal": 0.05, "clusters": 0.2} {
		at := slices.IndexFunc(platforms, func(f family) bool { return f.name == platform })
		for seed := range uint64(4) {
			e := must.Get(draw(wrong, at, seed+1))(t)
			var times [2]float64
			for i, spec := range []rebalancer.Spec{auto, {}} {
				e.config.Balance = spec
				r := must.Get(sim.Run(t.Context(), &e.config, sim.Report{}))(t)
				times[i] = r.Time
			}
			if saved := 1 - times[0]/times[1]; saved < least {
				t.Errorf("%s: %.1f%% saved, want %.0f%%", e.name(), 100*saved, 100*least)
			}
		}
	}
}

// judged is the reported saving of supersteps, its stated error, the actual saving, and the time
// of the run.
type judged struct{ said, doubt, saved, took float64 }

// judge runs a duel and returns the report of its last call; nil if no process had moved before.
func judge(ctx context.Context, d *duel, balance rebalancer.Spec) (*judged, error) {
	var times [2][]float64
	var said, doubt float64
	steps, moved := 0, false
	for i, spec := range []rebalancer.Spec{balance, {}} {
		e, err := d.entry()
		if e == nil || err != nil {
			return nil, err
		}
		e.config.Balance = spec
		report := sim.Report{Step: func(s *sim.StepRecord) { times[i] = append(times[i], s.Total) }}
		if i == 0 {
			report.Call = func(r *sim.CallRecord) {
				if moved {
					steps = len(times[0])
					said, doubt = r.Decision.Learned.Bank.Brought()
				}
				moved = moved || len(r.Decision.Moves) > 0
			}
		}
		if _, err := sim.Run(ctx, &e.config, report); err != nil {
			return nil, fmt.Errorf("%s: %w", d, err)
		}
	}
	if steps == 0 {
		return nil, nil
	}
	j := &judged{said: said, doubt: doubt}
	for k := range steps {
		j.saved += times[1][k] - times[0][k]
		j.took += times[0][k]
	}
	return j, nil
}
