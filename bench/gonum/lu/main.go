// Lu puts the kernels of apps/lu/dense beside gonum's Dgemm and Dgetrf, on one core, in turns.
//
//	cd bench/gonum && go run ./lu
//	cd bench/gonum && GOEXPERIMENT=simd go run ./lu
//	cd bench/gonum && go run -tags openblas ./lu
package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	orders []int
	block  int // columns of A and rows of B in a product
	long   time.Duration
}

func main() { measurement.Main() }

var measurement = frame.Program{
	Name: "lu", Rounds: 5, Flags: define, Command: "cd bench/gonum && go run ./lu",
	About: "Puts the kernels of apps/lu/dense beside gonum's Dgemm and Dgetrf, on one core, in turns.",
}

const maxOrder = 20000

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := &settings{orders: []int{100, 500, 1000, 2000}}
	flags.Var(frame.Numbers(&s.orders, 1, maxOrder), "n", "`orders` of the matrices, separated by commas")
	flags.IntVar(&s.block, "block", 64, "`depth` of the products: C -= A B with A n x depth and B depth x n")
	flags.DurationVar(&s.long, "time", 200*time.Millisecond, "shortest `duration` of a measurement")
	return func() (frame.Work, error) {
		switch {
		case s.block < 1 || s.block > maxOrder:
			return nil, fmt.Errorf("-block %d: expected 1 to %d", s.block, maxOrder)
		case s.long < 0:
			return nil, fmt.Errorf("-time %v: no time is shorter than 0", s.long)
		}
		return s.run, nil
	}
}

// run measures on one processor: Dgemm would use all there are, and our kernels are sequential.
func (s *settings) run(ctx context.Context, session *frame.Session) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	header := append([]string{"task", "size", "gonum"}, dense.Kernels()...)
	rates := frame.Table{
		Part: "kernels",
		Title: fmt.Sprintf("Products and factorisations on one core, Gflop/s, medians of %d in turns, with gonum's\n", session.Rounds) +
			"and each set of kernels of apps/lu/dense.",
		Header: header, Text: []int{0, 1},
	}
	ratios := frame.Table{
		Part:   "kernels",
		Title:  "The same as ratios: time of ours / time of gonum's, the median of all turns. Below 1 ours are faster.",
		Header: header, Text: []int{0, 1},
	}
	for _, work := range []func(n, block int) *task{product, factorisation} {
		for _, n := range s.orders {
			t := work(n, s.block)
			session.Progress("%s %s", t.name, t.size)
			gonum, ours, err := t.compare(ctx, session.Rounds, s.long)
			if err != nil {
				return err
			}
			of := t.name + " " + t.size + ", "
			rate := []string{t.name, t.size, session.Record(of+"gonum", "rate", "Gflop/s", gonum...).Format("%.3g")}
			ratio := []string{t.name, t.size, "1"}
			for i, kernel := range dense.Kernels() {
				rate = append(rate, session.Record(of+kernel, "rate", "Gflop/s", ours[i]...).Format("%.3g"))
				ratio = append(ratio, frame.Ratio(gonum, ours[i]).Format("%.3g"))
			}
			rates.Add(rate...)
			ratios.Add(ratio...)
		}
	}
	session.Table(rates)
	session.Table(ratios)
	return nil
}
