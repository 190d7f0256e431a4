package bsplib_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

type ints = bsplib.Area[int]

func TestMisuseOfAreas(t *testing.T) {
	const four = "area registered at {made}, which has 4 elements"
	for _, c := range []struct {
		name, at string
		use      func(x ints)
		kind     bsplib.Kind
		want     string
	}{
		{"PutBeyondTheEnd", here(), func(x ints) { x.Put(2, 3, 1, 2) }, bsplib.KindOutOfBounds, "Put: writes elements [3:5] of process 2's " + four},
		{"PutBehindTheEnd", here(), func(x ints) { x.Put(2, 5, 1) }, bsplib.KindOutOfBounds, "Put: writes elements [5:6] of process 2's " + four},
		{"PutAtANegativeOffset", here(), func(x ints) { x.Put(0, -1, 1, 2) }, bsplib.KindOutOfBounds, "Put: writes elements [-1:1] of process 0's " + four},
		{"PutToNobody", here(), func(x ints) { x.Put(3, 0, 1) }, bsplib.KindPidOutOfRange, "Put: writes process 3's area; there are processes 0 to 2"},
		{"PutToANegativePid", here(), func(x ints) { x.Put(-1, 0, 1) }, bsplib.KindPidOutOfRange, "Put: writes process -1's area; there are processes 0 to 2"},
		{"HPPutBeyondTheEnd", here(), func(x ints) { x.HPPut(1, 4, 1) }, bsplib.KindOutOfBounds, "HPPut: writes elements [4:5] of process 1's " + four},
		{"HPPutToNobody", here(), func(x ints) { x.HPPut(9, 0, 1) }, bsplib.KindPidOutOfRange, "HPPut: writes process 9's area; there are processes 0 to 2"},
		{"GetBeyondTheEnd", here(), func(x ints) { x.Get(2, 2, make([]int, 3)) }, bsplib.KindOutOfBounds, "Get: reads elements [2:5] of process 2's " + four},
		{"GetAtANegativeOffset", here(), func(x ints) { x.Get(2, -4, make([]int, 1)) }, bsplib.KindOutOfBounds, "Get: reads elements [-4:-3] of process 2's " + four},
		{"GetFromNobody", here(), func(x ints) { x.Get(3, 0, make([]int, 1)) }, bsplib.KindPidOutOfRange, "Get: reads process 3's area; there are processes 0 to 2"},
		{"KeepMoreThanThereIs", here(), func(x ints) { x.Keep(5) }, bsplib.KindOutOfBounds, "Keep of 5 elements of the " + four},
		{"KeepLessThanNothing", here(), func(x ints) { x.Keep(-1) }, bsplib.KindOutOfBounds, "Keep of -1 elements of the " + four},
		{"HPGetBeyondTheEnd", here(), func(x ints) { x.HPGet(0, 0, make([]int, 5)) }, bsplib.KindOutOfBounds, "HPGet: reads elements [0:5] of process 0's " + four},
	} {
		misuses(t, []misuse{{c.name, c.at, func(b *bsplib.Proc, at *places) error {
			at.next("made")
			x := bsplib.Register(b, make([]int, 4))
			b.Sync()
			return alone(func(*bsplib.Proc) { c.use(x) })(b, at)
		}, c.kind, 1, 2, ", {at}: " + c.want}})
	}
}

