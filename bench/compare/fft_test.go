package main

import (
	"math"
	"strings"
	"testing"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]sizes{"20:25": {20, 25}, "16": {16, 16}} {
		if got, err := sizesOf(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "0:3", "5:4", "20:29", "20:25:30", "20:"} {
		if got, err := sizesOf(text); err == nil || !strings.Contains(err.Error(), "expected two numbers from 1 to 28") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestRates(t *testing.T) {
	for _, c := range []struct {
		rate func(string) (float64, error)
		out  string
		want float64
	}{
		{ourRate, "Fourier\ntime      0.5 s, 4.25 Gflop/s\ncheck\n", 4.25},
		{ourRate, "time      0.5 s, 850 Mflop/s\n", 0.85},
		{theirRate, `{"measure":"fft","gflops":14.43,"error":0.189}` + "\n", 14.43},
	} {
		if got, err := c.rate(c.out); err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%q: %g, %v", c.out, got, err)
		}
		if got, err := c.rate("{}\nFAILED\n"); err == nil {
			t.Errorf("%g of nothing", got)
		}
	}
}

func TestTableOfRates(t *testing.T) {
	s := &settings{procs: []int{2}, transport: &transports[0], fft: &sizes{20, 20}}
	var w strings.Builder
	table := s.rates([]*transformer{
		{name: "in-process", rates: map[int][]float64{20: {6, 8, 5}}},
		{name: "X", rates: map[int][]float64{20: {3, 3, 4}}},
	}, 3, idleness{launches: 6, busy: 1, worst: 30})
	err := table.Write(&w, false)
	got := strings.Join(strings.Fields(w.String()), " ")
	for _, want := range []string{"n in-process best ratio X best", "2^20 6.00 8.00 0.50 3.00 4.00", "1 of 6 launches began while others used up to 30%"} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s (%v)", want, w.String(), err)
		}
	}
}
