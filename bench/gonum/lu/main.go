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
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// settings are what the command line says.
type settings struct {
	orders []int
	block  int // columns of A and rows of B in a product
	rounds int
	long   time.Duration
}

func main() { measurement.Main() }

var measurement = frame.Program{Name: "lu", Flags: define}

func define(flags *flag.FlagSet) func() (frame.Work, error) {
	s := new(settings)
	orders := flags.String("n", "100,500,1000,2000", "`orders` of the matrices, separated by commas")
	flags.IntVar(&s.block, "block", 64, "`depth` of the products: C -= A B with A n x depth and B depth x n")
	flags.IntVar(&s.rounds, "rounds", 5, "`measurements` of each, in turns; the median counts")
	flags.DurationVar(&s.long, "time", 200*time.Millisecond, "shortest `duration` of a measurement")
	return func() (frame.Work, error) {
		var err error
		if s.orders, err = parseOrders(*orders); err != nil {
			return nil, err
		}
		switch {
		case s.block < 1 || s.block > maxOrder:
			return nil, fmt.Errorf("-block %d: expected 1 to %d", s.block, maxOrder)
		case s.rounds < 1:
			return nil, fmt.Errorf("-rounds %d: at least one is needed", s.rounds)
		case s.long < 0:
			return nil, fmt.Errorf("-time %v: no time is shorter than 0", s.long)
		}
		return s.run, nil
	}
}

const maxOrder = 20000

func parseOrders(list string) ([]int, error) {
	var orders []int
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > maxOrder {
			return nil, fmt.Errorf("-n: %q in the list, expected an order from 1 to %d", word, maxOrder)
		}
		orders = append(orders, n)
	}
	return orders, nil
}

// run measures on one processor: Dgemm would use all there are, and our kernels are sequential.
func (s *settings) run(ctx context.Context, stdout, _ io.Writer) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var compared []comparison
	for _, work := range []func(n, block int) *task{product, factorisation} {
		for _, n := range s.orders {
			c, err := s.compare(ctx, work(n, s.block))
			if err != nil {
				return err
			}
			compared = append(compared, c)
		}
	}
	return s.write(stdout, compared)
}
