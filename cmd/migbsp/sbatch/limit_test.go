package sbatch

import (
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		text    string
		seconds int // -1: refused
	}{
		{"90", 5400}, {"0:30", 30}, {"90:00", 5400}, {"1:00:00", 3600}, {"100:59:59", 363599}, {"2-12", 216000},
		{"2-12:30", 217800}, {"0-00:00:01", 1}, {"1-23:59:59", 172799}, {"unlimited", 0}, {"INFINITE", 0},
		{"", -1}, {"0", -1}, {"0:00", -1}, {"-5", -1}, {"+5", -1}, {"1:60", -1}, {"1:00:60", -1}, {"1:60:00", -1}, {"1-24", -1},
		{"1-2:60", -1}, {"1-2:3:4:5", -1}, {"1:2:3:4", -1}, {"1-", -1}, {"-", -1}, {":", -1}, {"1::2", -1}, {"1.5", -1},
		{"1h", -1}, {" 5", -1}, {"5\n", -1}, {"99999999999999999999", -1}, {"35791395", -1}, {"24856-0", -1}, {"1-2-3", -1},
	} {
		l, err := ParseLimit(c.text)
		if c.seconds < 0 {
			if err == nil || !strings.HasPrefix(err.Error(), "expected ") {
				t.Errorf("%q: %+v, %v", c.text, l, err)
			}
			continue
		}
		if err != nil || l.Seconds != c.seconds || !strings.EqualFold(l.Text, c.text) {
			t.Errorf("%q: %+v, %v, want %d seconds", c.text, l, err, c.seconds)
		}
	}
}

func FuzzParseLimit(f *testing.F) {
	for _, seed := range []string{"90", "1:30", "1:30:00", "2-12", "2-12:30:00", "UNLIMITED", "-", "1:-1", "35791394"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLimit(text)
		if err == nil && (l.Seconds < 0 || strings.Trim(l.Text, "0123456789:-") != "" && l.Seconds != 0) {
			t.Errorf("%q: %+v", text, l)
		}
	})
}
