package sbatch

import (
	"strings"
	"testing"
)

func TestArrays(t *testing.T) {
	for _, c := range []struct {
		text string
		last int // -1: refused
	}{
		{"0-11", 11}, {"5", 5}, {"1,3,5-7", 7}, {"9,1", 9}, {"0-11%4", 11}, {"0-30:10", 30}, {"0-29:10", 20}, {"3-3", 3},
		{"", -1}, {"a", -1}, {"1-", -1}, {"-1", -1}, {"3-1", -1}, {"1,,2", -1}, {"1%", -1}, {"1%0", -1}, {"1%x", -1},
		{"0-9:0", -1}, {"0-9:", -1}, {"1:2", -1}, {"1%2%3", -1}, {"4000001", -1}, {"0-9 ", -1}, {"1-2-3", -1},
	} {
		a, err := ParseArray(c.text)
		if c.last < 0 {
			if err == nil {
				t.Errorf("%q: %+v", c.text, a)
			}
			continue
		}
		if err != nil || a.Spec != c.text || a.Last != c.last {
			t.Errorf("%q: %+v, %v, want last %d", c.text, a, err, c.last)
		}
	}
}

func FuzzParseArray(f *testing.F) {
	for _, seed := range []string{"0-11%4", "1,3,5-7", "0-30:10", "5", "%", ",", "1-2:3%4"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseArray(text)
		if err == nil && (a.Last < 0 || a.Last > mostTasks || strings.Trim(text, "0123456789-,:%") != "") {
			t.Errorf("%q: %+v", text, a)
		}
	})
}
