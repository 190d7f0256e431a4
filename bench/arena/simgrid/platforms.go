package simgrid

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// routed is a platform in both simulators: its routes, and the times of a workload that
// computes on each host and sends a message along each route.
type routed struct {
	hosts, pairs, differing int
	first                   string // of those that differ
	refused                 error  // here
	refusedThere            string // in SimGrid
	ours, theirs            float64
}

func (r *routed) off() float64 { return math.Abs(r.ours/r.theirs - 1) }

// mostCompared bounds the hosts of a platform whose routes are compared.
const mostCompared = 24

// route compares a platform in both simulators. Messages go one after another, or, where
// latencies are 0, also all at once: for with other latencies SimGrid does not divide
// links equally.
func (p *programs) route(ctx context.Context, file string) (*routed, error) {
	platform, err := sim.Read(file)
	if err != nil {
		return &routed{refused: err}, nil
	}
	r := &routed{hosts: len(platform.Hosts)}
	chosen := rand.New(rand.NewPCG(uint64(r.hosts), 19)).Perm(r.hosts)
	chosen = chosen[:min(r.hosts, mostCompared)]
	var pairs strings.Builder
	for _, from := range chosen {
		for _, to := range chosen {
			fmt.Fprintf(&pairs, "%s\t%s\n", platform.Hosts[from].Name, platform.Hosts[to].Name)
		}
	}
	pairsFile := p.csv + ".pairs"
	workload := sequence(platform, chosen)
	if err := errors.Join(os.WriteFile(pairsFile, []byte(pairs.String()), 0o644), os.WriteFile(p.csv, []byte(workload), 0o644)); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	// Some platforms make SimGrid write traces where it runs.
	text, _, err := frame.Timed(ctx, filepath.Dir(p.csv), p.replay, append(plainFlows, absolute, p.csv, pairsFile)...)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		r.refusedThere = lastLine(err.Error())
		return r, nil
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != len(chosen)*len(chosen)+1 {
		return nil, fmt.Errorf("%s: SimGrid's replay printed %d lines, expected %d", file, len(lines), len(chosen)*len(chosen)+1)
	}
	for i, from := range chosen {
		for j, to := range chosen {
			r.compare(platform, from, to, lines[i*len(chosen)+j])
		}
	}
	if r.theirs, err = strconv.ParseFloat(lines[len(lines)-1], 64); err != nil {
		return nil, err
	}
	load, err := sim.ReadCSV(p.csv, platform)
	if err != nil {
		return nil, err
	}
	where := frame.Each(chosen, func(host int) int32 { return int32(host) })
	result, err := sim.Run(ctx, &sim.Config{Platform: platform, Workload: load, Where: where}, sim.Report{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r.ours = result.Time
	return r, nil
}

// lastLine returns the last line of what SimGrid says that is not its stack.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "->") })
	return lines[len(lines)-1]
}

// compare compares a route with a line of SimGrid's: its latency, and its links in any
// order, for SimGrid's searches do not keep to one.
func (r *routed) compare(p *sim.Platform, from, to int, line string) {
	r.pairs++
	ours := "none"
	route, err := p.Route(from, to)
	if err == nil {
		ours = described(route.Latency, frame.Each(route.Links, func(link int) string { return p.Links[link].Name }))
	}
	theirs := line
	words := strings.Split(line, "\t")
	// Where a bypass ends at a gateway, SimGrid goes on from there to itself.
	words = slices.DeleteFunc(words, func(link string) bool { return link == "__loopback__" })
	if latency, err := strconv.ParseFloat(words[0], 64); len(words) == 1 && from != to {
		theirs = "none"
	} else if err == nil {
		theirs = described(latency, words[1:])
	}
	if ours == theirs {
		return
	}
	r.differing++
	if r.first == "" {
		r.first = fmt.Sprintf("%s to %s: %s; in SimGrid %s", p.Hosts[from].Name, p.Hosts[to].Name, ours, theirs)
	}
}

func described(latency float64, links []string) string {
	return fmt.Sprintf("%.9g s over %s", latency, strings.Join(slices.Sorted(slices.Values(links)), " "))
}

// sequence is a workload with a process on each chosen host: each computes, then a
// message follows another, and if no link has a latency, then all send at once.
func sequence(p *sim.Platform, chosen []int) string {
	var text strings.Builder
	least := slices.Min(frame.Each(chosen, func(host int) float64 { return p.Hosts[host].Speed }))
	for pid, host := range chosen {
		fmt.Fprintf(&text, "map,%d,%s\nwork,1,%d,%g\n", pid, p.Hosts[host].Name, pid, least)
	}
	step := 1
	var atOnce []string
	for a, from := range chosen {
		for b, to := range chosen {
			if _, err := p.Route(from, to); err != nil {
				continue
			}
			if step++; step > 100 && a != b {
				break
			}
			fmt.Fprintf(&text, "msg,%d,%d,%d,%d\n", step, a, b, 1_000_000+1000*a+b)
			atOnce = append(atOnce, fmt.Sprintf("%d,%d,%d", a, b, 1_000_000+1000*a+b))
		}
	}
	if !slices.ContainsFunc(p.Links, func(l sim.Link) bool { return l.Latency > 0 || l.Delay != nil }) {
		step++
		for _, message := range atOnce {
			fmt.Fprintf(&text, "msg,%d,%s\n", step, message)
		}
	}
	fmt.Fprintf(&text, "steps,%d\n", step)
	return text.String()
}

// platformFiles are the platforms in a directory and in those within it: files in whose
// root element there is more than what runs on one.
func platformFiles(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".xml" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, element := range []string{"<zone", "<AS", "<cluster", "<host"} {
			if strings.Contains(string(text), element) && strings.Contains(string(text), "<platform") {
				files = append(files, path)
				break
			}
		}
		return err
	})
	return files, err
}
