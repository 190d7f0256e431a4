package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/ledger"
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
	args           func(bits int) []string
	rate           func(out []byte) (float64, error) // Gflop/s, as it says
	rates          map[int][]float64                 // by k
}

// compareFFT runs apps/fft and bench/c/fft in turns and prints both side by side.
func (s *settings) compareFFT(ctx context.Context, dir string, stdout, stderr io.Writer) error {
	all, err := s.transformers(ctx, dir, stderr)
	if err != nil {
		return err
	}
	var idle idleness
	for bits := s.fft.from; bits <= s.fft.to; bits++ {
		for round := range s.rounds {
			for _, t := range all {
				used := awaitIdle(ctx, s.idle)
				idle.add(used)
				begin := time.Now()
				if err := t.launch(ctx, s.limit, bits); err != nil {
					return fmt.Errorf("%s, 2^%d: %w", t.name, bits, err)
				}
				fmt.Fprintf(stderr, "2^%d, round %d of %d: %s in %.1f s; before it others used %.0f%% of the cores\n",
					bits, round+1, s.rounds, t.name, time.Since(begin).Seconds(), used)
			}
		}
	}
	return s.writeRates(stdout, all, idle)
}

// transformers are ours, and at last the one in C.
func (s *settings) transformers(ctx context.Context, dir string, log io.Writer) ([]*transformer, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, err
	}
	var all []*transformer
	add := func(name, launcher string, tags ...string) error {
		path := filepath.Join(dir, "fft-"+name)
		if err := goBuild(ctx, root, log, append(tags, "-o", path, "./apps/fft")...); err != nil {
			return err
		}
		all = append(all, &transformer{name: name, launcher: launcher, path: path, args: s.ourTransform, rate: ourRate})
		return nil
	}
	if s.engine != "mpi" {
		if err := add("in-process", ""); err != nil {
			return nil, err
		}
	}
	if s.engine != "inprocess" {
		launcher := s.mpiLauncher()
		if err := mustFind("mpirun", launcher); err != nil {
			return nil, err
		}
		if err := add("MPI", launcher, "-tags", "mpi"); err != nil {
			return nil, err
		}
	}
	path, err := s.makeTheirs(ctx, root, dir, "fft", log)
	if err != nil {
		return nil, err
	}
	return append(all, &transformer{name: s.name, launcher: s.bsprun, path: path, args: theirTransform, rate: theirRate}), nil
}

func (s *settings) ourTransform(bits int) []string {
	return []string{"-n", fmt.Sprintf("2^%d", bits), "-iterations", strconv.Itoa(iterations(bits)),
		"-procs", strconv.Itoa(s.procs), "-balance", "off", "-quiet"}
}

func theirTransform(bits int) []string {
	return []string{"-log2n", strconv.Itoa(bits), "-iterations", strconv.Itoa(iterations(bits))}
}

// launch runs the program once, which checks its result, and keeps its rate.
func (t *transformer) launch(ctx context.Context, limit time.Duration, bits int) error {
	out, err := output(ctx, limit, t.launcher, t.path, t.args(bits))
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
func ourRate(out []byte) (float64, error) {
	found := timeLine.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("it says no rate:\n%s", tail(out))
	}
	rate, err := strconv.ParseFloat(string(found[1]), 64)
	return rate * map[string]float64{"G": 1, "M": 1e-3, "k": 1e-6, "": 1e-9}[string(found[2])], err
}

// theirRate reads what bench/c/fft prints.
func theirRate(out []byte) (float64, error) {
	var line struct{ Gflops float64 }
	if err := json.Unmarshal(out, &line); err != nil || line.Gflops == 0 {
		return 0, fmt.Errorf("it says no rate:\n%s", tail(out))
	}
	return line.Gflops, nil
}

// writeRates prints the median and the best rate of each, and how ours compare.
func (s *settings) writeRates(w io.Writer, all []*transformer, idle idleness) error {
	fmt.Fprintf(w, "\n Fourier transforms, %d processes, Gflop/s (5 n log2 n for each): median and best of %d launches in turns.\n", s.procs, s.rounds)
	fmt.Fprintf(w, " ratio = median time of ours / median time of %s: below 1 ours is faster.\n", s.name)
	idle.write(w)
	header, theirs := []string{"n"}, all[len(all)-1]
	for _, t := range all {
		header = append(header, t.name, "best")
		if t != theirs {
			header = append(header, "ratio")
		}
	}
	var rows [][]string
	for bits := s.fft.from; bits <= s.fft.to; bits++ {
		row := []string{fmt.Sprintf("2^%d", bits)}
		for _, t := range all {
			median, best := t.summary(bits)
			row = append(row, results.Digits(median), results.Digits(best))
			if other, _ := theirs.summary(bits); t != theirs {
				row = append(row, fmt.Sprintf("%.2f", other/median))
			}
		}
		rows = append(rows, row)
	}
	return ledger.WriteRows(w, header, rows, 0)
}

// summary are the median and the best rate for a size.
func (t *transformer) summary(bits int) (median, best float64) {
	sorted := slices.SortedFunc(slices.Values(t.rates[bits]), cmp.Compare)
	return results.Median(sorted), sorted[len(sorted)-1]
}
