package bsplib_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// tools are the arguments of a process's calls: an area and a queue that can be used, and an area
// whose registration has ended.
type tools struct {
	b    *bsplib.Proc
	x, y ints
	q    bsplib.Queue[int, int]
}

// A misdeed is a call that ends the run, all of it on one line of this file.
type misdeed struct {
	at   string
	do   func(d tools)
	kind bsplib.Kind
	want string // part of the text
}

var misdeeds = []misdeed{
	// Areas.
	{here(), func(d tools) { d.x.Put(3, 0, 1) }, bsplib.KindPidOutOfRange, "Put: writes process 3's area"},
	{here(), func(d tools) { d.x.Put(math.MinInt, 0, 1) }, bsplib.KindPidOutOfRange, "there are processes 0 to 2"},
	{here(), func(d tools) { d.x.Put(0, math.MaxInt, 1, 2) }, bsplib.KindOutOfBounds, "which has 8 elements"},
	{here(), func(d tools) { d.x.Put(0, math.MinInt, make([]int, 100)...) }, bsplib.KindOutOfBounds, "which has 8 elements"},
	{here(), func(d tools) { d.x.HPPut(0, -1, make([]int, 100)...) }, bsplib.KindOutOfBounds, "HPPut: writes elements [-1:99]"},
	{here(), func(d tools) { d.x.Get(-1, 0, make([]int, 1)) }, bsplib.KindPidOutOfRange, "Get: reads process -1's area"},
	{here(), func(d tools) { d.x.HPGet(1, math.MaxInt, make([]int, 1)) }, bsplib.KindOutOfBounds, "HPGet: reads elements"},
	{here(), func(d tools) { d.x.Keep(math.MinInt) }, bsplib.KindOutOfBounds, "Keep of -9223372036854775808 elements"},
	{here(), func(d tools) { d.y.Put(0, 0, 1) }, bsplib.KindNotRegistered, "after its Pop"},
	{here(), func(d tools) { d.y.HPGet(0, 0, make([]int, 1)) }, bsplib.KindNotRegistered, "after its Pop"},
	{here(), func(d tools) { d.y.Pop() }, bsplib.KindNotRegistered, "has been popped before"},
	{here(), func(d tools) { ints{}.Put(0, 0, 1) }, bsplib.KindNotRegistered, "an Area that was never registered"},
	{here(), func(d tools) { ints{}.HPPut(0, 0, 1) }, bsplib.KindNotRegistered, "an Area that was never registered"},
	{here(), func(d tools) { ints{}.Get(0, 0, make([]int, 1)) }, bsplib.KindNotRegistered, "an Area that was never registered"},
	{here(), func(d tools) { ints{}.Keep(0) }, bsplib.KindNotRegistered, "an Area that was never registered"},
	{here(), func(d tools) { ints{}.Pop() }, bsplib.KindNotRegistered, "Pop of the zero Area"},
	{here(), func(d tools) { bsplib.Register(d.b, []int{1}).Put(0, 0, 1) }, bsplib.KindNotRegistered, "can be used after the next Sync"},
	{here(), func(d tools) { bsplib.Alloc[int](d.b, math.MinInt) }, bsplib.KindOutOfBounds, "Alloc of -9223372036854775808 elements"},
	{here(), func(d tools) { bsplib.Alloc[[1 << 20]int](d.b, 1<<50) }, bsplib.KindOutOfMemory, "there is not that much memory"},
	{here(), func(d tools) { bsplib.Register(d.b, []any{1}) }, bsplib.KindNotPlain, "cannot be sent to other processes"},
	{here(), func(d tools) { bsplib.Register(d.b, []func(){nil}) }, bsplib.KindNotPlain, "cannot be sent to other processes"},
	{here(), func(d tools) { bsplib.Alloc[chan int](d.b, 3) }, bsplib.KindNotPlain, "cannot be sent to other processes"},
	// Queues.
	{here(), func(d tools) { d.q.Send(3, 0, 1) }, bsplib.KindPidOutOfRange, "Send to process 3; there are processes 0 to 2"},
	{here(), func(d tools) { d.q.Send(math.MinInt, 0) }, bsplib.KindPidOutOfRange, "there are processes 0 to 2"},
	{here(), func(d tools) { bsplib.Queue[int, int]{}.Send(0, 0, 1) }, bsplib.KindNotRegistered, "this Queue was never made by NewQueue"},
	{here(), func(d tools) { bsplib.Queue[int, int]{}.Peek() }, bsplib.KindNotRegistered, "this Queue was never made by NewQueue"},
	{here(), func(d tools) { bsplib.NewQueue[int, int](d.b).Receive(nil) }, bsplib.KindQueueEmpty, "Receive: the queue is empty"},
	{here(), func(d tools) { bsplib.NewQueue[int, error](d.b) }, bsplib.KindNotPlain, "a queue of error"},
	{here(), func(d tools) { bsplib.NewQueue[[2 << 20]byte, int](d.b) }, bsplib.KindNotPlain, "tags have at most"},
	// Collectives.
	{here(), func(d tools) { bsplib.Broadcast(d.b, 3, []int{1}) }, bsplib.KindPidOutOfRange, "Broadcast from process 3"},
	{here(), func(d tools) { bsplib.Reduce(d.b, math.MinInt, 1, plus) }, bsplib.KindPidOutOfRange, "Reduce to process"},
	{here(), func(d tools) { bsplib.GatherInto(d.b, -1, []int{1}, nil) }, bsplib.KindPidOutOfRange, "process -1"},
	{here(), func(d tools) { bsplib.Allreduce[int](d.b, 1, nil) }, bsplib.KindFailed, "without an operation"},
	{here(), func(d tools) { bsplib.Scan[int](d.b, 1, nil) }, bsplib.KindFailed, "without an operation"},
	{here(), func(d tools) { bsplib.AllToAll[int](d.b, nil) }, bsplib.KindOutOfBounds, "AllToAll of 0 slices for 3 processes"},
	{here(), func(d tools) { bsplib.AllToAllInto(d.b, make([][]int, 3), nil) }, bsplib.KindOutOfBounds, "0 slices to receive into"},
	{here(), func(d tools) { bsplib.AllgatherInto(d.b, []int{1}, make([][]int, 4)) }, bsplib.KindOutOfBounds, "4 slices to receive into"},
	{here(), func(d tools) { bsplib.Allgather(d.b, []string{"x"}) }, bsplib.KindNotPlain, "cannot be sent to other processes"},
	{here(), func(d tools) { bsplib.Broadcast(d.b, 0, []map[int]int{nil}) }, bsplib.KindNotPlain, "cannot be sent to other processes"},
	{here(), func(d tools) { bsplib.Sum(d.b, 1) }, bsplib.KindCollectiveMismatch, "this process is in a Sum of int"},
	{here(), func(d tools) { bsplib.SumSlice(d.b, make([]float64, 1<<16)) }, bsplib.KindCollectiveMismatch, "this process is in a SumSlice of float64"},
	{here(), func(d tools) { bsplib.Gather(d.b, 1, make([]int, 1<<16)) }, bsplib.KindCollectiveMismatch, "this process is in a Gather of int"},
	// The process and its moves.
	{here(), func(d tools) { d.b.Abort("%d", 7) }, bsplib.KindAborted, "7"},
	{here(), func(d tools) { d.b.Load(math.NaN()) }, bsplib.KindBadLoad, "Load(NaN)"},
	{here(), func(d tools) { d.b.Load(math.Inf(-1)) }, bsplib.KindBadLoad, "Load(-Inf)"},
	{here(), func(d tools) { d.b.Migrate(bsplib.Place{}) }, bsplib.KindNoSuchPlace, "the zero Place"},
	{here(), func(d tools) { d.b.Migrate(bsplib.OnRank(-1)) }, bsplib.KindNoSuchPlace, "Migrate to rank -1"},
	{here(), func(d tools) { d.b.Migrate(bsplib.NextTo(3)) }, bsplib.KindNoSuchPlace, "Migrate next to process 3"},
	{here(), func(d tools) { d.b.Migrate(bsplib.OnHost("")) }, bsplib.KindNoSuchPlace, `Migrate to host ""`},
	{here(), func(d tools) { d.b.Runtime().Drain(1 << 40) }, bsplib.KindNoSuchPlace, "Drain rank"},
	{here(), func(d tools) { d.b.Runtime().Post(-1, []byte{1}) }, bsplib.KindNoSuchPlace, "Post to rank -1"},
	{here(), func(d tools) { d.b.Runtime().Post(d.b.Rank(), nil) }, bsplib.KindOutOfBounds, "Post of 0 bytes"},
	{here(), func(d tools) { d.b.Runtime().Host(99) }, bsplib.KindNoSuchPlace, "Host of rank 99"},
	{here(), func(d tools) { d.b.Runtime().Set(-1) }, bsplib.KindNoSuchPlace, "Set of rank -1"},
	{here(), func(d tools) { d.b.Runtime().Aside(nil) }, bsplib.KindFailed, "nil"},
	{here(), func(d tools) { d.b.Runtime().EachStage(2, nil) }, bsplib.KindFailed, "EachStage without a function"},
	{here(), func(d tools) { (*bsplib.Proc)(nil).Sync() }, bsplib.KindFailed, "nil pointer dereference"},
	{here(), func(d tools) { new(bsplib.Proc).Sync() }, bsplib.KindFailed, "nil pointer dereference"},
	{here(), func(d tools) { panic(nil) }, bsplib.KindFailed, "panic: "},
	{here(), func(d tools) { _ = strings.Repeat("x", -d.b.NProcs()) }, bsplib.KindFailed, "panic: strings: negative Repeat count"},
	{here(), func(d tools) { panic(errWrong) }, bsplib.KindFailed, "panic: the sum is wrong"},
}

