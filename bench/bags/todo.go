package main

import (
	"context"
	"fmt"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

func claimsPart(ctx context.Context, s *settings, session *frame.Session) error {
	p, _ := s.grid()
	var cells []*cell
	for _, n := range []int{1000, 10000, 100000} {
		for _, mflop := range []int{100, 500, 1000, 2000} {
			for _, w := range []int{64, 89} {
				for _, par := range []bool{false, true} {
					c, err := newCell(p, fmt.Sprintf("bag:n=%d,flops=%de6,workers=%d", n, mflop, w))
					if err != nil {
						return err
					}
					c.specs = []string{"auto"}
					c.parallel = par
					cells = append(cells, c)
				}
			}
		}
	}
	if err := runAll(ctx, cells); err != nil {
		return err
	}
	line := ""
	sum := 0.0
	for i, c := range cells {
		line += fmt.Sprintf(" %.3f", c.times["auto"]/c.sending)
		sum += c.times["auto"]/c.sending - 1
		if i%16 == 15 {
			line += "\n"
		}
	}
	fmt.Print(line)
	fmt.Println("mean", sum/float64(len(cells)))
	return nil
}
func managersPart(ctx context.Context, s *settings, session *frame.Session) error { return nil }
