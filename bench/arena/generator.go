package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/arena/second"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// generator draws cases from seeds. cases returns the cases of some seeds whose names contain
// the texts of -only and -on; groups are the names of the table of means.
type generator struct {
	name   string
	seeds  int // default of -seeds
	groups []string
	cases  func(seeds span, only, on string) []ticket
}

var generators = []generator{
	{"first", 2, frame.Each(kinds, func(k kind) string { return k.name }), firstCases},
	{"second", 200, append(second.Loads(), second.Platforms()...), secondCases},
}

// ticket is a case that is not drawn yet.
type ticket func() (*entry, error)

// firstCases returns a case of each kind on each family of platforms for each seed.
func firstCases(seeds span, only, on string) (all []ticket) {
	for k := range kinds {
		for p := range platforms {
			if !strings.Contains(kinds[k].name, only) || !strings.Contains(platforms[p].name, on) {
				continue
			}
			for seed := seeds.first; seed <= seeds.last; seed++ {
				all = append(all, func() (*entry, error) { return draw(k, p, uint64(seed)) })
			}
		}
	}
	return all
}

// secondCases returns one case for each seed.
func secondCases(seeds span, only, on string) (all []ticket) {
	for seed := seeds.first; seed <= seeds.last; seed++ {
		load, platform := second.Names(uint64(seed))
		if strings.Contains(load, only) && strings.Contains(platform, on) {
			all = append(all, func() (*entry, error) { return drawSecond(uint64(seed)) })
		}
	}
	return all
}

func drawSecond(seed uint64) (*entry, error) {
	c, err := second.Draw(seed)
	if err != nil {
		return nil, fmt.Errorf("second generator, seed %d: %w", seed, err)
	}
	groups := append(strings.Split(c.Load, second.Separator), c.Platform)
	return &entry{kind: c.Load, platform: c.Platform, groups: groups, seed: seed, config: c.Config}, nil
}

// generatorOf returns the generator of a name.
func generatorOf(name string) (g generator, err error) {
	all := frame.Each(generators, func(g generator) string { return g.name })
	for i, known := range all {
		if known == name {
			return generators[i], nil
		}
	}
	return g, fmt.Errorf("-loads %s: expected %s", name, strings.Join(all, " or "))
}

// second reports whether cases are drawn by the second generator.
func (s *settings) second() bool { return s.loads.name == generators[1].name }

// span is a range of seeds, both limits included.
type span struct{ first, last int }

func (s span) String() string { return fmt.Sprintf("seeds %d to %d", s.first, s.last) }

// from returns the first n seeds from one on.
func from(first, n int) span { return span{first, first + n - 1} }

// mostSeeds limits the number of seeds in a span.
const mostSeeds = 1_000_000

// chosenSeeds is the value of -seeds: their number, or a span.
type chosenSeeds struct {
	number int
	span   span // zero if only a number is given
}

func (s *chosenSeeds) fixed() bool { return s.span != span{} }

// String is also called on the zero value, by package flag.
func (s *chosenSeeds) String() string {
	if s.fixed() {
		return fmt.Sprintf("%d-%d", s.span.first, s.span.last)
	}
	return strconv.Itoa(s.number)
}

// Set implements flag.Value.
func (s *chosenSeeds) Set(text string) error {
	first, last, ranged := strings.Cut(text, "-")
	if !ranged {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostSeeds {
			return fmt.Errorf("expected a number from 1 to %d, or FROM-TO", mostSeeds)
		}
		*s = chosenSeeds{number: n}
		return nil
	}
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(last)
	switch {
	case errors.Join(errA, errB) != nil || a < 1:
		return errors.New("expected FROM-TO, two numbers from 1 on")
	case b < a || b-a >= mostSeeds:
		return fmt.Errorf("expected FROM-TO with 1 to %d seeds", mostSeeds)
	}
	*s = chosenSeeds{number: b - a + 1, span: span{a, b}}
	return nil
}

// seedsText describes the seeds that are run.
func (s *settings) seedsText() string {
	text := s.span().String()
	switch {
	case s.second():
		return text + " of the second generator, on which nothing was tuned"
	case s.span().first < reported:
		return text + ", on which strategies may be tuned"
	}
	return text + ", on which nothing was tuned"
}

// span returns the seeds that are run.
func (s *settings) span() span {
	switch {
	case s.seeds.fixed():
		return s.seeds.span
	case s.tuning:
		return from(tuned, s.seeds.number)
	}
	return from(reported, s.seeds.number)
}