func TestUseOutsideTheRegistration(t *testing.T) {
	registered := func(b *bsplib.Proc, at *places) ints {
		at.next("made")
		return bsplib.Register(b, make([]int, 4))
	}
	allocated := func(b *bsplib.Proc, at *places) ints {
		at.next("made")
		return bsplib.Alloc[int](b, 4)
	}
	late := func(b *bsplib.Proc, at *places) ints {
		b.Sync()
		return registered(b, at)
	}
	popping := func(b *bsplib.Proc, at *places) ints {
		x := registered(b, at)
		b.Sync()
		x.Pop()
		return x
	}
	popped := func(b *bsplib.Proc, at *places) ints {
		x := popping(b, at)
		b.Sync()
		return x
	}
	given := func(b *bsplib.Proc, at *places) ints {
		x := allocated(b, at)
		x.Pop()
		b.Sync()
		return x
	}
	zero := func(*bsplib.Proc, *places) (x ints) { return x }
	for _, c := range []struct {
		name, at string
		area     func(*bsplib.Proc, *places) ints
		use      func(x ints)
		step     int
		want     string
	}{
		{"PutToAnAreaJustRegistered", here(), late, func(x ints) { x.Put(2, 0, 1) }, 2, "Put: writes the area registered at {made} in this superstep; it can be used after the next Sync"},
		{"GetFromAnAreaJustAllocated", here(), allocated, func(x ints) { x.Get(2, 0, make([]int, 1)) }, 1, "Get: reads the area registered at {made} in this superstep; it can be used after the next Sync"},
		{"PutAfterPop", here(), popped, func(x ints) { x.Put(2, 0, 1) }, 3, "Put: writes the area registered at {made} after its Pop"},
		{"HPGetAfterPopOfAlloc", here(), given, func(x ints) { x.HPGet(2, 0, make([]int, 1)) }, 2, "HPGet: reads the area registered at {made} after its Pop"},
		{"PopTwice", here(), popping, func(x ints) { x.Pop() }, 2, "Pop: the area registered at {made} has been popped before"},
		{"PutToTheZeroArea", here(), zero, func(x ints) { x.Put(0, 0, 1) }, 1, "Put: writes an Area that was never registered"},
		{"GetFromTheZeroArea", here(), zero, func(x ints) { x.Get(0, 0, make([]int, 1)) }, 1, "Get: reads an Area that was never registered"},
		{"PopOfTheZeroArea", here(), zero, func(x ints) { x.Pop() }, 1, "Pop of the zero Area"},
	} {
		misuses(t, []misuse{{c.name, c.at, func(b *bsplib.Proc, at *places) error {
			x := c.area(b, at)
			return alone(func(*bsplib.Proc) { c.use(x) })(b, at)
		}, bsplib.KindNotRegistered, 1, c.step, ", {at}: " + c.want}})
	}
	misuses(t, []misuse{
		{"AllocOfANegativeNumber", here(), alone(func(b *bsplib.Proc) { bsplib.Alloc[int](b, -2) }), bsplib.KindOutOfBounds, 1, 1, ", {at}: Alloc of -2 elements"},
		{"AllocOfMoreThanThereIs", here(), alone(func(b *bsplib.Proc) { bsplib.Alloc[int](b, 1<<61) }), bsplib.KindOutOfMemory, 1, 1, ", {at}: Alloc of 2305843009213693952 elements of 8 bytes: there is not that much memory"},
	})
}

func TestTypesThatCannotBeSent(t *testing.T) {
	type inner struct{ Name string }
	type outer struct {
		N  int
		In [2]inner
	}
	for _, c := range []struct {
		name, at   string
		call       func(b *bsplib.Proc)
		what, part string
	}{
		{"Pointer", here(), func(b *bsplib.Proc) { bsplib.Register(b, make([]*int, 1)) }, "an area of *int", "*int"},
		{"StringInAStruct", here(), func(b *bsplib.Proc) { bsplib.Alloc[outer](b, 1) }, "an area of bsplib_test.outer", "field In: field Name: string"},
		{"SliceInAQueue", here(), func(b *bsplib.Proc) { bsplib.NewQueue[int, []byte](b) }, "a queue of []uint8", "[]uint8"},
		{"MapAsATag", here(), func(b *bsplib.Proc) { bsplib.NewQueue[map[int]int, int](b) }, "a queue's tag of map[int]int", "map[int]int"},
		{"Uintptr", here(), func(b *bsplib.Proc) { bsplib.Register[uintptr](b, nil) }, "an area of uintptr", "uintptr"},
		{"NoBytes", here(), func(b *bsplib.Proc) { bsplib.Register[struct{}](b, nil) }, "an area of struct {}", ""},
		{"Allreduce", here(), func(b *bsplib.Proc) { bsplib.Allreduce(b, "", func(a, b string) string { return a + b }) }, "an Allreduce of string", "string"},
	} {
		want := ", {at}: " + c.what + " cannot be sent to other processes: " + c.part + " is a reference to memory of one process"
		if c.part == "" {
			want = ", {at}: " + c.what + ": its values have no bytes"
		}
		misuses(t, []misuse{{c.name, c.at, alone(c.call), bsplib.KindNotPlain, 1, 1, want}})
	}
}

