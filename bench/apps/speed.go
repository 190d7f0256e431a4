package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"

	"github.com/migbsp/migbsp/bench/internal/table"
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

// course is what was measured of a program: on all cores, with one process, and of its
// references, in their order, as far as they could be built.
type course struct {
	all, alone []speed
	references [][]speed
	missing    []error
}

// speeds prints how fast the programs are, beside the same with one process, and that
// beside the references.
func (s *settings) speeds(ctx context.Context, root, dir string, list []program, stdout, stderr io.Writer) error {
	fast := table.Table{
		Title:  fmt.Sprintf("Speed with %d ranks in-process, and with one process; medians of %d in turns", runtime.GOMAXPROCS(0), s.rounds),
		Header: []string{"program", "size", "time", "rate", "one process", "times faster"}, Text: []int{0, 1},
	}
	beside := table.Table{
		Title: fmt.Sprintf("One process beside a reference on one core; medians of %d in turns, in C with -O3 -march=native;"+
			" ratio = time of ours / time of its: below 1 ours is faster", s.rounds),
		Header: []string{"program", "one process", "reference", "its time", "ratio"}, Text: []int{0, 2},
	}
	for i := range list {
		p := &list[i]
		fmt.Fprintf(stderr, "%s %s\n", p.many.Name, p.fast)
		c, err := s.measure(ctx, root, dir, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.many.Name, err)
		}
		fast.Rows = append(fast.Rows, c.row(p))
		beside.Rows = append(beside.Rows, c.ratios(p)...)
	}
	if err := fast.Write(stdout, s.markdown); err != nil {
		return err
	}
	return beside.Write(stdout, s.markdown)
}

// measure runs a program and its references in turns.
func (s *settings) measure(ctx context.Context, root, dir string, p *program) (*course, error) {
	c := &course{references: make([][]speed, len(p.references)), missing: make([]error, len(p.references))}
	if p.input != nil {
		if err := p.input(dir); err != nil {
			return nil, err
		}
	}
	for i := range p.references {
		err := p.references[i].build(ctx, root, dir)
		if missing := errMissing(""); errors.As(err, &missing) {
			c.missing[i] = err
		} else if err != nil {
			return nil, err
		}
	}
	for range s.rounds {
		if err := c.round(ctx, dir, p); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// round runs each once.
func (c *course) round(ctx context.Context, dir string, p *program) error {
	run := func(times *[]speed, more ...string) (string, error) {
		args := append(append(p.args(dir), "-quiet"), more...)
		out, err := output(ctx, dir, filepath.Join(dir, filepath.Base(p.many.Program)), args...)
		if err != nil {
			return "", err
		}
		made, err := speedOf(out)
		*times = append(*times, made)
		return out, err
	}
	if _, err := run(&c.all); err != nil {
		return err
	}
	ours, err := run(&c.alone, "-procs", "1", "-ranks", "1")
	if err != nil {
		return err
	}
	for i := range p.references {
		if c.missing[i] != nil {
			continue
		}
		made, err := p.references[i].run(ctx, dir, ours)
		if err != nil {
			return fmt.Errorf("%s: %w", p.references[i].name, err)
		}
		c.references[i] = append(c.references[i], made)
	}
	return nil
}

// row is what the table of speeds says of a program.
func (c *course) row(p *program) []string {
	a, b := middle(c.all), middle(c.alone)
	return []string{
		p.many.Name, p.size, fmt.Sprintf("%.3g s", a.seconds), a.rate,
		fmt.Sprintf("%.3g s", b.seconds), fmt.Sprintf("%.2f", b.seconds/a.seconds),
	}
}

// ratios are the rows of a program's references.
func (c *course) ratios(p *program) (rows [][]string) {
	ours := middle(c.alone).seconds
	for i, r := range p.references {
		row := []string{p.many.Name, fmt.Sprintf("%.3g s", ours), r.name}
		if c.missing[i] != nil {
			row = append(row, c.missing[i].Error(), "-")
		} else {
			its := middle(c.references[i]).seconds
			row = append(row, fmt.Sprintf("%.3g s", its), fmt.Sprintf("%.2f", ours/its))
		}
		rows = append(rows, row)
	}
	return rows
}

// middle is the run with the median time.
func middle(all []speed) speed {
	slices.SortFunc(all, func(a, b speed) int { return cmp.Compare(a.seconds, b.seconds) })
	return all[len(all)/2]
}
