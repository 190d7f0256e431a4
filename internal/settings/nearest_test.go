package settings

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"balance", "config", "n", "procs", "quiet", "ranks", "run-dir"}
	for _, c := range []struct{ read, want string }{
		{"porcs", "procs"}, {"proc", "procs"}, {"prcos", "procs"}, {"rank", "ranks"}, {"rundir", "run-dir"},
		{"bal", "balance"}, {"quite", "quiet"}, {"blaance", "balance"}, {"m", "n"}, {"nodes", ""}, {"walrus", ""},
	} {
		if got := Nearest(c.read, names); got != c.want {
			t.Errorf("nearest to %q is %q, want %q", c.read, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "axc", 1}, {"abc", "acb", 1},
		{"abc", "abxc", 1}, {"abc", "ac", 1}, {"kitten", "sitting", 3}, {"abcd", "badc", 2},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
