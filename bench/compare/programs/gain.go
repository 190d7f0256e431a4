package programs

import (
	"context"
	"fmt"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// gains prints what auto saves of each workload on each platform, and what is possible
// there at most.
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

// gain is what auto saves of a workload on a platform in each round, and what is possible
// there.
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
