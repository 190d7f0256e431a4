package live

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/migbsp/migbsp/ledger"
)

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 1500 * time.Millisecond: "1.50 s", 59 * time.Second: "59 s", time.Minute: "1:00", 3599 * time.Second: "59:59",
		time.Hour: "1:00:00", 86399 * time.Second: "23:59:59", 49 * time.Hour: "2d 1:00",
	} {
		if got := clock(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 9999: "9999", 10000: "10 000", 1234567: "1 234 567"} {
		if got := count(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	for _, x := range []float64{math.Inf(1), math.MaxFloat64, -math.MaxFloat64} {
		if got := ledger.SecondsOf(x); strings.Contains(got, "Inf") || len(got) > 20 {
			t.Errorf("%g s is %q", x, got)
		}
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []float64
		low    float64
		want   string
	}{
		{nil, 0, ""}, {[]float64{0, 0}, 0, ".."}, {[]float64{1, 1, 1}, 1, "..."}, {[]float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 0, ".:-=+*#@@"}, {[]float64{1, 1.5, 2}, 1, ".+@"}, {[]float64{0.5, 2}, 1, ".@"},
	} {
		if got := spark(c.values, c.low, asciiBars); got != c.want {
			t.Errorf("%v is %q, want %q", c.values, got, c.want)
		}
	}
}

// Merging keeps sums.
func TestMerge(t *testing.T) {
	for n := 1; n < 50; n++ {
		for room := 1; room < 60; room += 7 {
			var points []ledger.Window
			for i := range n {
				points = append(points, ledger.Window{Moved: i % 3, Step: ledger.Step{Count: 1, Ranks: 2, WorkMax: time.Duration(i), WorkSum: 2 * time.Duration(i)}})
			}
			type sums struct {
				work         time.Duration
				steps, moved int
			}
			var before, after sums
			for _, p := range points {
				before = sums{before.work + p.Step.WorkMax, before.steps + p.Step.Count, before.moved + p.Moved}
			}
			merged := merge(points, room)
			for _, p := range merged {
				after = sums{after.work + p.Step.WorkMax, after.steps + p.Step.Count, after.moved + p.Moved}
				if p.Step.Count == 0 {
					t.Errorf("%d points in %d: one is empty", n, room)
				}
			}
			if after != before || len(merged) != min(n, room) {
				t.Errorf("%d points in %d: %+v, want %+v", n, room, after, before)
			}
		}
	}
}

// Columns are shortened to their minimum before others are left out.
func TestTable(t *testing.T) {
	tab := &table{
		columns: []column{{head: "NAME", least: 4}, {head: "n", right: true}, {head: "more", rank: 1}, {head: "most", rank: 2}},
		rows:    [][]chunk{{{"abcdefgh", plain}, {"1", plain}, {"xx", plain}, {"yy", plain}}, {{"b", plain}, {"none: of this many", plain}}},
	}
	for width, want := range map[int]string{
		40: "NAME      n  more  most\nabcdefgh  1  xx    yy  \nb         none: of thi…",
		20: "NAME   n  more  most\nabcd…  1  xx    yy  \nb      none: of thi…",
		16: "NAME     n  more\nabcdef…  1  xx  \nb        none: …",
		11: "NAME      n\nabcdefgh  1\nb         …",
		8:  "NAME   n\nabcd…  1\nb      …",
		3:  "NA…\nab…\nb …",
	} {
		var got []string
		for _, l := range tab.lay(width) {
			got = append(got, l.String())
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("in %d columns:\n%s\nwant\n%s", width, strings.Join(got, "\n"), want)
		}
	}
}

// Any text of a record stays in its columns when shown.
func FuzzClean(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = max(0, min(width, 1000))
		got := padded(clean(s), width, false)
		if w := displaywidth.String(got); w > width || widthOf(got) != width || !utf8.ValidString(got) {
			t.Errorf("%q in %d columns is %q, which has %d, measured %d", s, width, got, w, widthOf(got))
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
			t.Errorf("%q becomes %q", s, got)
		}
	})
}