// anonymous reports whether a misdeed is an ordinary panic, which a program can recover from: it
// has no Proc to keep the failure in.
func (d *misdeed) anonymous() bool {
	return slices.ContainsFunc([]string{"never registered", "zero Area", "never made", "nil", "panic: "}, func(text string) bool {
		return strings.Contains(d.want, text)
	})
}

// inStages are misdeeds of a process within a loop of stages.
var inStages = []misdeed{
	{here(), func(d tools) { d.b.Stages(2)(func(int) bool { return true }) }, bsplib.KindNestedStages, "Stages within a stage"},
	{here(), func(d tools) { d.b.Runtime().OpenStages()(func(int) bool { return false }) }, bsplib.KindNestedStages, "OpenStages within a stage"},
	{here(), func(d tools) { d.b.Runtime().EachStage(2, func(int) error { return nil }) }, bsplib.KindNestedStages, "EachStage within a stage"},
}

// misplaces are the contexts in a program that a misdeed is called from.
var misplaces = []struct {
	name string
	call func(d tools, do func(d tools))
}{
	{"directly", func(d tools, do func(d tools)) { do(d) }},
	{"deferred", func(d tools, do func(d tools)) { defer do(d) }},
	{"aside", func(d tools, do func(d tools)) { d.b.Runtime().Aside(func() { do(d) }) }},
	{"in a panic", func(d tools, do func(d tools)) {
		defer do(d)
		defer func() { recover() }()
		panic("first")
	}},
	{"recovered", func(d tools, do func(d tools)) {
		defer func() { recover() }()
		do(d)
	}},
	{"in a coroutine", func(d tools, do func(d tools)) {
		next, stop := iter.Pull(func(yield func(int) bool) {
			do(d)
			yield(1)
		})
		defer stop()
		next()
	}},
	{"after messages", func(d tools, do func(d tools)) {
		for i := range 20 {
			d.q.Send((d.b.Pid()+1)%3, i, i)
			d.x.Put(0, d.b.Pid(), i)
		}
		do(d)
	}},
	{"deep", func(d tools, do func(d tools)) { deeper(100, func() { do(d) }) }},
}

