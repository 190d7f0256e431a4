// Failing is a program that ends in the way its flag says, for tests of what
// all ranks then do.
package main

import (
	"flag"
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
)

var how = flag.String("how", "", "bounds, panic, end, error, abort, register, queue, goroutine or unverified; of all processes: panics, aborts, outside, errors, operation, different, types or others")

func main() {
	bsplib.Main(func(b *bsplib.Proc, _ *struct{}) error {
		x := bsplib.Register(b, make([]int, 4))
		b.Sync()
		switch guilty := b.Pid() == 1; {
		case *how == "unverified":
			return bsplib.ErrNotVerified
		case *how == "panics":
			panic(fmt.Sprint("out of order ", b.Pid()))
		case *how == "aborts":
			b.Abort("enough")
		case *how == "outside":
			x.Put(b.Pid(), 4, 1)
		case *how == "errors":
			return fmt.Errorf("cannot go on")
		case *how == "operation":
			bsplib.Allreduce(b, 1, func(x, y int) int { b.Sync(); return x + y })
		case *how == "different" && guilty:
			bsplib.Max(b, 1)
		case *how == "different":
			bsplib.Sum(b, 1)
		case *how == "types" && guilty:
			bsplib.Sum(b, 1.5)
		case *how == "types":
			bsplib.Sum(b, 1)
		case *how == "others" && b.Pid() > 0:
			panic("out of order")
		case guilty && *how == "bounds":
			x.Put(0, 3, 1, 2)
		case guilty && *how == "panic":
			panic("out of order")
		case guilty && *how == "end":
			return nil
		case guilty && *how == "error":
			return fmt.Errorf("cannot go on")
		case guilty && *how == "abort":
			b.Abort("enough")
		case guilty && *how == "register":
			bsplib.Register(b, []byte{1})
		case guilty && *how == "queue":
			bsplib.NewQueue[int, int](b).Send(0, 1, 2)
		case guilty && *how == "goroutine":
			done := make(chan bool)
			go func() { b.Sync(); close(done) }()
			<-done
		}
		b.Sync()
		return nil
	})
}
