package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// speed is what a program says of a run: its time, and its rate if it has one.
type speed struct {
	seconds float64
	rate    string
}

var timeLine = regexp.MustCompile(`(?m)^time +([0-9.e+-]+) s(?:, (.*))?$`)

// speedOf reads what a program printed.
func speedOf(out string) (speed, error) {
	found := timeLine.FindStringSubmatch(out)
	if found == nil {
		return speed{}, fmt.Errorf("no time in what it says:\n%s", out)
	}
	seconds, err := strconv.ParseFloat(found[1], 64)
	return speed{seconds, found[2]}, err
}

// speeds prints how fast the programs are, beside the same with one process.
func (s *settings) speeds(ctx context.Context, dir string, chosen []program, stdout, stderr io.Writer) error {
	var rows [][]string
	for _, p := range chosen {
		fmt.Fprintf(stderr, "%s %s\n", p.many.Name, p.fast)
		var all, alone []speed
		for range s.rounds {
			for _, shape := range []struct {
				args  []string
				times *[]speed
			}{{nil, &all}, {[]string{"-procs", "1", "-ranks", "1"}, &alone}} {
				args := append(append(strings.Fields(p.fast), "-quiet"), shape.args...)
				out, err := exec.CommandContext(ctx, filepath.Join(dir, filepath.Base(p.many.Program)), args...).CombinedOutput()
				if err != nil {
					return fmt.Errorf("%s %v: %w\n%s", p.many.Name, args, err, out)
				}
				made, err := speedOf(string(out))
				if err != nil {
					return fmt.Errorf("%s %v: %w", p.many.Name, args, err)
				}
				*shape.times = append(*shape.times, made)
			}
		}
		a, b := middle(all), middle(alone)
		rows = append(rows, []string{
			p.many.Name, p.fast, fmt.Sprintf("%.3g s", a.seconds), a.rate, fmt.Sprintf("%.3g s", b.seconds), fmt.Sprintf("%.2f", b.seconds/a.seconds),
		})
	}
	fmt.Fprintf(stdout, "\n speed with %d ranks in-process, medians of %d\n", runtime.GOMAXPROCS(0), s.rounds)
	return ledger.WriteRows(stdout, []string{"program", "size", "time", "rate", "one process", "times faster"}, rows, 0, 1)
}

// middle is the run with the median time.
func middle(all []speed) speed {
	slices.SortFunc(all, func(a, b speed) int {
		if a.seconds < b.seconds {
			return -1
		}
		return 1
	})
	return all[len(all)/2]
}