func TestMisuseOfQueues(t *testing.T) {
	type queue = bsplib.Queue[int, int]
	for _, c := range []struct {
		name, at string
		use      func(q queue)
		zero     bool // the Queue was not made by NewQueue
		kind     bsplib.Kind
		want     string
	}{
		{"SendToNobody", here(), func(q queue) { q.Send(3, 0, 1) }, false, bsplib.KindPidOutOfRange, "Send to process 3; there are processes 0 to 2"},
		{"SendToANegativePid", here(), func(q queue) { q.Send(-1, 0) }, false, bsplib.KindPidOutOfRange, "Send to process -1; there are processes 0 to 2"},
		{"ReceiveFromAnEmptyQueue", here(), func(q queue) { q.Receive(make([]int, 1)) }, false, bsplib.KindQueueEmpty, "Receive: the queue is empty"},
		{"ReceiveOfNothingFromAnEmptyQueue", here(), func(q queue) { q.Receive(nil) }, false, bsplib.KindQueueEmpty, "Receive: the queue is empty"},
		{"Send", here(), func(q queue) { q.Send(0, 1) }, true, bsplib.KindNotRegistered, ""},
		{"Len", here(), func(q queue) { q.Len() }, true, bsplib.KindNotRegistered, ""},
		{"Bytes", here(), func(q queue) { q.Bytes() }, true, bsplib.KindNotRegistered, ""},
		{"Peek", here(), func(q queue) { q.Peek() }, true, bsplib.KindNotRegistered, ""},
		{"Next", here(), func(q queue) { q.Next() }, true, bsplib.KindNotRegistered, ""},
		{"Receive", here(), func(q queue) { q.Receive(nil) }, true, bsplib.KindNotRegistered, ""},
		{"All", here(), func(q queue) { q.All()(func(int, []int) bool { return false }) }, true, bsplib.KindNotRegistered, ""},
	} {
		if c.zero {
			c.want = c.name + ": this Queue was never made by NewQueue"
		}
		misuses(t, []misuse{{c.name, c.at, func(b *bsplib.Proc, at *places) error {
			q := bsplib.NewQueue[int, int](b)
			if b.Sync(); c.zero {
				q = queue{}
			}
			return alone(func(*bsplib.Proc) { c.use(q) })(b, at)
		}, c.kind, 1, 2, ", {at}: " + c.want}})
	}
}

func TestMisuseOfCollectives(t *testing.T) {
	for _, c := range []struct {
		name, at string
		call     func(b *bsplib.Proc)
		kind     bsplib.Kind
		step     int
		want     string
	}{
		{"BroadcastFromNobody", here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, odd(b, 3, 0), []int{1}) }, bsplib.KindPidOutOfRange, 1, "Broadcast from process 3; there are processes 0 to 2"},
		{"ReduceToANegativePid", here(), func(b *bsplib.Proc) { bsplib.Reduce(b, odd(b, -1, 0), 1, plus) }, bsplib.KindPidOutOfRange, 1, "Reduce to process -1; there are processes 0 to 2"},
		{"GatherToNobody", here(), func(b *bsplib.Proc) { bsplib.Gather(b, odd(b, 7, 0), []int{1}) }, bsplib.KindPidOutOfRange, 1, "Gather to process 7; there are processes 0 to 2"},
		{"AllToAllOfTooFew", here(), func(b *bsplib.Proc) { bsplib.AllToAll(b, make([][]int, odd(b, 2, 3))) }, bsplib.KindOutOfBounds, 1, "AllToAll of 2 slices for 3 processes"},
		{"BroadcastOfDifferentLengths", here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 0, make([]int, odd(b, 3, 2))) }, bsplib.KindOutOfBounds, 1, "this process is in a Broadcast of int from process 0 of 24 bytes, while processes 0 and 2 are in one of 16 bytes at {at}; all processes must give the same length"},
	} {
		misuses(t, []misuse{{c.name, c.at, func(b *bsplib.Proc, _ *places) error {
			c.call(b)
			b.Sync()
			return nil
		}, c.kind, 1, c.step, ", {at}: " + c.want}})
	}
}

