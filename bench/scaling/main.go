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
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	strong, weak int // orders of matrices: of all, and of the one on a single host
	hosts        []int
	network      network
	rounds       int
	markdown     bool
}

func main() { measurement.Main() }

var measurement = frame.Program{Name: "scaling", Flags: define}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	flags.IntVar(&s.strong, "strong", 8000, "`order` of the matrix that stays the same; 0: no such table")
	flags.IntVar(&s.weak, "weak", 2500, "`order` of the matrix on one host, for the one that grows; 0: no such table")
	hosts := flags.String("hosts", "1,2,4,8,16,32,64", "`numbers` of hosts, with commas between")
	flags.StringVar(&s.network.rate, "rate", "10Gb/s", "`rate` of each host's link")
	flags.StringVar(&s.network.latency, "latency", "20us", "`time` from host to host")
	flags.IntVar(&s.rounds, "rounds", 3, "`runs` of each; the median counts")
	flags.BoolVar(&s.markdown, "markdown", false, "print the tables as Markdown")
	return func() (frame.Work, error) {
		switch {
		case s.strong < 0 || s.weak < 0:
			return nil, fmt.Errorf("-strong %d, -weak %d: an order is not negative", s.strong, s.weak)
		case s.rounds < 1:
			return nil, fmt.Errorf("-rounds %d: at least one is needed", s.rounds)
		}
		for field := range strings.SplitSeq(*hosts, ",") {
			n, err := strconv.Atoi(field)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("-hosts %s: read %q, expected a number of hosts", *hosts, field)
			}
			s.hosts = append(s.hosts, n)
		}
		return s.run, nil
	}
}

func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "scaling")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs := []emulated.Workload{emulated.Of("lu", "./apps/lu", ""), emulated.Of("migbsp", "./cmd/migbsp", "")}
	if err := emulated.Build(ctx, dir, programs, stderr); err != nil {
		return err
	}
	b := bench{dir: dir, network: s.network, rounds: s.rounds, progress: stderr}
	if s.strong > 0 {
		title := fmt.Sprintf("Strong scaling, order %d", s.strong)
		if err := s.scale(ctx, &b, title, func(int) int { return s.strong }, stdout); err != nil {
			return err
		}
	}
	if s.weak > 0 {
		title := fmt.Sprintf("Weak scaling, from order %d with one host", s.weak)
		return s.scale(ctx, &b, title, func(hosts int) int {
			return int(math.Round(float64(s.weak) * math.Sqrt(float64(hosts))))
		}, stdout)
	}
	return nil
}

// scale prints a table with a row for each number of hosts and the order that goes with it.
func (s *settings) scale(ctx context.Context, b *bench, title string, order func(hosts int) int, stdout io.Writer) error {
	t := table{title: fmt.Sprintf("%s; links of %s and %s, medians of %d", title, s.network.rate, s.network.latency, s.rounds)}
	for _, hosts := range s.hosts {
		p, err := b.measure(ctx, order(hosts), hosts)
		if err != nil {
			return fmt.Errorf("order %d on %d hosts: %w", order(hosts), hosts, err)
		}
		t.points = append(t.points, p)
	}
	return t.write(stdout, s.markdown)
}