//go:noinline
func deeper(n int, do func()) {
	if n == 0 {
		do()
		return
	}
	deeper(n-1, do)
}

// aroundMisuse is a random program with one process that misbehaves.
type aroundMisuse struct {
	culprit int
	deed    misdeed
	place   int
	steps   []int // of all processes before it
	staged  bool
}

// rightSteps are valid supersteps of all processes together.
var rightSteps = []func(d tools){
	func(d tools) { d.b.Sync() },
	func(d tools) { d.x.Put((d.b.Pid()+1)%3, 2, 1, 2); d.b.Sync() },
	func(d tools) { d.x.HPPut((d.b.Pid()+2)%3, 5, 1); d.b.Sync() },
	func(d tools) { d.x.Get((d.b.Pid()+1)%3, 0, make([]int, 3)); d.b.Sync() },
	func(d tools) { d.q.Send((d.b.Pid()+1)%3, 1, 1, 2, 3); d.b.Sync() },
	func(d tools) { bsplib.Sum(d.b, 1) },
	func(d tools) { bsplib.Allgather(d.b, make([]int, d.b.Pid())) },
	func(d tools) { bsplib.SumSlice(d.b, make([]int, 10_000)) },
	func(d tools) { z := bsplib.Register(d.b, make([]int, 3)); d.b.Sync(); z.Pop() },
	func(d tools) { bsplib.NewQueue[int, int](d.b).Send(0, 1, 2) },
}

