package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
)

// sizes are lengths of vectors, by their logarithms: from one to another.
type sizes struct{ from, to int }

// mostBits is the logarithm of the longest vector to compare.
const mostBits = 28

// sizesOf reads FROM:TO.
func sizesOf(text string) (sizes, error) {
	first, last, found := strings.Cut(text, ":")
	if !found {
		last = first
	}
	from, wrong := strconv.Atoi(first)
	to, wrongTo := strconv.Atoi(last)
	if wrong != nil || wrongTo != nil || from < 1 || to < from || to > mostBits {
		return sizes{}, fmt.Errorf("-fft %s: expected two numbers from 1 to %d, as in 20:25", text, mostBits)
	}
	return sizes{from, to}, nil
}

// iterations is how often a vector is transformed forward and back: shorter ones more
// often.
func iterations(bits int) int { return max(2, 1<<max(0, 23-bits)) }

// transformer is a program that transforms vectors of 2^k numbers, and how fast it was.
type transformer struct {
	name           string
	launcher, path string
	ranks          int // 0 for as many as processes
	nodeSize       int
	args           func(bits int) []string
	rate           func(out string) (float64, error) // Gflop/s, as it says
	rates          map[int][]float64                 // by k
}

// compareFFT runs apps/fft and bench/c/fft in turns and prints both side by side.
func (s *settings) compareFFT(ctx context.Context, session *frame.Session) error {
	all, err := s.transformers(ctx, session)
	if err != nil {
		return err
	}
	var idle idleness
	for bits := s.fft.from; bits <= s.fft.to; bits++ {
		for round := range session.Rounds {
			for _, t := range all {
				used := awaitIdle(ctx, s.wait)
				idle.add(used)
				if err := t.launch(ctx, s, bits); err != nil {
					return fmt.Errorf("%s, 2^%d: %w", t.name, bits, err)
				}
				session.Progress("2^%d, round %d of %d: %s; before it others used %.0f%% of the cores", bits, round+1, session.Rounds, t.name, used)
			}
		}
		for _, t := range all {
			session.Record(fmt.Sprintf("%s, 2^%d", t.name, bits), "rate", "Gflop/s", t.rates[bits]...)
		}
	}
	session.Table(s.rates(all, session.Rounds, idle))
	return nil
}

// transformers are ours, and at last the one in C.
func (s *settings) transformers(ctx context.Context, session *frame.Session) (all []*transformer, err error) {
	if err := s.buildOurs(ctx, session, "./apps/fft"); err != nil {
		return nil, err
	}
	for _, e := range s.engines(s.procs[0]) {
		all = append(all, &transformer{name: e.name, launcher: e.launcher, ranks: e.ranks, nodeSize: s.nodeSize, path: e.built(session, "./apps/fft"), args: s.ourTransform, rate: ourRate})
	}
	other := s.bsplibs[0]
	path, err := s.makeTheirs(ctx, session, other, "fft")
	return append(all, &transformer{name: other.name, launcher: other.run, path: path, args: theirTransform, rate: theirRate}), err
}

func (s *settings) ourTransform(bits int) []string {
	return []string{"-n", fmt.Sprintf("2^%d", bits), "-iterations", strconv.Itoa(iterations(bits)),
		"-procs", strconv.Itoa(s.procs[0]), "-balance", "off", "-quiet"}
}

func theirTransform(bits int) []string {
	return []string{"-log2n", strconv.Itoa(bits), "-iterations", strconv.Itoa(iterations(bits))}
}

// launch runs the program once, which checks its result, and keeps its rate.
func (t *transformer) launch(ctx context.Context, s *settings, bits int) error {
	launcher := strings.ReplaceAll(t.launcher, "NP", strconv.Itoa(cmp.Or(t.ranks, s.procs[0])))
	out, err := output(ctx, s.limit, s.transport.environment(t.nodeSize), launcher, t.path, t.args(bits))
	if err != nil {
		return err
	}
	rate, err := t.rate(out)
	if err != nil {
		return err
	}
	if t.rates == nil {
		t.rates = make(map[int][]float64)
	}
	t.rates[bits] = append(t.rates[bits], rate)
	return nil
}

var timeLine = regexp.MustCompile(`(?m)^time +[0-9.e+-]+ s, ([0-9.e+-]+) ([GMk]?)flop/s$`)

// ourRate reads what apps/fft prints.
func ourRate(out string) (float64, error) {
	found := timeLine.FindStringSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("it says no rate:\n%s", out)
	}
	rate, err := strconv.ParseFloat(found[1], 64)
	return rate * map[string]float64{"G": 1, "M": 1e-3, "k": 1e-6, "": 1e-9}[found[2]], err
}

// theirRate reads what bench/c/fft prints.
func theirRate(out string) (float64, error) {
	var line struct{ Gflops float64 }
	if err := json.Unmarshal([]byte(out), &line); err != nil || line.Gflops == 0 {
		return 0, fmt.Errorf("it says no rate:\n%s", out)
	}
	return line.Gflops, nil
}

// rates are the median and the best rate of each, and how ours compare.
func (s *settings) rates(all []*transformer, rounds int, idle idleness) frame.Table {
	t := frame.Table{
		Part: "fft",
		Title: fmt.Sprintf("Fourier transforms, %s, %s; Gflop/s (5 n log2 n for each): median and best of %s in turns.\n", count(s.procs[0], "process"), s.transport.describe(), count(rounds, "launch")) +
			fmt.Sprintf("ratio = time of ours / time of %s: below 1 ours is faster.", all[len(all)-1].name) + idle.title(),
		Header: []string{"n"}, Text: []int{0},
	}
	theirs := all[len(all)-1]
	for _, one := range all {
		t.Header = append(t.Header, one.name, "best")
		if one != theirs {
			t.Header = append(t.Header, "ratio")
		}
	}
	for bits := s.fft.from; bits <= s.fft.to; bits++ {
		row := []string{fmt.Sprintf("2^%d", bits)}
		for _, one := range all {
			row = append(row, results.Digits(frame.Median(one.rates[bits])), results.Digits(slices.Max(one.rates[bits])))
			if one != theirs {
				row = append(row, frame.Ratio(theirs.rates[bits], one.rates[bits]).Format("%.2f"))
			}
		}
		t.Add(row...)
	}
	return t
}
