package probe

import (
	"math"
	"testing"
	"testing/fstest"
)

func files(texts map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range texts {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// Counters are read from the files of both versions of control groups; of the cores those
// count that the process may use, of groups the one that was throttled most.
func TestContention(t *testing.T) {
	machine := map[string]string{
		"proc/self/stat":                 "17 (a (b) c) R 1 1 1 0 -1 4194304 99 0 0 0 150 50 7 7 20 0 1 0 5 1 1\n",
		"proc/self/status":               "Name:\tx\nCpus_allowed_list:\t1-2\n",
		"proc/thread-self/schedstat":     "1000 2500000000 9\n",
		"proc/self/task/17/schedstat":    "1000 2500000000 9\n",
		"proc/self/task/18/schedstat":    "1000 500000000 9\n",
		"proc/self/cgroup":               "1:cpu,cpuacct:/a/b\n",
		"sys/fs/cgroup/cpu/a/cpu.stat":   "nr_periods 5\nnr_throttled 2\nthrottled_time 2000000000\n",
		"sys/fs/cgroup/cpu/a/b/cpu.stat": "nr_periods 5\nnr_throttled 2\nthrottled_time 1000000000\n",
		"proc/stat": "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 0 0 0 0 0 0 300 0 0\n" +
			"cpu1 100 10 20 500 7 3 4 60 0 0\ncpu2 200 0 0 900 0 0 0 40 0 0\nintr 1\n",
	}
	want := Contention{Delay: 2.5, Throttled: 2, Stolen: 0.5, Own: 2, Busy: 3.37}
	if got := ContentionOf(files(machine), false); !near(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	want.Delay = 3
	if got := ContentionOf(files(machine), true); !near(got, want) {
		t.Errorf("all threads: %+v, want %+v", got, want)
	}
	if got, want := want.Since(Contention{Delay: 1, Own: 5}), (Contention{Delay: 2, Throttled: 2, Stolen: 0.5, Busy: 3.37}); !near(got, want) {
		t.Errorf("since then %+v, want %+v", got, want)
	}
	version2 := files(map[string]string{
		"proc/self/cgroup":           "0::/x\n",
		"sys/fs/cgroup/x/cpu.stat":   "usage_usec 5\nthrottled_usec 250000\n",
		"proc/stat":                  "cpu\ngarbage",
		"proc/self/stat":             "17",
		"proc/thread-self/schedstat": "0 -5",
	})
	if got, want := ContentionOf(version2, false), (Contention{Throttled: 0.25}); !near(got, want) {
		t.Errorf("version 2: %+v, want %+v", got, want)
	}
	if got := ContentionOf(files(nil), true); got != (Contention{}) {
		t.Errorf("without files %+v", got)
	}
}

func near(a, b Contention) bool {
	for _, d := range []float64{a.Delay - b.Delay, a.Throttled - b.Throttled, a.Stolen - b.Stolen, a.Own - b.Own, a.Busy - b.Busy} {
		if math.Abs(d) > 1e-9 {
			return false
		}
	}
	return true
}

// This machine's counters only grow while the process computes.
func TestContentionOfThisMachine(t *testing.T) {
	first := MeasureContention(true)
	kept := 0.0
	for range 100 {
		kept += dependent(kept)
	}
	if now := MeasureContention(true); now.Own < first.Own || now.Busy < first.Busy {
		t.Errorf("%+v after %+v (%g)", now, first, kept)
	}
	if CoresKey() != CoresKey() || ProcessKey() == 0 {
		t.Error("keys change")
	}
}
