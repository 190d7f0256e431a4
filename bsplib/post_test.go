package bsplib_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// farm returns a program that distributes n numbers from process 0's rank to the other ranks with
// processes, which return the squares, in two supersteps.
func farm(n int) func(b *bsplib.Proc, _ *struct{}) error {
	return func(b *bsplib.Proc, _ *struct{}) error {
		ranks := bsplib.Allgather(b, []int{b.Rank()})
		workers, mine := 0, false
		for pid := range ranks {
			if first := pid == 0 || ranks[pid][0] != ranks[pid-1][0]; first {
				mine = mine || pid == b.Pid()
				workers++
			}
		}
		workers--
		for range 2 {
			sum := 0
			switch {
			case !mine: // another process of the rank has its messages
			case b.Pid() == 0:
				for given, ended := 0, 0; ended < workers; {
					rank, data := b.Runtime().Poll(time.Hour)
					sum += int(data[0]) | int(data[1])<<8
					if given++; given > n {
						ended++
						b.Runtime().Post(rank, []byte{0})
					} else {
						b.Runtime().Post(rank, []byte{byte(given)})
					}
				}
				if want := n * (n + 1) * (2*n + 1) / 6; workers > 0 && sum != want {
					return fmt.Errorf("the sum is %d, want %d", sum, want)
				}
			default:
				for x := -1; x != 0; {
					if x < 0 {
						x = 0
					}
					b.Runtime().Post(ranks[0][0], []byte{byte(x * x), byte(x * x >> 8)})
					_, data := b.Runtime().Poll(time.Hour)
					x = int(data[0])
				}
			}
			if rank, _ := b.Runtime().Poll(0); mine && rank >= 0 {
				return errors.New("something is left")
			}
			b.Sync()
		}
		return nil
	}
}

func TestPost(t *testing.T) { bsptest.Everywhere(t, farm(100)) }

// On an emulated platform messages come in the order of its time, regardless of this machine's,
// and take the time of its links; a process that waits continues when the message is there.
func TestPostEmulated(t *testing.T) {
	bsptest.InProcess(t)
	const hosts = `#@platform barrier=1ms
#@set near speed=1 rate=8Mb/s latency=1ms
a slots=1
b slots=1
#@set far speed=0.5 rate=8Mb/s latency=1ms
c slots=1
#@link near far rate=8Mb/s latency=10ms
`
	var came []string
	var after time.Duration
	cfg := bsplib.Config{Procs: 3, Start: "blocks", Platform: platform(t, hosts)}.WithWork(milliseconds(0))
	must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *struct{}) error {
		switch b.Pid() {
		case 0:
			for range 4 {
				rank, data := b.Runtime().Poll(15 * time.Millisecond)
				came = append(came, fmt.Sprintf("%v %d: %s", b.Time(), rank, data))
			}
			b.Runtime().Post(2, []byte("go"))
		case 1:
			time.Sleep(30 * time.Millisecond) // of this machine: the platform does not see it
			b.Runtime().Post(0, make([]byte, 1000)[:1000:1000])
			b.Runtime().Post(0, []byte("near"))
		case 2:
			b.Runtime().Post(0, []byte("far"))
			if rank, _ := b.Runtime().Poll(time.Hour); rank != 0 {
				return fmt.Errorf("rank %d has posted", rank)
			}
		}
		b.Sync()
		if b.Pid() == 0 {
			after = b.Time()
		}
		return nil
	}))
	// 8 Mb/s is a microsecond for each byte. The last of the four polls ends by itself, 15 ms
	// after the third message has come; the return takes 10 ms and 2 us, the barrier 1 ms.
	want := []string{"1.004ms 1: near", "2ms 1: " + string(make([]byte, 1000)), "10.003ms 2: far", "25.003ms -1: "}
	if !slices.Equal(came, want) {
		t.Errorf("what came:\n%q\nwant\n%q", came, want)
	}
	if want := 36005 * time.Microsecond; after != want {
		t.Errorf("the superstep ends at %v, want %v", after, want)
	}
}

// A farm on an emulated platform takes the same time in every run, with any number of ranks on
// this machine's cores.
func TestPostEmulatedRepeats(t *testing.T) {
	bsptest.InProcess(t)
	const hosts = `#@platform barrier=1ms
#@set all speed=1 rate=8Mb/s latency=1ms
host[1-9] slots=1
`
	run := func() (took time.Duration) {
		cfg := bsplib.Config{Procs: 9, Platform: platform(t, hosts)}.WithWork(milliseconds(0))
		work := farm(200)
		must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *struct{}) error {
			if err := work(b, nil); err != nil {
				return err
			}
			if b.Pid() == 0 {
				took = b.Time()
			}
			return nil
		}))
		return took
	}
	first := run()
	for range 4 {
		if took := run(); took != first {
			t.Errorf("it takes %v, and %v before", took, first)
		}
	}
}

func TestPostRefuses(t *testing.T) {
	for _, c := range []struct {
		rank, n int
		kind    bsplib.Kind
	}{{-1, 1, bsplib.KindNoSuchPlace}, {9999, 1, bsplib.KindNoSuchPlace}, {0, 0, bsplib.KindOutOfBounds}, {0, bsplib.MostPost + 1, bsplib.KindOutOfBounds}} {
		err := bsptest.Try(t, bsplib.Config{}, func(b *bsplib.Proc, _ *struct{}) error {
			if b.Pid() == 0 {
				b.Runtime().Post(c.rank, make([]byte, c.n))
			}
			b.Sync()
			return nil
		})
		var e *bsplib.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Site == "" {
			t.Errorf("Post(%d, %d bytes): %v", c.rank, c.n, err)
		}
	}
}

// A process that waits for a message is woken if another one fails.
func TestPollEndsWithTheRun(t *testing.T) {
	bsptest.InProcess(t)
	for _, cfg := range []bsplib.Config{{Procs: 2, Ranks: 2}, {Procs: 2, Platform: platform(t, unequal)}} {
		err := bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *struct{}) error {
			if b.Pid() == 0 {
				b.Abort("enough")
			}
			b.Runtime().Poll(time.Hour)
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "enough") {
			t.Errorf("got %v", err)
		}
	}
}