// Collectives that do not match are reported as a mismatch, also if each process has another root
// (for two see differingCalls).
func TestCollectivesThatDoNotMatch(t *testing.T) {
	bsptest.InProcess(t)
	for name, call := range map[string]func(b *bsplib.Proc, _ *none) error{
		"SyncForAllreduce": func(b *bsplib.Proc, _ *none) error {
			if b.Pid() == 1 {
				b.Sync()
			} else {
				bsplib.Allreduce(b, 1, plus)
			}
			return nil
		},
		"EachAnotherRoot":             func(b *bsplib.Proc, _ *none) error { bsplib.Gather(b, right(b), []int{1}); return nil },
		"EachAnotherRootOfAReduction": func(b *bsplib.Proc, _ *none) error { bsplib.Reduce(b, left(b), 1, plus); return nil },
		"EachIsRoot":                  func(b *bsplib.Proc, _ *none) error { bsplib.Broadcast(b, b.Pid(), []int{1}); return nil },
	} {
		for way, err := range map[string]error{
			"one rank": runOrHang(t, bsplib.Config{Procs: 3, Ranks: 1}, call), "three ranks": runOrHang(t, bsplib.Config{Procs: 3, Ranks: 3}, call),
			"nodes": byTree(3, []int{0, 0, 1}, call),
		} {
			if e, ok := errors.AsType[*bsplib.Error](err); !ok || e.Kind != bsplib.KindCollectiveMismatch {
				t.Errorf("%s on %s: %v", name, way, err)
			}
		}
	}
}

