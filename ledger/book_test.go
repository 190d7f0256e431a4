package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const us = time.Microsecond

// sample is a superstep of two ranks that worked a and b.
func sample(site uint64, a, b time.Duration) Step {
	s := Step{
		Site: site, Ranks: 2, WorkSum: a + b, WorkMax: max(a, b), WorkMin: min(a, b),
		SlowestRank: 0, Slowest: 3, SlowestWork: max(a, b), H: 1000, Comm: us, Total: max(a, b) + us,
	}
	if b > a {
		s.SlowestRank, s.Slowest = 1, 7
	}
	return s
}

func TestBookAddsUpBySite(t *testing.T) {
	b := Book{Name: func(site uint64) string { return fmt.Sprintf("file.go:%d", site) }}
	for range 3 {
		b.Add(sample(10, 30*us, 10*us))
	}
	b.Add(sample(20, 5*us, 15*us))
	b.Add(sample(0, 1*us, 1*us))
	if b.Steps() != 5 {
		t.Errorf("%d steps, want 5", b.Steps())
	}
	total := b.Total()
	if total.Count != 5 || total.WorkMax != 106*us || total.WorkSum != 142*us || total.H != 5000 {
		t.Errorf("total %+v", total)
	}
	first := b.sites[0]
	if first.WorkAvg() != 60*us || first.Imbalance() != 1.5 || fmt.Sprintf("%.3f", first.Idle()) != "0.333" {
		t.Errorf("first site: avg %v, imbalance %v, idle %v", first.WorkAvg(), first.Imbalance(), first.Idle())
	}
	var out strings.Builder
	if err := b.WriteTable(&out, "sites", Machine{G: 1 << 30, L: 2 * us}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"file.go:10", "file.go:20", "end", "all", "p3 in 100%", "p7 in 100%", "1.50", "33.3%", "   9 us  3 us   93 us"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// A long run takes no more memory than maxWindows windows, and loses nothing.
func TestWindowsDoubleInLength(t *testing.T) {
	b := Book{Name: func(uint64) string { return "x" }}
	const steps = 5*maxWindows + 123
	for i := range steps {
		b.Add(sample(uint64(1+i%2), us, us))
	}
	if len(b.windows) > maxWindows {
		t.Fatalf("%d windows, want at most %d", len(b.windows), maxWindows)
	}
	next := 1
	for _, w := range b.windows {
		if w.First != next || w.Count != b.width && next+w.Count != steps+1 {
			t.Fatalf("window of %d steps at %d, want %d at %d", w.Count, w.First, b.width, next)
		}
		if !w.Mixed && w.Count > 1 {
			t.Fatalf("window at %d does not say that its sites differ", w.First)
		}
		next += w.Count
	}
	if next != steps+1 {
		t.Errorf("windows end at %d, want %d", next-1, steps)
	}
}

func TestTableOfNothing(t *testing.T) {
	for _, view := range Views {
		var out strings.Builder
		b := Book{Name: func(uint64) string { return "" }}
		if err := b.WriteTable(&out, view, Machine{}); err != nil {
			t.Errorf("%s: %v", view, err)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Seconds(0), "0 ns"}, {Seconds(999), "999 ns"}, {Seconds(1500), "1.50 us"}, {Seconds(999600), "1.00 ms"},
		{Seconds(12 * time.Second), "12 s"}, {Seconds(3 * time.Hour), "10800 s"},
		{Bytes(0), "0 B"}, {Bytes(999), "999 B"}, {Bytes(1024), "1 KiB"}, {Bytes(3 << 19), "1.50 MiB"}, {Bytes(1 << 50), "1024 TiB"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
