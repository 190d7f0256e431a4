package bsplib_test

import (
	"testing"

	"github.com/migbsp/migbsp/bsplib"
)

// In all of these, process 1 alone does something wrong, and the others go on
// to their Sync.

func TestMisuseOfAreas(t *testing.T) {
	// used makes an area of 4 elements, and lets process 1 use it.
	used := func(use func(b *bsplib.Proc, at *places, x bsplib.Area[int])) func(*bsplib.Proc, *places) error {
		return func(b *bsplib.Proc, at *places) error {
			at.next("made")
			x := bsplib.Register(b, make([]int, 4))
			b.Sync()
			if b.Pid() == 1 {
				use(b, at, x)
			}
			b.Sync()
			return nil
		}
	}
	misuses(t, []misuse{
		{"PutBeyondTheEnd", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("put")
			x.Put(2, 3, 1, 2)
		}), bsplib.KindOutOfBounds, 1, 2, ", {put}: Put: writes elements [3:5] of process 2's area registered at {made}, which has 4 elements"},
		{"PutBehindTheEnd", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("put")
			x.Put(2, 5, 1)
		}), bsplib.KindOutOfBounds, 1, 2, ", {put}: Put: writes elements [5:6] of process 2's area registered at {made}, which has 4 elements"},
		{"PutAtANegativeOffset", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("put")
			x.Put(0, -1, 1, 2)
		}), bsplib.KindOutOfBounds, 1, 2, ", {put}: Put: writes elements [-1:1] of process 0's area registered at {made}, which has 4 elements"},
		{"PutToNobody", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("put")
			x.Put(3, 0, 1)
		}), bsplib.KindPidOutOfRange, 1, 2, ", {put}: Put: writes process 3's area; there are processes 0 to 2"},
		{"PutToANegativePid", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("put")
			x.Put(-1, 0, 1)
		}), bsplib.KindPidOutOfRange, 1, 2, ", {put}: Put: writes process -1's area; there are processes 0 to 2"},
		{"HPPutBeyondTheEnd", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("put")
			x.HPPut(1, 4, 1)
		}), bsplib.KindOutOfBounds, 1, 2, ", {put}: HPPut: writes elements [4:5] of process 1's area registered at {made}, which has 4 elements"},
		{"HPPutToNobody", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("put")
			x.HPPut(9, 0, 1)
		}), bsplib.KindPidOutOfRange, 1, 2, ", {put}: HPPut: writes process 9's area; there are processes 0 to 2"},
		{"GetBeyondTheEnd", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("get")
			x.Get(2, 2, make([]int, 3))
		}), bsplib.KindOutOfBounds, 1, 2, ", {get}: Get: reads elements [2:5] of process 2's area registered at {made}, which has 4 elements"},
		{"GetAtANegativeOffset", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("get")
			x.Get(2, -4, make([]int, 1))
		}), bsplib.KindOutOfBounds, 1, 2, ", {get}: Get: reads elements [-4:-3] of process 2's area registered at {made}, which has 4 elements"},
		{"GetFromNobody", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("get")
			x.Get(3, 0, make([]int, 1))
		}), bsplib.KindPidOutOfRange, 1, 2, ", {get}: Get: reads process 3's area; there are processes 0 to 2"},
		{"KeepMoreThanThereIs", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("keep")
			x.Keep(5)
		}), bsplib.KindOutOfBounds, 1, 2, ", {keep}: Keep of 5 elements of the area registered at {made}, which has 4 elements"},
		{"KeepLessThanNothing", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("keep")
			x.Keep(-1)
		}), bsplib.KindOutOfBounds, 1, 2, ", {keep}: Keep of -1 elements of the area registered at {made}, which has 4 elements"},
		{"HPGetBeyondTheEnd", used(func(b *bsplib.Proc, at *places, x bsplib.Area[int]) {
			at.next("get")
			x.HPGet(0, 0, make([]int, 5))
		}), bsplib.KindOutOfBounds, 1, 2, ", {get}: HPGet: reads elements [0:5] of process 0's area registered at {made}, which has 4 elements"},
	})
}

