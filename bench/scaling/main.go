// Scaling measures how lu scales: the same matrix on more and more hosts, and one that
// grows with them. Hosts are emulated, each as fast as a core of this machine; the record
// of each run is simulated on the same platform.
//
//	go run ./bench/scaling
//	go run ./bench/scaling -rate 1Gb/s -latency 50us -hosts 1,4,16 -rounds 1
package main

import (
	"context"
	"flag"
	"fmt"
	"math"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	strong, weak  int // orders of matrices: of all, and of the one on a single host
	hosts         []int
	rate, latency string // of links
}

func main() { measurement.Main() }

var measurement = frame.Program{
	Name: "scaling", Rounds: 3, RunDir: true, Flags: define, Uses: []string{"./apps/lu", "./cmd/migbsp"},
	About: "Measures how lu scales on emulated hosts, each as fast as a core of this machine, and\n" +
		"simulates the record of each run on the same platform.",
}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := &settings{hosts: []int{1, 2, 4, 8, 16, 32, 64}}
	flags.IntVar(&s.strong, "strong", 8000, "`order` of the matrix that stays the same; 0: no such table")
	flags.IntVar(&s.weak, "weak", 2500, "`order` of the matrix on one host, for the one that grows; 0: no such table")
	flags.Var(frame.Numbers(&s.hosts, 1, math.MaxInt), "hosts", "`numbers` of hosts, with commas between")
	flags.StringVar(&s.rate, "rate", "10Gb/s", "`rate` of each host's link")
	flags.StringVar(&s.latency, "latency", "20us", "`time` from host to host")
	return func() (frame.Work, error) {
		if s.strong < 0 || s.weak < 0 {
			return nil, fmt.Errorf("-strong %d, -weak %d: an order is not negative", s.strong, s.weak)
		}
		return s.run, nil
	}
}

func (s *settings) run(ctx context.Context, session *frame.Session) error {
	if err := session.Build(ctx, "./apps/lu", "./cmd/migbsp"); err != nil {
		return err
	}
	if s.strong > 0 {
		title := fmt.Sprintf("Strong scaling, order %d", s.strong)
		if err := s.scale(ctx, session, "strong", title, func(int) int { return s.strong }); err != nil {
			return err
		}
	}
	if s.weak > 0 {
		title := fmt.Sprintf("Weak scaling, from order %d with one host", s.weak)
		return s.scale(ctx, session, "weak", title, func(hosts int) int {
			return int(math.Round(float64(s.weak) * math.Sqrt(float64(hosts))))
		})
	}
	return nil
}

// scale prints a table with a row for each number of hosts and the order that goes with it.
func (s *settings) scale(ctx context.Context, session *frame.Session, part, title string, order func(hosts int) int) error {
	var points []point
	for _, hosts := range s.hosts {
		p, err := s.measure(ctx, session, order(hosts), hosts)
		if err != nil {
			return fmt.Errorf("order %d on %d hosts: %w", order(hosts), hosts, err)
		}
		points = append(points, p)
	}
	session.Table(frame.Table{
		Part:   part,
		Title:  fmt.Sprintf("%s; links of %s and %s, medians of %d", title, s.rate, s.latency, session.Rounds),
		Header: []string{"hosts", "order", "grid", "time", "Gflop/s", "times faster", "efficiency", "simulated"},
		Rows:   rows(points),
	})
	return nil
}

// rows show how points compare with the first of them.
func rows(points []point) (rows [][]string) {
	for _, p := range points {
		first := points[0]
		faster := p.rate / first.rate
		rows = append(rows, []string{
			fmt.Sprint(p.hosts), fmt.Sprint(p.order), p.grid, fmt.Sprintf("%.3g s", p.seconds), fmt.Sprintf("%.4g", p.rate/1e9),
			fmt.Sprintf("%.2f", faster), fmt.Sprintf("%.0f %%", 100*faster*float64(first.hosts)/float64(p.hosts)),
			fmt.Sprintf("%+.1f %%", 100*p.apart),
		})
	}
	return rows
}
