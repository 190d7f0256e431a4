package main

import (
	"context"
	"fmt"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// run carries out all chosen experiments and prints a table for each.
func (s *settings) run(ctx context.Context, session *frame.Session) error {
	programs := frame.Each(s.chosen(), func(e experiment) string { return e.program })
	if err := session.BuildTagged(ctx, "mpi", programs...); err != nil {
		return err
	}
	var all []*result
	for _, e := range s.chosen() {
		r, err := s.measure(ctx, session, &e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		r.record(session)
		session.Table(r.table())
		all = append(all, r)
	}
	session.Table(targets(all))
	session.Table(gathered(all))
	session.Table(starts(all))
	return nil
}

// measure runs all scenarios of an experiment in turns on its own testbed, after a first
// run that shows how many supersteps there are.
func (s *settings) measure(ctx context.Context, session *frame.Session, e *experiment) (*result, error) {
	bed, err := bring(ctx, e.testbed)
	if err != nil {
		return nil, err
	}
	defer bed.run(context.WithoutCancel(ctx), "down")
	session.Progress("%s", e.name)
	first, err := launch(ctx, session, bed, e, inBlocks("off"), 0, s.patience)
	if err != nil {
		return nil, fmt.Errorf("the first run: %w", err)
	}
	at := 0
	if e.event != nil {
		at = int(e.event.after * float64(first.history.Steps[len(first.history.Steps)-1].Last))
	}
	r := newResult(e, bed)
	for round := range session.Rounds {
		for i, scenario := range scenarios {
			o, err := launch(ctx, session, bed, e, inBlocks(scenario.balance), at, s.patience)
			if err == nil && e.event != nil {
				err = bed.restore(ctx, e.event)
			}
			if err != nil {
				return nil, fmt.Errorf("round %d, %s: %w", round+1, scenario.name, err)
			}
			session.Progress("  round %d  %-12s %8.3f s", round+1, scenario.name, r.take(i, o).seconds)
		}
		if e.alone {
			o, err := launch(ctx, session, bed, e, setup{"off", 1, "blocks", "off"}, 0, s.patience)
			if err != nil {
				return nil, fmt.Errorf("round %d, one host alone: %w", round+1, err)
			}
			r.alone = append(r.alone, o.history)
			session.Progress("  round %d  %-12s %8.3f s", round+1, "alone", o.seconds())
		}
		if e.event == nil {
			if err := s.launches(ctx, session, bed, r); err != nil {
				return nil, fmt.Errorf("round %d, %w", round+1, err)
			}
		}
	}
	return r, nil
}