func TestUseOutsideTheRegistration(t *testing.T) {
	misuses(t, []misuse{
		{"PutToAnAreaJustRegistered", func(b *bsplib.Proc, at *places) error {
			b.Sync()
			at.next("made")
			x := bsplib.Register(b, make([]int, 4))
			if b.Pid() == 1 {
				at.next("put")
				x.Put(2, 0, 1)
			}
			b.Sync()
			return nil
		}, bsplib.KindNotRegistered, 1, 2, ", {put}: Put: writes the area registered at {made} in this superstep; it can be used after the next Sync"},
		{"GetFromAnAreaJustAllocated", func(b *bsplib.Proc, at *places) error {
			at.next("made")
			x := bsplib.Alloc[int](b, 4)
			if b.Pid() == 1 {
				at.next("get")
				x.Get(2, 0, make([]int, 1))
			}
			b.Sync()
			return nil
		}, bsplib.KindNotRegistered, 1, 1, ", {get}: Get: reads the area registered at {made} in this superstep; it can be used after the next Sync"},
		{"PutAfterPop", func(b *bsplib.Proc, at *places) error {
			at.next("made")
			x := bsplib.Register(b, make([]int, 4))
			b.Sync()
			x.Pop()
			b.Sync()
			if b.Pid() == 1 {
				at.next("put")
				x.Put(2, 0, 1)
			}
			b.Sync()
			return nil
		}, bsplib.KindNotRegistered, 1, 3, ", {put}: Put: writes the area registered at {made} after its Pop"},
		{"HPGetAfterPopOfAlloc", func(b *bsplib.Proc, at *places) error {
			at.next("made")
			x := bsplib.Alloc[int](b, 4)
			x.Pop()
			b.Sync()
			if b.Pid() == 1 {
				at.next("get")
				x.HPGet(2, 0, make([]int, 1))
			}
			b.Sync()
			return nil
		}, bsplib.KindNotRegistered, 1, 2, ", {get}: HPGet: reads the area registered at {made} after its Pop"},
		{"PopTwice", func(b *bsplib.Proc, at *places) error {
			at.next("made")
			x := bsplib.Register(b, make([]int, 4))
			b.Sync()
			x.Pop()
			if b.Pid() == 1 {
				at.next("pop")
				x.Pop()
			}
			b.Sync()
			return nil
		}, bsplib.KindNotRegistered, 1, 2, ", {pop}: Pop: the area registered at {made} has been popped before"},
		{"PutToTheZeroArea", func(b *bsplib.Proc, at *places) error {
			var x bsplib.Area[int]
			if b.Pid() == 1 {
				at.next("put")
				x.Put(0, 0, 1)
			}
			b.Sync()
			return nil
		}, bsplib.KindNotRegistered, 1, 1, ", {put}: Put: writes an Area that was never registered"},
		{"GetFromTheZeroArea", func(b *bsplib.Proc, at *places) error {
			var x bsplib.Area[int]
			if b.Pid() == 1 {
				at.next("get")
				x.Get(0, 0, make([]int, 1))
			}
			b.Sync()
			return nil
		}, bsplib.KindNotRegistered, 1, 1, ", {get}: Get: reads an Area that was never registered"},
		{"PopOfTheZeroArea", func(b *bsplib.Proc, at *places) error {
			var x bsplib.Area[int]
			if b.Pid() == 1 {
				at.next("pop")
				x.Pop()
			}
			b.Sync()
			return nil
		}, bsplib.KindNotRegistered, 1, 1, ", {pop}: Pop of the zero Area"},
		{"AllocOfANegativeNumber", func(b *bsplib.Proc, at *places) error {
			n := 1
			if b.Pid() == 1 {
				n = -2
			}
			at.next("alloc")
			bsplib.Alloc[int](b, n)
			b.Sync()
			return nil
		}, bsplib.KindOutOfBounds, 1, 1, ", {alloc}: Alloc of -2 elements"},
		{"AllocOfMoreThanThereIs", func(b *bsplib.Proc, at *places) error {
			n := 1
			if b.Pid() == 1 {
				n = 1 << 61
			}
			at.next("alloc")
			bsplib.Alloc[int](b, n)
			b.Sync()
			return nil
		}, bsplib.KindOutOfMemory, 1, 1, ", {alloc}: Alloc of 2305843009213693952 elements of 8 bytes: there is not that much memory"},
	})
}

func TestTypesThatCannotBeSent(t *testing.T) {
	type inner struct{ Name string }
	type outer struct {
		N  int
		In [2]inner
	}
	misuses(t, []misuse{
		{"Pointer", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				at.next("call")
				bsplib.Register(b, make([]*int, 1))
			}
			b.Sync()
			return nil
		}, bsplib.KindNotPlain, 1, 1, ", {call}: an area of *int cannot be sent to other processes: *int is a reference to memory of one process"},
		{"StringInAStruct", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				at.next("call")
				bsplib.Alloc[outer](b, 1)
			}
			b.Sync()
			return nil
		}, bsplib.KindNotPlain, 1, 1, ", {call}: an area of bsplib_test.outer cannot be sent to other processes: field In: field Name: string is a reference to memory of one process"},
		{"SliceInAQueue", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				at.next("call")
				bsplib.NewQueue[int, []byte](b)
			}
			b.Sync()
			return nil
		}, bsplib.KindNotPlain, 1, 1, ", {call}: a queue of []uint8 cannot be sent to other processes: []uint8 is a reference to memory of one process"},
		{"MapAsATag", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				at.next("call")
				bsplib.NewQueue[map[int]int, int](b)
			}
			b.Sync()
			return nil
		}, bsplib.KindNotPlain, 1, 1, ", {call}: a queue's tag of map[int]int cannot be sent to other processes: map[int]int is a reference to memory of one process"},
		{"Uintptr", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				at.next("call")
				bsplib.Register[uintptr](b, nil)
			}
			b.Sync()
			return nil
		}, bsplib.KindNotPlain, 1, 1, ", {call}: an area of uintptr cannot be sent to other processes: uintptr is a reference to memory of one process"},
		{"NoBytes", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				at.next("call")
				bsplib.Register[struct{}](b, nil)
			}
			b.Sync()
			return nil
		}, bsplib.KindNotPlain, 1, 1, ", {call}: an area of struct {}: its values have no bytes"},
		{"Allreduce", func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				at.next("call")
				bsplib.Allreduce(b, "", func(a, b string) string { return a + b })
			}
			b.Sync()
			return nil
		}, bsplib.KindNotPlain, 1, 1, ", {call}: an Allreduce of string cannot be sent to other processes: string is a reference to memory of one process"},
	})
}
