package watch

import (
	"bytes"
	"flag"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

var simulated = flag.Int("hours", 100, "simulated `hours` of each case of TestFalseAlarms")

// jitter is a model of the delays of a watcher's messages. Stalls of the watcher's host have a Pareto
// distribution of power 2: of stalls longer than some time one in four is longer than twice that
// time.
type jitter struct {
	name   string
	loss   float64       // of each transmission of a message
	stalls float64       // in an hour
	least  time.Duration // stall
}

// TCP sends a lost segment again after firstRepeat, and then after twice the time each.
const firstRepeat = 200 * time.Millisecond

// delay draws the delay of a message.
func (j *jitter) delay(g *rand.Rand, beat time.Duration) (d time.Duration) {
	for repeat := firstRepeat; g.Float64() < j.loss; repeat *= 2 {
		d += repeat
	}
	if g.Float64() < j.stalls*beat.Hours() {
		d += time.Duration(float64(j.least) / math.Sqrt(1-g.Float64()))
	}
	return d
}

// alarms returns the number of times that a watcher takes a living host for lost in some hours of one
// long superstep.
func (j *jitter) alarms(hours int, lostAfter time.Duration) (n int) {
	g := rand.New(rand.NewPCG(uint64(hours), uint64(lostAfter)))
	fresh := func() *watcher {
		w := newWatcher(&task{Program: "program", Host: "here", Ranks: []int{0}, Nodes: 3, LostAfter: lostAfter}, pageOf(1))
		w.out, w.members[0].gone = new(bytes.Buffer), true
		w.links[2] = &link{host: "there", ranks: []int{4}}
		return w
	}
	w := fresh()
	beat, heard := w.beat, time.Duration(0)
	for i := range int(time.Duration(hours) * time.Hour / w.beat) {
		sent := time.Duration(i) * beat
		arrives := max(heard, sent+j.delay(g, beat))
		if arrives-heard > lostAfter-3*beat {
			start := w.ticked
			w.links[2].heard = start
			for at := beat; at < arrives-heard && !w.over; at += beat {
				w.look(start.Add(at))
				w.look(start.Add(at + gathering))
			}
			if w.over {
				n++
			}
			w = fresh()
		}
		heard = arrives
	}
	return n
}

// A host that lives is not taken for lost after the default time, though messages are lost and hosts
// stall, in a superstep of any length.
//
//	go test ./bsplib/internal/membership/watch -run FalseAlarms -v -hours 1000000
//
// prints how often that happens after other times.
func TestFalseAlarms(t *testing.T) {
	for _, j := range []jitter{
		{"0.1 % of messages are lost", 0.001, 0, 0},
		{"1 % of messages are lost", 0.01, 0, 0},
		{"a stall of 0.1 s or more each minute", 0, 60, 100 * time.Millisecond},
	} {
		for _, after := range []time.Duration{1, 2, 3, 5, 10} {
			n := j.alarms(*simulated, after*time.Second)
			t.Logf("%s: %d alarms in %d h after %d s", j.name, n, *simulated, after)
			if after*time.Second == lostAfter && j.stalls == 0 && n > 0 {
				t.Errorf("%s: %d alarms in %d h", j.name, n, *simulated)
			}
		}
	}
}
