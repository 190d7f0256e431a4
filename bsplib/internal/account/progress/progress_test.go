package progress

import (
	"testing"
	"time"
)

// A line comes every 30 seconds, or every 5 percent of a loop that takes longer.
func TestProgressLines(t *testing.T) {
	for _, c := range []struct {
		name  string
		loop  time.Duration // 0: not known how long
		lines int           // within an hour
	}{
		{"without stages", 0, 119},
		{"a minute's loop, again and again", time.Minute, 119},
		{"an hour's loop", time.Hour, 19},
		{"a day's loop", 24 * time.Hour, 0},
	} {
		var g Teller
		lines := 0
		for now := time.Duration(0); now < time.Hour; now += time.Second {
			part := 0.0
			if c.loop > 0 {
				part = float64(now%c.loop) / float64(c.loop)
			}
			if g.due(now, part) {
				lines++
			}
		}
		if lines != c.lines {
			t.Errorf("%s: %d lines in an hour, want %d", c.name, lines, c.lines)
		}
	}
}
