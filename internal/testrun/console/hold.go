package console

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// launches is the number of times that Hold runs each measured block.
const launches = 5

// needed returns the number of launches in which the claim has to hold. A claim of equality does not
// depend on the load of the machine. A bound may be missed once, because the runs of a page's blocks
// are short enough for other programs to disturb them.
func (c *claim) needed() int {
	if c.exact {
		return launches
	}
	return launches - 1
}

// Hold runs the measured blocks of the lane five times on a busy machine, and reports failed claims.
// A claim of equality has to hold each time, other claims in four of the five. Up to -parallel
// launches run concurrently, and other work uses half of the cores. Run, and not Hold, compares the
// output of blocks.
func (bench *Bench) Hold(t *testing.T, pages []*Page) {
	t.Helper()
	s := score{figures: make(map[*claim][]string), held: make(map[*claim]int)}
	load := startLoad()
	defer load.stop()
	t.Run("launches", func(t *testing.T) {
		for n := range launches {
			t.Run(strconv.Itoa(n+1), func(t *testing.T) {
				t.Parallel()
				own := *bench
				own.copy = t.TempDir()
				for _, p := range pages {
					own.launch(t, p, &s)
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	for _, p := range pages {
		for _, b := range p.Blocks {
			for i := range b.claims {
				if c := &b.claims[i]; len(s.figures[c]) > 0 {
					s.report(t, fmt.Sprintf("%s:%d", p.Name, b.Line), c)
				}
			}
		}
	}
}

// launch runs the measured blocks of a page once, and scores their claims.
func (bench *Bench) launch(t *testing.T, p *Page, s *score) {
	t.Helper()
	dir := ""
	for _, b := range p.Blocks {
		if !b.Measured || b.Shown != "" || b.Lane() != bench.lane || b.missing() != "" {
			continue
		}
		if dir == "" {
			dir = bench.scratch(t, p)
		}
		var all []string
		for i, c := range b.Commands {
			printed, code, _ := bench.command(t, p, c, dir)
			if code != b.code(i) {
				t.Errorf("%s:%d: $ %s\nends with code %d, want %d, and prints\n%s", p.Name, c.Line, c.Text, code, b.code(i), printed)
			}
			all = append(all, split(printed)...)
		}
		for i := range b.claims {
			s.add(&b.claims[i], all)
		}
	}
}

// score counts the launches in which claims hold. It is safe for concurrent use.
type score struct {
	mu      sync.Mutex
	figures map[*claim][]string
	held    map[*claim]int
}

func (s *score) add(c *claim, lines []string) {
	figure, holds := c.verdict(lines)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.figures[c] = append(s.figures[c], figure)
	if holds {
		s.held[c]++
	}
}

func (s *score) report(t *testing.T, place string, c *claim) {
	t.Helper()
	figures := slices.Sorted(slices.Values(s.figures[c]))
	text := fmt.Sprintf("%s: %s holds in %d of %d launches on a busy machine: %s", place, c.text, s.held[c], len(figures), strings.Join(figures, ", "))
	if s.held[c] < c.needed() {
		t.Errorf("%s; expected in %d", text, c.needed())
		return
	}
	t.Log(text)
}

// load keeps half of the cores busy with a goroutine each, until it is stopped or the test ends
// for any reason. The launches that run at the same time load the machine too.
type load struct {
	ended chan struct{}
	all   sync.WaitGroup
}

func startLoad() *load {
	l := &load{ended: make(chan struct{})}
	for range max(1, runtime.NumCPU()/2) {
		l.all.Go(func() {
			for {
				select {
				case <-l.ended:
					return
				default:
				}
			}
		})
	}
	return l
}

func (l *load) stop() {
	close(l.ended)
	l.all.Wait()
}
