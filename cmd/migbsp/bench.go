package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

var benchCommand = cli.Command{
	Name:    "bench",
	Summary: "measures this machine as a BSP computer: l, g and r",
	About: `Measures, for each number of processes on goroutine ranks of this machine:

  empty  a superstep in which nothing is done
  l, g   of the straight line l + g*h through the times of supersteps in which
         each process puts h words of 8 bytes, one by one, to the others
  off    mean deviation of the times from the line, as a part of them
  r      what a process computes while its turn lasts (an axpy within its cache)
  l*r    l in floating-point operations, and so g*r

Times are medians. A program prints those of its own ranks, also over MPI, below
its account; the suite of all primitives is bench/bsp in the source
(go run ./bench/bsp, also under mpirun).`,
	Examples: []cli.Example{
		{Line: "migbsp bench", Does: "for 1, 2 and 4 times as many processes as cores"},
		{Line: "migbsp bench -p 2,16 -seconds 2", Does: "longer, for 2 and 16 processes"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		format := formatFlag(flags)
		procs := &processCounts{}
		flags.Var(procs, "p", "`numbers` of processes, with commas between (default 1, 2 and 4 for each core)")
		each := flags.Float64("seconds", 0.4, "`time` for each number of processes")
		return func(ctx context.Context, streams cli.Streams, _ []string) error {
			if !(*each > 0 && *each <= 3600) {
				return cli.Usagef("-seconds %g: a time from 0 to 3600 is needed", *each)
			}
			var all []parameters
			for _, n := range procs.orDefault() {
				p, err := measureParameters(ctx, n, time.Duration(*each*float64(time.Second)))
				if err != nil {
					return err
				}
				all = append(all, p)
			}
			return printAs(streams, *format, all, func() string { return parametersText(all) })
		}
	},
}

// mostProcesses bounds the numbers of -procs.
const mostProcesses = 1 << 16

// processCounts is the value of -p.
type processCounts []int

func (p *processCounts) String() string { return strings.Trim(fmt.Sprint([]int(*p)), "[]") }

func (p *processCounts) Set(s string) error {
	var all []int
	for item := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(item)
		if err != nil || n < 1 || n > mostProcesses {
			return fmt.Errorf("%q is not a number of processes", item)
		}
		all = append(all, n)
	}
	*p = all
	return nil
}

func (p *processCounts) orDefault() []int {
	if len(*p) > 0 {
		return *p
	}
	n := cores()
	return slices.Compact([]int{1, n, 2 * n, 4 * n})
}

// evidence returns a parameter as a time and in operations. It returns "-" if the parameter is not
// significantly positive, above 0 by two standard errors.
func evidence(x, error, rate float64) (time, operations string) {
	if x <= 2*error {
		return "-", "-"
	}
	return seconds(x), fmt.Sprintf("%.3g", x*rate)
}

func parametersText(all []parameters) string {
	var rows [][]string
	for _, p := range all {
		l, lr := evidence(p.L, p.LError, p.R)
		g, gr := evidence(p.G, p.GError, p.R)
		rows = append(rows, []string{
			strconv.Itoa(p.Procs), strconv.Itoa(p.Ranks), seconds(p.Empty), l, g, fmt.Sprintf("%.1f%%", 100*p.Off), scaled(p.R, "FLOP/s"), lr, gr,
		})
	}
	return text.Rows([]string{"p", "ranks", "empty", "l", "g", "off", "r", "l*r", "g*r"}, rows) +
		"\n A superstep of h words takes w + g*h + l. All primitives: go run ./bench/bsp.\n"
}
