// Package programs measures the programs of the tree: their speed, their speedup over one process,
// their time compared with references on one core, and the savings of rescheduling on each example
// platform.
//
//	go run ./bench/compare programs
//	go run ./bench/compare programs -only fft -rounds 5 -hosts ''
//	go run ./bench/compare programs -speed=false -markdown
package programs

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings holds the parsed command line.
type settings struct {
	programs []program
	speed    bool
	hosts    []string
	pictures string
}

// Program is the one of the package.
var Program = frame.Program{
	Name: "compare programs", Rounds: 3, RunDir: true, Flags: define, Uses: []string{"./apps/...", "bench/c/plain", "bench/c/fft*", "bench/c/openblas.h", "examples/*.hosts"},
	About: "Measures how fast the programs of the tree are, beside references on one core, and\n" +
		"what rescheduling saves on each platform, emulated.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	var s settings
	var platforms emulated.Platforms
	platforms.Flag(flags, "; none if empty")
	only := flags.String("only", "", "only this `program`")
	flags.BoolVar(&s.speed, "speed", true, "measure how fast the programs are, beside references")
	flags.StringVar(&s.pictures, "pictures", "", "write pictures of how busy ranks are on "+shownOn+" into this `directory`, and do nothing else")
	return func() (_ frame.Work, err error) {
		if at, err := os.Stat(s.pictures); s.pictures != "" && (err != nil || !at.IsDir()) {
			return nil, fmt.Errorf("-pictures %s: there is no such directory", s.pictures)
		}
		if s.programs, err = frame.Only(programs, *only, func(p program) string { return p.many.Name }); err == nil {
			s.hosts, err = platforms.Files()
		}
		return s.run, err
	}
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	root, err := frame.Root(ctx)
	if err != nil {
		return err
	}
	workloads := frame.Each(s.programs, func(p program) emulated.Workload { return p.many })
	if err := session.Build(ctx, frame.Each(workloads, func(w emulated.Workload) string { return w.Program })...); err != nil {
		return err
	}
	if s.pictures != "" {
		return s.paintAll(ctx, session, root)
	}
	if s.speed {
		if err := speeds(ctx, session, root, s.programs); err != nil {
			return err
		}
	}
	if len(s.hosts) == 0 {
		return nil
	}
	return gains(ctx, session, s.hosts, workloads)
}

// gains prints the savings of auto for each workload on each platform, and the maximum possible
// savings.
func gains(ctx context.Context, session *frame.Session, platforms []string, workloads []emulated.Workload) error {
	t := frame.Table{
		Part:   "saved",
		Title:  fmt.Sprintf("Time saved by auto, of what is possible at most (emulated); medians of %d", session.Rounds),
		Header: []string{"program"}, Text: []int{0},
	}
	for _, hosts := range platforms {
		t.Header = append(t.Header, emulated.Short(hosts))
	}
	for _, w := range workloads {
		row := []string{w.Name}
		for _, hosts := range platforms {
			of := fmt.Sprintf("%s on %s", w.Name, emulated.Short(hosts))
			session.Progress("%s", of)
			saved, possible, err := gain(ctx, session, w, hosts)
			if err != nil {
				return fmt.Errorf("%s: %w", of, err)
			}
			row = append(row, fmt.Sprintf("%.0f of %.0f %%",
				100*session.Record(of, "saved", "", saved...).Center, 100*session.Record(of, "possible", "", possible...).Center))
		}
		t.Add(row...)
	}
	session.Table(t)
	return nil
}

// gain returns the saving of auto for a workload on a platform in each round, and the maximum
// possible saving.
func gain(ctx context.Context, session *frame.Session, w emulated.Workload, hosts string) (saved, possible []float64, err error) {
	for range session.Rounds {
		o, err := emulated.Launch(ctx, session, w, hosts, "auto")
		if err != nil {
			return nil, nil, err
		}
		saved, possible = append(saved, o.Gain()), append(possible, o.Possible())
	}
	return saved, possible, nil
}
