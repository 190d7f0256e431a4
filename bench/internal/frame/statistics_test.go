package frame

import (
	"math"
	"strings"
	"testing"
)

// The intervals follow from the binomial distribution: of n samples the k-th smallest and the k-th
// largest have the median between them unless fewer than k are on one side of it.
func TestMedianAndInterval(t *testing.T) {
	for _, c := range []struct {
		samples  []float64
		center   float64
		interval *[2]float64
	}{
		{nil, 0, nil},
		{[]float64{3}, 3, nil},
		{[]float64{2, 1}, 1.5, nil},
		{[]float64{10, 1, 2}, 2, nil},
		{[]float64{5, 4, 3, 2, 1}, 3, nil},                             // 1 - 2/2^5 = 0.9375 with all of them
		{[]float64{6, 5, 4, 3, 2, 1}, 3.5, &[2]float64{1, 6}},          // 1 - 2/2^6 = 0.969
		{[]float64{9, 8, 7, 6, 5, 4, 3, 2, 1}, 5, &[2]float64{2, 8}},   // 1 - 2(1+9)/2^9 = 0.961
		{[]float64{1, 1, 1, 1, 1, 1, 900}, 1, &[2]float64{1, 900}},     // 1 - 2/2^7 = 0.984; from the second on 0.875
		{[]float64{-1, -2, -3, -4, -5, -6}, -3.5, &[2]float64{-6, -1}}, // as without the signs
	} {
		kept := append([]float64(nil), c.samples...)
		got := Summarise(c.samples)
		if got.Center != c.center || (got.Interval == nil) != (c.interval == nil) || c.interval != nil && *got.Interval != *c.interval {
			t.Errorf("%v: %v %v, want %v %v", c.samples, got.Center, got.Interval, c.center, c.interval)
		}
		for i := range kept {
			if kept[i] != c.samples[i] {
				t.Errorf("%v has become %v", kept, c.samples)
			}
		}
	}
}

// Rounds that all took twice as long, theirs too, do not change a ratio.
func TestRatioIsOfPairs(t *testing.T) {
	if got := Ratio([]float64{1, 2, 20}, []float64{2, 4, 40}); got.Center != 0.5 {
		t.Errorf("%v", got)
	}
	if got := Ratio([]float64{1, 3, 2}, []float64{5, 4, 1}); got.Center != 0.75 {
		t.Errorf("the ratios are 0.2, 0.75 and 2: %v", got)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		want    string
	}{
		{[]float64{1, 2, 3}, "2.0 s"},
		{[]float64{9, 10, 10, 10, 10, 10.5}, "10.0 s ±10%"},
		{[]float64{-9, -10, -10, -10, -10, -10.5}, "-10.0 s ±10%"},
		{[]float64{0, 0, 0, 0, 0, 0}, "0.0 s"},
	} {
		if got := Summarise(c.samples).Format("%.1f s"); got != c.want {
			t.Errorf("%v: %q, want %q", c.samples, got, c.want)
		}
	}
}

func TestMiddle(t *testing.T) {
	same := func(x float64) float64 { return x }
	if got := Middle([]float64{3, 1, 2}, same); got != 2 {
		t.Errorf("%v", got)
	}
	if got := Middle([]float64{4, 1, math.Inf(1), 2}, same); got != 4 {
		t.Errorf("%v", got)
	}
}

// One description gives both forms.
func TestTable(t *testing.T) {
	some := Table{Title: "Title", Header: []string{"program", "time"}, Text: []int{0}, Notes: []string{"note"}}
	some.Add("lu", "1 s")
	some.Add("fractal", "10 s")
	for markdown, want := range map[bool]string{
		true: "\nTitle:\n\n| program | time |\n|---|--:|\n| lu | 1 s |\n| fractal | 10 s |\n\nnote\n",
		false: `
 Title
 program  time
---------------
 lu        1 s
 fractal  10 s
 note
`,
	} {
		var w strings.Builder
		if err := some.Write(&w, markdown); err != nil || w.String() != want {
			t.Errorf("%v, got\n%s\nwant\n%s", err, w.String(), want)
		}
	}
	several := Table{Title: "One\ntwo\n", Header: []string{"x"}}
	var w strings.Builder
	if err := several.Write(&w, false); err != nil || !strings.HasPrefix(w.String(), "\n One\n two\n\n x\n") {
		t.Errorf("%v\n%s", err, w.String())
	}
}