// run runs the program, and sets step to the superstep of the misdeed.
func (m *aroundMisuse) run(b *bsplib.Proc, step *int) error {
	d := tools{b: b}
	d.y = bsplib.Register(b, make([]int, 8))
	b.Sync()
	d.y.Pop()
	d.x, d.q = bsplib.Register(b, make([]int, 8)), bsplib.NewQueue[int, int](b)
	b.Sync()
	do := func() {
		if b.Pid() != m.culprit {
			return
		}
		*step = b.Superstep()
		misplaces[m.place].call(d, m.deed.do)
	}
	for _, i := range m.steps {
		rightSteps[i](d)
	}
	if m.staged {
		for range b.Stages(1) {
			do()
		}
	} else {
		do()
	}
	for range 3 {
		b.Sync()
	}
	return nil
}

// check runs the program on all engines. Each must end with an error of the culprit, in its superstep
// and at its line.
func (m *aroundMisuse) check(t testing.TB, engines []engineUnderTest) {
	t.Helper()
	for _, on := range engines {
		step := 0
		err := on.orHang(t, func(b *bsplib.Proc, _ *none) error { return m.run(b, &step) })
		if err == nil && misplaces[m.place].name == "recovered" && m.deed.anonymous() {
			continue
		}
		e, is := errors.AsType[*bsplib.Error](err)
		at := m.deed.at
		if is && m.deed.anonymous() && misplaces[m.place].name == "in a coroutine" && strings.HasPrefix(e.Site, "misuse_fuzz_test.go:") {
			at = e.Site // the line that resumes the coroutine
		}
		if !is || e.Kind != m.deed.kind || e.Pid != m.culprit || e.Superstep != step || e.Site != at || !strings.Contains(e.Text, m.deed.want) {
			t.Errorf("%s on %s: got %v, want superstep %d, process %d, %s: %s", m, on.name, err, step, m.culprit, m.deed.at, m.deed.want)
			return
		}
	}
}

func (m *aroundMisuse) String() string {
	return fmt.Sprintf("%s %s by process %d in stages %v after %v", m.deed.at, misplaces[m.place].name, m.culprit, m.staged, m.steps)
}

// TestMisuseAnywhere runs each misdeed in each context, in random programs. The engines take turns.
func TestMisuseAnywhere(t *testing.T) {
	bsptest.InProcess(t)
	engines := allEngines(t)
	turns := 4
	if testing.Short() {
		turns = len(engines)
	}
	for i := range misdeeds {
		t.Run(misdeeds[i].at, func(t *testing.T) {
			for place := range misplaces {
				var some []engineUnderTest
				for k := (i + place) % turns; k < len(engines); k += turns {
					some = append(some, engines[k])
				}
				randomMisuse(uint64(i*len(misplaces)+place), i, place).check(t, some)
			}
		})
	}
	for i := range inStages {
		m := randomMisuse(uint64(i), 0, i)
		m.deed, m.staged = inStages[i], true
		m.check(t, engines)
	}
}

// randomMisuse returns a random program with a misdeed in a context.
func randomMisuse(seed uint64, deed, place int) *aroundMisuse {
	rnd := rand.New(rand.NewPCG(seed, 0))
	m := &aroundMisuse{culprit: rnd.IntN(3), deed: misdeeds[deed], place: place, staged: rnd.IntN(3) == 0}
	for range rnd.IntN(5) {
		m.steps = append(m.steps, rnd.IntN(len(rightSteps)))
	}
	return m
}

// FuzzMisuse is TestMisuseAnywhere with other random programs.
func FuzzMisuse(f *testing.F) {
	if bsptest.UnderMPI() {
		f.Skip("runs on in-process ranks only")
	}
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		randomMisuse(seed, int(seed%uint64(len(misdeeds))), int(seed/1000%uint64(len(misplaces)))).check(t, allEngines(t))
	})
}
