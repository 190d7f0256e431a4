package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// unseenPart is the part of the page with cases that cannot have been used for tuning.
const unseenPart = "unseen"

// control is a published strategy. It is compared too, because tuning of auto does not change its savings.
const control = "percent"

// A batch is a set of cases whose savings are compared with the savings of other batches.
type batch struct {
	name      string
	generator generator
	seeds     span
	contests  []*contest
}

// batches are the seeds for tuning, the held-out ones, and fresh ones of both generators. The
// second generator draws as many cases as the first.
func (s *settings) batches(commit string) ([]*batch, error) {
	fresh, err := freshSeed(commit)
	if err != nil {
		return nil, err
	}
	n, first, second := s.seeds.number, generators[0], generators[1]
	cases := len(first.cases(from(fresh, n), s.only, s.on))
	return []*batch{
		{name: "tuning", generator: first, seeds: from(tuned, n)},
		{name: "held out", generator: first, seeds: from(reported, n)},
		{name: "fresh", generator: first, seeds: from(fresh, n)},
		{name: "fresh, second generator", generator: second, seeds: from(fresh, cases)},
	}, nil
}

// freshSeed returns the first fresh seed: the first seven hexadecimal digits of the commit, and
// 10,000. Each commit has other seeds, which are known only when it is measured.
func freshSeed(commit string) (int, error) {
	number, err := strconv.ParseUint(commit[:min(7, len(commit))], 16, 64)
	if err != nil {
		return 0, fmt.Errorf("commit %q: expected hexadecimal digits", commit)
	}
	return 10_000 + int(number), nil
}

// unseen compares the batches.
func (s *settings) unseen(ctx context.Context, session *frame.Session) error {
	commit, err := session.Commit(ctx)
	if err != nil {
		return err
	}
	all, err := s.batches(commit)
	if err != nil {
		return err
	}
	for _, b := range all {
		session.Progress("%s: %v", b.name, b.seeds)
		t := settings{loads: b.generator, seeds: chosenSeeds{number: s.seeds.number, span: b.seeds}, only: s.only, on: s.on}
		if t.second() {
			t.only, t.on = "", "" // names of the first
		}
		if err := parseAll(&t, ours, control); err != nil {
			return err
		}
		if b.contests, err = t.contests(ctx, session); err != nil {
			return err
		}
	}
	session.Table(compared(all))
	return nil
}

// saved returns the savings of a strategy by case: 0 is ours, 1 is the control.
func (b *batch) saved(strategy int) []float64 {
	return frame.Each(b.contests, func(c *contest) float64 { return c.outcomes[strategy].saved })
}

// compared has a row for each strategy in each batch, in the order of batches: tuning, held out,
// fresh, fresh of the second generator.
func compared(all []*batch) frame.Table {
	t := frame.Table{
		Part: unseenPart, Title: "Part of the time without moves that is saved on seeds for tuning, on held-out seeds, and on fresh seeds drawn from the commit (simulated)",
		Header: []string{"balance", "batch", "seeds", "cases", "mean", "standard error", "median", "worst", "lose over 3 %", "lose over 10 %"}, Text: []int{0, 1, 2},
	}
	for i, name := range []string{ours, control} {
		for _, b := range all {
			saved := b.saved(i)
			sum := summarise(saved)
			t.Add(name, b.name, fmt.Sprintf("%d to %d", b.seeds.first, b.seeds.last), fmt.Sprint(len(saved)), frame.Percent(sum.mean), frame.Percent(standardError(saved)),
				frame.Percent(sum.median), frame.Percent(sum.worst), fmt.Sprint(sum.lose3), fmt.Sprint(sum.lose10))
		}
	}
	tuning := all[0].saved(0)
	for _, b := range all[1:] {
		if b.generator.name == all[0].generator.name {
			t.Notes = append(t.Notes, savingsDiffer(b.name, tuning, b.saved(0)))
		} else {
			t.Notes = append(t.Notes, lossesDiffer(b.name, tuning, b.saved(0)))
		}
	}
	return t
}

// savingsDiffer compares savings on seeds for tuning with those on unseen seeds, in cases of the
// same kinds on the same families in the same order: over-fitting is a difference of more than
// two standard errors.
func savingsDiffer(name string, tuning, unseen []float64) string {
	differences := make([]float64, len(tuning))
	for i := range tuning {
		differences[i] = tuning[i] - unseen[i]
	}
	return verdict(fmt.Sprintf("On the mean %s saves %%.1f points more on seeds for tuning than on those of batch %q", ours, name),
		frame.Mean(differences), standardError(differences))
}

// lossesDiffer compares losses only: savings on loads of two generators are not comparable.
func lossesDiffer(name string, tuning, unseen []float64) string {
	lost := func(saved float64) float64 { return max(0, -saved) }
	a, b := frame.Each(tuning, lost), frame.Each(unseen, lost)
	return verdict(fmt.Sprintf("On the mean %s loses %%.1f points more on seeds of batch %q than on those for tuning", ours, name),
		frame.Mean(b)-frame.Mean(a), math.Hypot(standardError(a), standardError(b)))
}

// verdict completes a sentence on a difference in favour of the seeds for tuning.
func verdict(sentence string, difference, standard float64) string {
	judged := "within two standard errors"
	switch {
	case difference > 2*standard:
		judged = "OVER-FITTING, more than two standard errors"
	case difference < -2*standard:
		judged = "more than two standard errors, but in favour of unseen seeds"
	}
	return fmt.Sprintf(sentence+" (standard error %.1f): %s.", 100*difference, 100*standard, judged)
}