// All processes must make the same registrations, Pops and new queues. The
// library compares them at the end of the superstep, and names the first
// process that differs from most others.
func TestMismatches(t *testing.T) {
	const remedy = "; all processes must do the same, in the same order"
	const order = "it registered or popped areas or made queues in another order or of other types than process 0" + remedy
	type made struct{ x, y ints }
	type op = func(b *bsplib.Proc, of made)
	register := func(b *bsplib.Proc, _ made) { bsplib.Register(b, []int{1}) }
	queue := func(b *bsplib.Proc, _ made) { bsplib.NewQueue[int, int](b) }
	pop := func(_ *bsplib.Proc, of made) { of.x.Pop() }
	int32s := func(b *bsplib.Proc, _ made) { bsplib.Register(b, []int32{1}) }
	int64s := func(b *bsplib.Proc, _ made) { bsplib.Register(b, []int64{1}) }
	floats := func(b *bsplib.Proc, _ made) { bsplib.Register(b, []float64{1}) }
	queueAndSend := func(b *bsplib.Proc, _ made) {
		q := bsplib.NewQueue[int, int](b)
		for pid := range b.NProcs() {
			q.Send(pid, 1, 2)
		}
	}
	registerAndPop := func(b *bsplib.Proc, _ made) { x := bsplib.Register(b, []int{1}); x.Pop() }
	for _, c := range []struct {
		name        string
		one, others []op // the ops of process 1, and of all others
		want        string
	}{
		{"OneRegistersMore", []op{register, register}, []op{register}, "it registered or popped areas or made queues 2 times in this superstep, process 0 1 times" + remedy},
		{"OneRegistersLess", nil, []op{register}, "it registered or popped areas or made queues 0 times in this superstep, process 0 1 times" + remedy},
		{"OnePopsAlone", []op{pop}, nil, "it registered or popped areas or made queues 1 times in this superstep, process 0 0 times" + remedy},
		{"OnePopsAnotherArea", []op{func(_ *bsplib.Proc, of made) { of.y.Pop() }}, []op{pop}, order},
		{"OneRegistersAnotherSize", []op{int32s}, []op{int64s}, order},
		{"OneRegistersAnotherTypeOfTheSameSize", []op{floats}, []op{int64s}, order},
		{"OneMakesAQueueFirst", []op{queue, register}, []op{register, queue}, order},
		{"OneMakesAQueueWithAnotherTag", []op{func(b *bsplib.Proc, _ made) { bsplib.NewQueue[int32, int](b) }}, []op{queue}, order},
		{"OneRegistersAndPops", []op{registerAndPop}, []op{register, register}, order},
		{"OneMakesAQueueAndSends", []op{queueAndSend}, nil, "it registered or popped areas or made queues 1 times in this superstep, process 0 0 times" + remedy},
		{"OthersMakeAQueueAndSend", nil, []op{queueAndSend}, "it registered or popped areas or made queues 0 times in this superstep, process 0 1 times" + remedy},
	} {
		misuses(t, []misuse{{c.name, "", func(b *bsplib.Proc, at *places) error {
			of := made{bsplib.Register(b, []int{1}), bsplib.Register(b, []int{1})}
			b.Sync()
			for _, do := range odd(b, c.one, c.others) {
				do(b, of)
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindRegisterMismatch, 1, 2, ", {sync}: " + c.want}})
	}
}

// The process that differs is named also if it is process 0.
func TestMismatchOfProcess0(t *testing.T) {
	misuses(t, []misuse{{"Process0RegistersAlone", "", func(b *bsplib.Proc, at *places) error {
		if b.Pid() == 0 {
			bsplib.Register(b, []int{1})
		}
		at.next("sync")
		b.Sync()
		return nil
	}, bsplib.KindRegisterMismatch, 0, 1, ", {sync}: it registered or popped areas or made queues 1 times in this superstep, process 1 0 times; all processes must do the same, in the same order"}})
}

// Messages to a queue that their receiver has not made are dropped if the run ends anyway.
func TestMessagesToNoQueue(t *testing.T) {
	bsptest.InProcess(t)
	for _, on := range allEngines(t) {
		send := func(b *bsplib.Proc) { bsplib.NewQueue[int, int](b).Send(0, 1, 2) }
		if err := on.orHang(t, func(b *bsplib.Proc, _ *none) error {
			if b.Pid() == 1 {
				send(b)
			}
			return nil
		}); err != nil {
			t.Errorf("%s: at the end: %v", on.name, err)
		}
		if err := on.orHang(t, func(b *bsplib.Proc, _ *none) error {
			if b.Pid() == 0 {
				return errWrong
			}
			send(b)
			b.Sync()
			return nil
		}); err == nil || !strings.HasSuffix(err.Error(), ": the sum is wrong") {
			t.Errorf("%s: got error %v, want the error of process 0", on.name, err)
		}
	}
}

// Some processes end while others synchronise.
func TestEndMismatches(t *testing.T) {
	misuses(t, []misuse{
		{"OneEnds", "", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			if b.Pid() == 1 {
				return nil
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindEndMismatch, 1, 2, ", {sync}: process 1 has ended its program, while process 0 called Sync here"},
		{"OneGoesOn", "", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 2 {
				at.next("sync")
				b.Sync()
			}
			return nil
		}, bsplib.KindEndMismatch, 0, 1, ", {sync}: process 0 has ended its program, while process 2 called Sync here"},
		{"OneIsInACollective", "", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 2 {
				at.next("sync")
				bsplib.Allreduce(b, 1, plus)
			}
			return nil
		}, bsplib.KindEndMismatch, 0, 1, ", {sync}: process 0 has ended its program, while process 2 called Sync here"},
		{"OneHasFewerStages", "", func(b *bsplib.Proc, at *places) error {
			n := 3
			if b.Pid() == 0 {
				n = 2
			}
			at.next("stages")
			for range b.Stages(n) {
			}
			return nil
		}, bsplib.KindEndMismatch, 0, 3, ", {stages}: process 0 has ended its program, while process 1 called Sync here"},
		{"OneEndsWithARegistration", "", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				bsplib.Register(b, []int{1})
				return nil
			}
			at.next("sync")
			b.Sync()
			return nil
		}, bsplib.KindEndMismatch, 1, 1, ", {sync}: process 1 has ended its program, while process 0 called Sync here"},
	})
}
