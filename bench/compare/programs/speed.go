package programs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

// speed is a program's report of a run: its time, and its rate if it has one.
type speed struct {
	seconds float64
	rate    string
}

var timeLine = regexp.MustCompile(`(?m)^time +([0-9.e+-]+) s(?:, (.*))?$`)

// speedOf parses a program's output.
func speedOf(out string) (speed, error) {
	found := timeLine.FindStringSubmatch(out)
	if found == nil {
		return speed{}, fmt.Errorf("no time in what it says:\n%s", out)
	}
	seconds, err := strconv.ParseFloat(found[1], 64)
	return speed{seconds, found[2]}, err
}

// course holds the timings of a program on all cores and with one process, and of the reference
// programs that could be built, in their order.
type course struct {
	all, alone []speed
	references [][]speed
	missing    []error
}

// speeds prints the times of the programs, their speedup over one process, and the ratio of one
// process to the references.
func speeds(ctx context.Context, session *frame.Session, root string, list []program) error {
	t := frame.Table{
		Part: "references",
		Title: fmt.Sprintf("Programs with %d ranks in-process and with one process, and that beside a reference on one core; medians of %d in turns;"+
			" ratio = time of one process / time of the reference: below 1 ours is faster", runtime.GOMAXPROCS(0), session.Rounds),
		Header: []string{"program", "size", "time", "rate", "one process", "times faster", "reference", "its time", "ratio"}, Text: []int{0, 1, 6},
	}
	for i := range list {
		p := &list[i]
		session.Progress("%s %s", p.many.Name, p.fast)
		c, err := measure(ctx, session, root, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.many.Name, err)
		}
		row, ratios := c.row(session, p), c.ratios(session, p)
		if len(ratios) == 0 {
			ratios = [][]string{{"", "", ""}}
		}
		for _, r := range ratios {
			t.Add(append(row, r...)...)
			row = make([]string, len(row)) // the same for the program's other references
		}
	}
	t.Notes = libraries(list)
	session.Table(t)
	return nil
}

// libraries returns notes on the libraries that the references run with.
func libraries(list []program) (notes []string) {
	for _, p := range list {
		for _, r := range p.references {
			if r.with != "" {
				notes = append(notes, fmt.Sprintf("%s is of %s.", r.name, r.with))
			}
		}
	}
	return notes
}

// measure runs a program and its references in turns.
func measure(ctx context.Context, session *frame.Session, root string, p *program) (*course, error) {
	dir, c := session.Dir, &course{references: make([][]speed, len(p.references)), missing: make([]error, len(p.references))}
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
	for range session.Rounds {
		if err := c.round(ctx, dir, p); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// round runs each once.
func (c *course) round(ctx context.Context, dir string, p *program) error {
	run := func(times *[]speed, more ...string) (string, error) {
		args := append(append(inputIn(dir, p.fast), "-quiet"), more...)
		out, err := frame.Output(ctx, dir, filepath.Join(dir, filepath.Base(p.many.Program)), args...)
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

// row returns the cells of a program's times and speedup.
func (c *course) row(session *frame.Session, p *program) []string {
	all, alone := seconds(c.all), seconds(c.alone)
	return []string{
		p.many.Name, p.size,
		session.Record(p.many.Name, "time", "s", all...).Format("%.3g s"), frame.Middle(c.all, speed.time).rate,
		session.Record(p.many.Name+", one process", "time", "s", alone...).Format("%.3g s"),
		frame.Ratio(alone, all).Format("%.2f"),
	}
}

// ratios returns the cells of a program's references.
func (c *course) ratios(session *frame.Session, p *program) (rows [][]string) {
	ours := seconds(c.alone)
	for i, r := range p.references {
		row := []string{r.name}
		if c.missing[i] != nil {
			row = append(row, c.missing[i].Error(), "-")
		} else {
			its := seconds(c.references[i])
			row = append(row, session.Record(p.many.Name+", "+r.name, "time", "s", its...).Format("%.3g s"), frame.Ratio(ours, its).Format("%.2f"))
		}
		rows = append(rows, row)
	}
	return rows
}

func (s speed) time() float64 { return s.seconds }

func seconds(all []speed) []float64 { return frame.Each(all, speed.time) }
