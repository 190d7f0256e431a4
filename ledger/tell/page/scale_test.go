package page

import (
	"encoding/base64"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

func TestTickLabels(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{{0, "0"}, {1.5, "1.5 s"}, {0.02, "20 ms"}, {5e-4, "500 us"}, {1e-6, "1 us"}, {2e-7, "200 ns"}, {-0.1, "-100 ms"}, {3600, "3.6e+03 s"}, {1e-19, "0"}} {
		if got := inSeconds(c.x); got != c.want {
			t.Errorf("%g: %s, want %s", c.x, got, c.want)
		}
	}
}

func TestRoundest(t *testing.T) {
	for _, c := range []struct{ low, high, want int }{{1, 1, 1}, {1, 9, 5}, {93, 118, 100}, {141, 160, 150}, {141, 149, 145}, {1203, 1799, 1500}, {7, 7, 7}, {399, 601, 500}} {
		if got := roundest(c.low, c.high); got != c.want {
			t.Errorf("%d to %d: %d, want %d", c.low, c.high, got, c.want)
		}
	}
}

// The script's value of a level is the original, to within the steps.
func TestLevels(t *testing.T) {
	for x := 0.0; x < 50; x += 0.013 {
		l := level(x)
		back := float64(l) / 50
		if l >= fineLevels {
			back = 4 * math.Pow(1.05, float64(l)-fineLevels)
		}
		if l == noWork || math.Abs(back-x) > max(0.0101, 0.026*x) {
			t.Fatalf("%g becomes level %d, which is %g", x, l, back)
		}
	}
	if l := level(1e12); l == noWork {
		t.Error("very much work looks like none")
	}
}

// The picture has a pixel for each cell, in the colour of its value.
func TestHeatMapCells(t *testing.T) {
	all := make(course, 3)
	for i, work := range [][]time.Duration{{1, 3}, {0, 0}, {0, 9}} {
		all[i].Step = ledger.Step{Count: 1, Work: work, WorkSum: work[0] + work[1]}
	}
	data, levels := cellsOf(all, []row{{0, 0, 0}, {1, 1, 0}})
	if want := string([]byte{25, noWork, 0, 75, noWork, 100}); string(levels) != want {
		t.Errorf("levels %v, want %v", levels, []byte(want))
	}
	picture := must.Get(png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data))))(t)
	if size := picture.Bounds().Size(); size.X != 3 || size.Y != 2 {
		t.Errorf("the picture is %v", size)
	}
	for _, c := range []struct {
		x, y int
		want int
	}{{0, 0, 10}, {0, 1, 30}, {1, 0, shadeEmpty}, {2, 0, 0}, {2, 1, 40}} {
		r, g, b, _ := picture.At(c.x, c.y).RGBA()
		R, G, B, _ := shades[c.want].RGBA()
		if r != R || g != G || b != B {
			t.Errorf("cell %d, %d is not shade %d", c.x, c.y, c.want)
		}
	}
}

// Rows keep Sets apart and have each rank once.
func TestRows(t *testing.T) {
	for _, ranks := range []int{1, 2, 255, 256, 257, 5000} {
		for _, sets := range []int{1, 2, 7} {
			run := &ledger.Run{Sets: make([]ledger.Set, sets)}
			for rank := range ranks {
				run.Ranks = append(run.Ranks, ledger.Rank{Set: rank * 13 % ranks * sets / ranks})
			}
			seen := make(map[int]bool)
			for _, r := range rowsOf(run) {
				for rank := r.First; rank <= r.Last; rank++ {
					if seen[rank] || run.Ranks[rank].Set != r.Set {
						t.Fatalf("%d ranks in %d Sets: rank %d is in a row of Set %d", ranks, sets, rank, r.Set)
					}
					seen[rank] = true
				}
			}
			if len(seen) != ranks {
				t.Fatalf("%d of %d ranks are in rows", len(seen), ranks)
			}
		}
	}
}

// Labels of supersteps are a readable multiple of columns' supersteps, and do not overlap, for any
// columns.
func TestSuperstepTicks(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		var all course
		width := 1
		for next, n := 1, 1+random.IntN(900); len(all) < n; {
			all = append(all, column{ledger.Window{Step: ledger.Step{First: next, Last: next + width - 1, Count: width}}})
			next += width
			if random.IntN(200) == 0 {
				width *= 2
			}
		}
		ticks := all.ticks()
		if len(ticks) < 1 || len(ticks) > 13 {
			t.Fatalf("%d columns have the ticks %v", len(all), ticks)
		}
		for i, n := range ticks {
			at := all.at(n)
			if n < all[at].Step.First || n > all[at].Step.Last {
				t.Fatalf("superstep %d is not in column %d, %d to %d", n, at, all[at].Step.First, all[at].Step.Last)
			}
			if i > 0 && all.middle(n) < all.middle(ticks[i-1])+29 {
				t.Fatalf("%d columns: %d and %d are at %g and %g", len(all), ticks[i-1], n, all.middle(ticks[i-1]), all.middle(n))
			}
		}
	}
}
