package main

import (
	"strings"
	"testing"
)

// All that has been read is allowed, and each text has one licence.
func TestWhatWasRead(t *testing.T) {
	seen := make(map[string]bool)
	for line := range strings.Lines(read) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 || len(f[2]) != 64 || seen[f[0]+f[2]] {
			t.Fatalf("%q: expected a module, its licence and the sum of its text, once", line)
		}
		seen[f[0]+f[2]] = true
		if err := check(f[0], f[1]); err != nil {
			t.Error(err)
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d licences were read", len(seen))
	}
}

func TestWhatIsAllowed(t *testing.T) {
	for _, c := range []struct {
		module, licence string
		ok              bool
	}{
		{"example.org/m", "MIT", true},
		{"example.org/m", "GPL-3.0-only", false},
		{"example.org/m", "LicenseRef-gompi", false},
		{"example.org/m", "", false},
		{"github.com/sbromberger/gompi", "LicenseRef-gompi", true},
	} {
		if err := check(c.module, c.licence); (err == nil) != c.ok {
			t.Errorf("%s under %q: %v", c.module, c.licence, err)
		}
	}
}
