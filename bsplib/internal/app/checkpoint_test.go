package app

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		text   string
		every  time.Duration
		stages int
		bad    bool
	}{
		{"", 0, 0, false}, {"10m", 10 * time.Minute, 0, false}, {"1h30m", 90 * time.Minute, 0, false}, {"100stages", 0, 100, false},
		{"1stage", 0, 1, false}, {"3 stages", 0, 3, false}, {"10", 0, 0, true}, {"0", 0, 0, true}, {"-1m", 0, 0, true}, {"0stages", 0, 0, true},
		{"-2stages", 0, 0, true}, {"stages", 0, 0, true}, {"1.5stages", 0, 0, true}, {"ten minutes", 0, 0, true}, {"9999999999999999999stages", 0, 0, true},
	} {
		every, stages, err := parseInterval(c.text)
		if every != c.every || stages != c.stages || (err != nil) != c.bad || c.bad && !strings.Contains(err.Error(), "expected a time such as 10m") {
			t.Errorf("%q: %v, %d, %v", c.text, every, stages, err)
		}
	}
}

func FuzzInterval(f *testing.F) {
	for _, text := range []string{"", "10m", "100stages", "1stage", "-1m", "0", "1e9stages", " 1 stage"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		every, stages, err := parseInterval(text)
		if every < 0 || stages < 0 || every > 0 && stages > 0 || (err == nil && text != "") != (every > 0 || stages > 0) {
			t.Fatalf("%q: %v, %d, %v", text, every, stages, err)
		}
		again := fmt.Sprintf("%dstages", stages)
		if every > 0 {
			again = every.String()
		}
		if e, s, err := parseInterval(again); (every > 0 || stages > 0) && (err != nil || e != every || s != stages) {
			t.Fatalf("%q again: %v, %d, %v", again, e, s, err)
		}
	})
}
