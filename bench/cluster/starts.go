package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// launchNames are the launches of a round, in order: the later ones have the profile of the first.
var launchNames = []string{"first launch", "second launch"}

// launches runs an experiment with the default start, again and again with one directory of profiles,
// which is empty at first.
func (s *settings) launches(ctx context.Context, session *frame.Session, bed *testbed, r *result) error {
	profiles, err := os.MkdirTemp(session.Dir, "profiles")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profiles)
	var round []*outcome
	for _, name := range launchNames {
		o, err := launch(ctx, session, bed, r.experiment, setup{"auto", allSlots, "auto", profiles}, 0, s.patience)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		round = append(round, o)
		session.Progress("  %-21s %8.3f s", name, o.seconds())
	}
	r.launches = append(r.launches, round)
	return nil
}

// launchSeconds returns the time of a launch in each round.
func (r *result) launchSeconds(launch int) []float64 {
	return frame.Each(r.launches, func(round []*outcome) float64 { return round[launch].seconds() })
}

// starts is the table of launches: their times beside runs that start in equal blocks, and their starts.
func starts(all []*result) frame.Table {
	t := frame.Table{
		Part: "saved", Title: "Where processes start: seconds with all measurements before the first superstep, medians; starts of the last round",
		Header: []string{"experiment", "off", "auto from blocks", launchNames[0], launchNames[1], "one host", "first start", "second start"}, Text: []int{0, 6, 7},
	}
	for _, r := range all {
		if len(r.launches) == 0 {
			continue
		}
		row := []string{r.experiment.name, twoDigits(r.seconds(0)), twoDigits(r.seconds(len(scenarios) - 1))}
		for i := range launchNames {
			row = append(row, twoDigits(frame.Median(r.launchSeconds(i))))
		}
		lone := ""
		if len(r.alone) > 0 {
			lone = twoDigits(frame.Median(frame.Each(r.alone, wholeTime)))
		}
		row = append(row, lone)
		for _, o := range r.launches[len(r.launches)-1] {
			row = append(row, shortStart(o.history.Account.Run().Start()))
		}
		t.Add(row...)
	}
	return t
}

// shortStart returns the origin of a mapping without its key and date: the table has the program.
func shortStart(start string) string {
	origin, processes, found := strings.Cut(start, ": ")
	if !found {
		return start
	}
	if strings.HasPrefix(origin, "from the profile") {
		return "profile: " + processes
	}
	return strings.TrimPrefix(strings.TrimPrefix(origin, "by the program's "), "by ") + ": " + processes
}
