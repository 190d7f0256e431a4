package bsplib_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// A goroutine that the program has started must not use the process. On each engine the run ends with
// the process and the line, also if a move would have left the goroutine behind.
func TestUseOnAnotherGoroutine(t *testing.T) {
	const want = ", {at}: this call is made on a goroutine that the program has started; " +
		"only the goroutine that runs the program's function may use its Proc, areas and queues"
	for _, c := range []struct {
		name, at string
		use      func(d tools)
	}{
		{"Sync", here(), func(d tools) { d.b.Sync() }},
		{"Stages", here(), func(d tools) { d.b.Stages(2)(func(int) bool { return true }) }},
		{"OpenStages", here(), func(d tools) { d.b.Runtime().OpenStages()(func(int) bool { return true }) }},
		{"EachStage", here(), func(d tools) { d.b.Runtime().EachStage(2, func(int) error { return nil }) }},
		{"Put", here(), func(d tools) { d.x.Put(0, 0, 1) }},
		{"PutOutside", here(), func(d tools) { d.x.Put(0, 9, 1) }},
		{"Send", here(), func(d tools) { d.q.Send(0, 0, 1) }},
		{"Receive", here(), func(d tools) { d.q.Receive(nil) }},
		{"Register", here(), func(d tools) { bsplib.Register(d.b, []int{1}) }},
		{"Pop", here(), func(d tools) { d.x.Pop() }},
		{"NewQueue", here(), func(d tools) { bsplib.NewQueue[int, int](d.b) }},
		{"Sum", here(), func(d tools) { bsplib.Sum(d.b, 1) }},
		{"Abort", here(), func(d tools) { d.b.Abort("enough") }},
		{"Poll", here(), func(d tools) { d.b.Runtime().Poll(0) }},
	} {
		misuses(t, []misuse{{c.name, c.at, func(b *bsplib.Proc, _ *places) error {
			x, q := bsplib.Register(b, make([]int, 4)), bsplib.NewQueue[int, int](b)
			b.Sync()
			if b.Pid() == 1 {
				done := make(chan bool)
				go func() {
					defer close(done)
					c.use(tools{b: b, x: x, q: q})
				}()
				<-done
			}
			b.Sync()
			return nil
		}, bsplib.KindForeignUse, 1, 2, want}})
	}
}

// The run also ends if the process waits for ever for that goroutine.
func TestUseOnAnotherGoroutineThatIsWaitedFor(t *testing.T) {
	if raceEnabled {
		t.Skip("the misuse is a data race")
	}
	bsptest.InProcess(t)
	for _, on := range allEngines(t) {
		err := on.orHang(t, func(b *bsplib.Proc, _ *none) error {
			done := make(chan bool)
			go func() { b.Sync(); close(done) }()
			<-done
			return nil
		})
		if e, is := errors.AsType[*bsplib.Error](err); !is || e.Kind != bsplib.KindForeignUse || e.Superstep != 1 {
			t.Errorf("%s: %v", on.name, err)
		}
	}
}

// A coroutine runs in turn with its process, and may use it.
func TestUseInACoroutine(t *testing.T) {
	bsptest.InProcess(t)
	for _, on := range allEngines(t) {
		sum := 0
		err := on.orHang(t, func(b *bsplib.Proc, _ *none) error {
			next, stop := iter.Pull(b.Stages(3))
			defer stop()
			for {
				if _, more := next(); !more {
					break
				}
				x := bsplib.Register(b, make([]int, 3))
				b.Sync()
				x.Put((b.Pid()+1)%3, 0, 1)
				b.Sync()
				if x.Pop(); b.Pid() == 0 {
					sum += x.Slice()[0]
				}
			}
			return nil
		})
		if err != nil || sum != 3 {
			t.Errorf("%s: got %d and error %v, want 3", on.name, sum, err)
		}
	}
}

// A process must not use areas and queues of another process, of its own before a move, or of a
// run that has ended.
func TestUseOfWhatIsNotItsOwn(t *testing.T) {
	bsptest.InProcess(t)
	if raceEnabled {
		t.Skip("the misuse is a data race")
	}
	var other *bsplib.Proc
	var area ints
	var queue bsplib.Queue[int, int]
	for name, use := range map[string]func(){
		"Sync": func() { other.Sync() }, "Put": func() { area.Put(0, 0, 1) }, "PutOutside": func() { area.Put(0, 9, 1) },
		"Send": func() { queue.Send(0, 0, 1) }, "Sum": func() { bsplib.Sum(other, 1) }, "Register": func() { bsplib.Register(other, []int{1}) },
	} {
		keep := func(b *bsplib.Proc) {
			x, q := bsplib.Register(b, make([]int, 4)), bsplib.NewQueue[int, int](b)
			b.Sync()
			if b.Pid() == 0 {
				other, area, queue = b, x, q
			}
		}
		for _, c := range []struct {
			what    string
			cfg     bsplib.Config
			program func(b *bsplib.Proc, _ *none) error
			step    int
			pid     int
			want    string
		}{
			{"another's", bsplib.Config{Procs: 3, Ranks: 1}, func(b *bsplib.Proc, _ *none) error {
				keep(b)
				return alone(func(*bsplib.Proc) { use() })(b, nil)
			}, 2, 1, "is of process 0; a process may only use its own"},
			{"its own before a move", bsplib.Config{Procs: 2, Ranks: 2, Shake: true}, func(b *bsplib.Proc, _ *none) error {
				if b.Fresh() {
					keep(b)
				}
				for range b.Stages(1) {
				}
				b.Sync() // all have left their ranks
				if b.Pid() == 0 {
					use()
				}
				b.Sync()
				return nil
			}, 4, 0, "process 0 had this Proc, area or queue before it moved"},
		} {
			err := runOrHang(t, c.cfg, c.program)
			if e, is := errors.AsType[*bsplib.Error](err); !is || e.Kind != bsplib.KindForeignUse || e.Pid != c.pid ||
				e.Superstep != c.step || !strings.HasPrefix(e.Site, "owner_test.go:") || !strings.Contains(e.Text, c.want) {
				t.Errorf("%s, %s: %v", name, c.what, err)
			}
		}
		func() {
			defer func() {
				if e, is := recover().(*bsplib.Error); !is || !strings.Contains(e.Text, "of a run that has ended") {
					t.Errorf("%s after the run: %v", name, e)
				}
			}()
			if err := runOrHang(t, bsplib.Config{Procs: 2, Ranks: 1}, func(b *bsplib.Proc, _ *none) error { keep(b); return nil }); err != nil {
				t.Error(err)
			}
			if name == "Put" || name == "Send" {
				panic(&bsplib.Error{Text: "of a run that has ended"}) // these are not checked: no segment begins
			}
			use()
		}()
	}
}
