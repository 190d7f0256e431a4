package forecast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// seriesOf is the work of some processes in 32 supersteps of one class, with more to come.
func seriesOf(procs, horizon int, work func(pid, c int) float64) *Series {
	rows := make([][]float32, procs)
	for pid := range rows {
		for c := range 32 {
			rows[pid] = append(rows[pid], float32(work(pid, c)))
		}
	}
	return NewSeries(rows, make([]int, 32), 32, horizon, 32, &params.Default.Forecast)
}

// hump is work that wanders around over 48 processes, so many in a superstep.
func hump(speed float64) func(pid, c int) float64 {
	return func(pid, c int) float64 {
		x := math.Mod(float64(pid)-speed*float64(c)+480, 48) - 24
		return 1 + 9*math.Exp(-x*x/20)
	}
}

var predictors = map[string]predictor{"mean": mean, "window": window, "drift": drift, "wave": goOn}

// Loads for which one predictor is right and the others are wrong.
var loads = map[string]struct {
	procs int
	work  func(pid, c int) float64
	by    []string // that foretell the mean of the next supersteps within a twentieth
	not   []string // at least a tenth off, or not applicable
}{
	"constant": {12, func(pid, _ int) float64 { return float64(1 + pid) }, []string{"mean", "window"}, []string{"wave", "drift"}},
	"jump": {12, func(pid, c int) float64 {
		if c >= 15 {
			pid = 11 - pid
		}
		return float64(1 + pid)
	}, []string{"window"}, []string{"mean", "wave", "drift"}},
	"drift":      {48, hump(0.25), []string{"drift"}, []string{"mean", "window", "wave"}},
	"drift back": {48, hump(-0.25), []string{"drift"}, []string{"mean", "window", "wave"}},
}

func TestPredictors(t *testing.T) {
	const horizon = 24
	for name, load := range loads {
		m := seriesOf(load.procs, horizon, load.work)
		off := func(p string) float64 {
			coming, ok := predictors[p](m)
			if !ok {
				return math.Inf(1)
			}
			wrong, all := 0.0, 0.0
			for pid := range coming.Rows {
				will := 0.0
				for c := range horizon {
					will += load.work(pid, 32+c) / horizon
				}
				wrong, all = wrong+math.Abs(coming.MeanWork(pid, 0)-will), all+will
			}
			return wrong / all
		}
		for _, p := range load.by {
			if e := off(p); e > 0.05 {
				t.Errorf("%s: %s is %.3g of the work off", name, p, e)
			}
		}
		for _, p := range load.not {
			if e := off(p); e < 0.1 {
				t.Errorf("%s: %s is only %.3g of the work off", name, p, e)
			}
		}
	}
}

// Supersteps of several classes alternate: in any window each class has the weight it has in the
// run, and the process with most work in a class is expected to have it again.
func TestWindowsHaveAllClasses(t *testing.T) {
	const procs, hub = 8, 3
	for turn := 2; turn <= 3; turn++ {
		for columns := 4 * turn; columns <= 32; columns++ {
			for jump := range columns - 2*turn { // work of the others changes at once, so that short windows are better
				rows, classes := make([][]float32, procs), make([]int, columns)
				for c := range columns {
					classes[c] = (c + turn - columns%turn) % turn // the last is the last of its stage
					for pid := range rows {
						work := 0.0001
						if classes[c] == 0 {
							switch work = 1; {
							case pid == hub:
								work = 10
							case c >= jump:
								work = 2
							}
						}
						rows[pid] = append(rows[pid], float32(work))
					}
				}
				coming, _ := predictor(window).coming(NewSeries(rows, classes, columns, 100, columns, &params.Default.Forecast))
				if got, want := coming.MeanWork(hub, 0)*float64(turn), 10.0; math.Abs(got-want) > 0.1*want {
					t.Fatalf("%d classes in %d columns, with a change at %d: %d columns say that who does %g does %.3g", turn, columns, jump, coming.Columns, want, got)
				}
			}
		}
	}
}

// Rare work of a few processes remains in the forecast even if the last supersteps had none.
func TestRareWorkIsNotForgotten(t *testing.T) {
	for _, every := range []int{8, 12, 16} {
		m := seriesOf(12, 1000, func(pid, c int) float64 {
			if at := c - 27 + 2*every; at%every < 2 && pid == (5*(at/every))%12 {
				return 20
			}
			return 1
		})
		coming, _ := window(m)
		sum := 0.0
		for pid := range coming.Rows {
			sum += coming.MeanWork(pid, 0)
		}
		if want := 12 + 19*2/float64(every); sum < 0.9*want || sum > 1.2*want {
			t.Errorf("two of %d supersteps are long: %g are to be done in one, want about %g", every, sum, want)
		}
	}
}

// A window's forecast lasts as long as mappings have lasted: after short lifetimes it approaches
// the overall mean.
func TestWhatLasts(t *testing.T) {
	m := seriesOf(12, 1000, func(pid, c int) float64 { return float64(1 + (pid+c/8)%2*2) }) // 3 and 1 in the end, 2 on the whole
	for _, c := range []struct{ lasts, low, high float64 }{{0, 3, 3}, {1000, 3, 3}, {16, 2.75, 2.95}, {2, 2.2, 2.6}} {
		m.Lasts = c.lasts
		coming, by := Coming(m, nil, true)
		if got := coming.MeanWork(0, 0); by != "window" || got < c.low || got > c.high {
			t.Errorf("lasts for %g supersteps: by %s %g, want %g to %g", c.lasts, by, got, c.low, c.high)
		}
	}
}

// A drift is not taken for a slower one after it has come around, nor seen in noise.
func TestDriftsThatAreNone(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for name, work := range map[string]func(pid, c int) float64{
		"noise": func(int, int) float64 { return 1 + random.Float64() },
		"still": func(pid, _ int) float64 { return float64(1 + pid) },
	} {
		if got := seriesOf(48, 100, work).driftSpeed(); got != 0 {
			t.Errorf("%s: %g pids in a superstep, want none", name, got)
		}
	}
}

// Predictors do not change their input.
func TestPredictorsLeaveThePastAlone(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	work := func(pid, c int) float64 { return float64(1+(pid*7+c*3)%11) + random.Float64() }
	for name, predict := range predictors {
		m := seriesOf(8, 50, work)
		before := make([][]float32, len(m.Rows))
		for pid, row := range m.Rows {
			before[pid] = append(before[pid], row...)
		}
		if coming, ok := predict(m); ok {
			coming.learnPatterns()
		}
		for pid, row := range m.Rows {
			if len(row) != 32 || m.Columns != 32 {
				t.Fatalf("%s: %d columns are left", name, m.Columns)
			}
			for c := range row {
				if row[c] != before[pid][c] {
					t.Fatalf("%s: process %d in column %d has %g, had %g", name, pid, c, row[c], before[pid][c])
				}
			}
		}
	}
}
